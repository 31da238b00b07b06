// What Weir says to people, in English and Chinese. One table holds every
// sentence in both languages side by side (table.h); the engine knows only codes
// and arguments. Nothing here orders anything: the order of reasons is the
// engine's. Pure and total: every value of a closed list has a text, an argument
// that is missing leaves its part of the sentence out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/ids.h"
#include "base/units.h"
#include "model/change.h"
#include "model/decision.h"
#include "model/event.h"
#include "model/job.h"
#include "model/reason.h"

namespace weir {

enum class Language : std::uint8_t { english, chinese };

// How a sentence names things. Every callback may be empty: then the id is
// shown ("job 12"), and an instant as time of the clock in use ("day 3, 04:20:00").
// `instant` gives a clock time, not a distance: sentences say "until 14:05".
struct NameLookup {
  std::function<std::string(JobId)> job;
  std::function<std::string(RunId)> run;
  std::function<std::string(NodeId)> node;
  std::function<std::string(ServiceId)> service;
  std::function<std::string(TimeMs)> instant;
};

// Why work waits, as one sentence.
[[nodiscard]] std::string sentence(const Reason& reason, Language language, const NameLookup& names);
// What an alarm says, as one sentence.
[[nodiscard]] std::string sentence(const change::Alarm& alarm, Language language, const NameLookup& names);

// Short labels, for a cell of a table.
[[nodiscard]] std::string label(JobState state, Language language);
[[nodiscard]] std::string label(YieldCause cause, Language language);
[[nodiscard]] std::string label(ClaimEnd end, Language language);
[[nodiscard]] std::string label(ReplicaState state, Language language);
[[nodiscard]] std::string label(event::Exit how, Language language);
[[nodiscard]] std::string label(decision::StopCause cause, Language language);
[[nodiscard]] std::string label(decision::DrainCause cause, Language language);

// The two largest units that matter: "3 h 20 min", "2 d 4 h", "45 s", "350 ms".
[[nodiscard]] std::string duration_text(DurationMs duration_ms, Language language);
// An instant of the clock in use, counted from its start: "day 3, 04:20:00".
[[nodiscard]] std::string instant_text(TimeMs at_ms, Language language);
// With thousands separators: "118,868".
[[nodiscard]] std::string count_text(std::int64_t count);

}  // namespace weir
