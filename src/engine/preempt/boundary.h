// When a run can leave with nothing lost (engine.md 6.1): the k-th boundary of a
// run is when it has done k intervals of useful work in this run.
#pragma once

#include "engine/state.h"

namespace weir::engine {

// With only_at_checkpoint off claims take at any time, and what is not saved is lost;
// every other yield keeps to boundaries all the same.
[[nodiscard]] bool kills(const Pool&, YieldCause);
// First boundary at or after `from`; kNever = it has none.
[[nodiscard]] TimeMs boundary_from(const Pool&, const RunRec&, TimeMs from_ms, YieldCause = YieldCause::drain);
// Last boundary not later than `until` and not before `from`; kNever = none.
[[nodiscard]] TimeMs boundary_until(const Pool&, const RunRec&, TimeMs from_ms, TimeMs until_ms,
                                    YieldCause = YieldCause::drain);
// Start of the interval that the boundary ends: a request for it goes out after this.
[[nodiscard]] TimeMs boundary_before(const Pool&, const RunRec&, TimeMs boundary_ms, YieldCause = YieldCause::drain);
// From when on it may be taken: after a resume not before max(min_run, 4 x restart) of work.
[[nodiscard]] TimeMs eligible_from(const Pool&, const RunRec&);
// Boundary -> cards free.
[[nodiscard]] DurationMs write_time(const Pool&, const RunRec&, YieldCause = YieldCause::drain);
// From being asked until the cards are free, at worst; kNever = cannot be asked.
[[nodiscard]] DurationMs worst_yield(const CheckpointContract&, std::int32_t speed_milli);
// The instant at which so much useful work is done.
[[nodiscard]] TimeMs instant_of_work(const RunRec&, DurationMs work_ms);

// Asks a run to yield at that boundary, now or when it is its next.
void ask(Pool&, RunRec&, ClaimId, YieldCause, TimeMs boundary_ms);
// Sends a planned request that is due.
void send_ask(Pool&, RunRec&);
// Takes the request back; nothing when it is past recall.
void withdraw(Pool&, RunRec&);
// Where it stands is being drained: to leave at its next boundary, unless it is asked already.
void ask_for_drain(Pool&, RunRec&);

}  // namespace weir::engine
