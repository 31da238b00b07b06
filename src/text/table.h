// The one table of texts. A row is a pattern in each language:
//   {field}       an argument: amount, of, at, job, run, node, service
//   {field.noun}  a number with its noun: "8 cards", "1 card" (card, job, node, run)
//   [ ... ]       left out when an argument inside is missing: no such job or run,
//                 no instant, an amount of 0. Not nested.
// A row is empty for a value outside its list only.
#pragma once

#include <string_view>

#include "text/text.h"

namespace weir::text {

struct Row {
  std::string_view english;
  std::string_view chinese;
};

[[nodiscard]] Row row_of(ReasonCode code);
[[nodiscard]] Row row_of(change::AlarmKind kind);
[[nodiscard]] Row row_of(JobState state);
[[nodiscard]] Row row_of(YieldCause cause);
[[nodiscard]] Row row_of(ClaimEnd end);
[[nodiscard]] Row row_of(ReplicaState state);
[[nodiscard]] Row row_of(event::Exit how);
[[nodiscard]] Row row_of(decision::StopCause cause);
[[nodiscard]] Row row_of(decision::DrainCause cause);

// The arguments of one sentence.
struct Arguments {
  std::int64_t amount = 0;
  std::int64_t of = 0;
  TimeMs at = kNever;
  JobId job;
  RunId run;
  NodeId node;
  ServiceId service;
};

// Fills a pattern in. What a name contains is never read as a pattern. An
// unknown placeholder is kept as written (a test finds those).
[[nodiscard]] std::string filled(const Row& row, const Arguments& arguments, Language language,
                                 const NameLookup& names);

}  // namespace weir::text
