// The parts of the reader of scenarios. Each reads one section into the scenario
// and adds what is wrong with it to the problems; none stops at the first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "scenario/scenario.h"

namespace weir::scenario {

inline constexpr std::size_t kJobsMax = 100'000;  // after ranges are written out
inline constexpr std::size_t kNodesMax = 20'000;
inline constexpr std::int64_t kCardsMax = 1'000'000;
inline constexpr Range kTimeRange{0, 1'000 * kDay};
inline constexpr Range kCountRange{0, 1'000'000'000};

// "x{1..3}" is x1, x2, x3; any other text is itself. Nothing (and the reason in
// `problem`) when the range is backwards or larger than `limit`.
[[nodiscard]] std::optional<std::vector<std::string>> expand_range(std::string_view text, std::size_t limit,
                                                                   std::string& problem);

[[nodiscard]] std::optional<TimeMs> seconds_of(const Value& value);
[[nodiscard]] std::optional<std::vector<std::string>> names_of(const Value& value);  // one, a range, or a list of them
// The items of a list, or the one value. By value: nothing of it dangles in a loop.
[[nodiscard]] std::vector<Value> values_of(const Value& value);
// The mask of one card index or a list of them.
[[nodiscard]] std::optional<std::uint64_t> card_mask_of(const Value& value);

// A name that must be one of a known kind; a problem with the nearest one otherwise.
template <class Id>
[[nodiscard]] std::optional<Id> known_id(const Value& value, std::string_view name, std::string_view what,
                                         const std::map<std::string, Id, std::less<>>& ids) {
  if (const auto found = ids.find(name); found != ids.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& entry : ids) known.push_back(entry.first);
  value.problem(unknown_message(std::string(what) + " " + quoted_for_message(name), name, known));
  return std::nullopt;
}

// Cards, milli-GPU and memory of one worker or replica, as jobs and services write them.
struct ShapeText {
  std::optional<std::int64_t> gpus_milli;
  std::optional<std::int64_t> milli;
  std::optional<std::int64_t> mem_mib;
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
};
[[nodiscard]] ShapeText read_shape_text(Section& section);
[[nodiscard]] Shape shape_of(const ShapeText& text, const Section& section);

void read_pool(Section& top, Scenario& scenario);  // nodes and pool
void read_teams(Section& top, Scenario& scenario);
void read_quota(const Value& value, TeamSpec& team);
void read_tiers(Section& top, Scenario& scenario);
void read_profiles(Section& top, Scenario& scenario);
// The number of a card error: the digits of the text ("79", "xid_79"), or a number of its own for a word.
[[nodiscard]] std::int32_t fault_code(const std::string& text, Scenario& scenario);
void read_settings(Section& top, Scenario& scenario);
[[nodiscard]] bool add_job(Scenario& scenario, JobEntry job, const std::string& name);  // false: the name is taken
void read_jobs(Section& top, Scenario& scenario);
void read_services(Section& top, Scenario& scenario);
void read_requests(Section& top, Scenario& scenario);
void read_events(Section& top, Scenario& scenario);
void read_expectations(Section& file, Scenario& scenario);

// The tier that a job or service names, by name or number. Numbers without a list
// of tiers make their own tier.
[[nodiscard]] std::optional<std::string> tier_of_text(const Value& value, Scenario& scenario);
void finish_tiers(Scenario& scenario);  // after all work is read: levels above the numbers

// Parts that are prose for a real backend, and those of them that are concrete
// enough to be played: `phases`, `load`, `launch`.
void read_prose(Section& top, Scenario& scenario);
void read_launch(const Value& value, JobTruth& truth, std::vector<std::string>& beyond_engine);

}  // namespace weir::scenario
