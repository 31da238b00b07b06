// How long work of a kind ran before: for work that says nothing of itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/records.h"

namespace weir::engine {

struct Pool;

// Run times of ended work of one kind, bounded, in the order in which it ended.
struct RunTimes {
  std::vector<DurationMs> ring;
  std::size_t next = 0;
  std::vector<DurationMs> sorted;
};

struct History {
  std::vector<RunTimes> kinds;
  std::map<std::string, Index> index;  // team, type, size
};

[[nodiscard]] Index history_of(Pool&, const JobSpec&, std::int64_t milli);
void note_run_time(Pool&, Index history, DurationMs run_ms);
// The p90 of those that ran longer than `done_ms`; -1 when too few are known.
[[nodiscard]] DurationMs p90_beyond(const Pool&, Index history, DurationMs done_ms);

// Useful work that a job still has before it, at speed 1; -1 = unknown.
[[nodiscard]] DurationMs remaining_of(const Pool&, const JobRec&);
// Useful work that a run has done since its start.
[[nodiscard]] DurationMs work_done(const RunRec&, TimeMs now_ms);
// When a run is expected to have ended; kNever = nobody knows.
[[nodiscard]] TimeMs promised_end(const Pool&, const RunRec&);

}  // namespace weir::engine
