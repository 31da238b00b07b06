// Where a simulated run stands at an instant, and where its boundaries are
// (engine.md 6.1). Pure arithmetic; times in milliseconds.
#pragma once

#include "base/units.h"
#include "model/job.h"

namespace weir {

// Useful work begins at `work_from_ms` and goes on at `speed_milli` thousandths
// of the speed in which work and intervals are measured.
struct RunClock {
  TimeMs work_from_ms = 0;
  std::int32_t speed_milli = 1000;  // > 0

  // Useful work of this run that is done at `now`; 0 before it begins.
  [[nodiscard]] DurationMs work_at(TimeMs now_ms) const;
  // The instant at which so much of it is done, rounded up; kNever when it never is.
  [[nodiscard]] TimeMs instant_of(DurationMs work_ms) const;
};

// A boundary and the useful work of this run up to it.
struct Boundary {
  TimeMs at_ms = kNever;
  DurationMs work_ms = 0;
};

// The first boundary at or after `from` (the same millisecond counts). A
// contract without checkpoints has none; on demand, `from` is one itself.
[[nodiscard]] Boundary first_boundary(const RunClock&, const CheckpointContract&, TimeMs from_ms);

// Work of the newest periodic checkpoint that is complete at `now`; 0 when none is.
[[nodiscard]] DurationMs newest_checkpoint(const RunClock&, const CheckpointContract&, TimeMs now_ms);

}  // namespace weir
