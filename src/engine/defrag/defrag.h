// Fragments become whole (engine.md 7): runs are moved at their boundaries so
// that a waiter fits, or, in the background, so that cards and nodes empty.
//
// A plan of moves is one claim on what becomes free, which names the runs that
// move, and one more claim for each of their jobs, on its target. The second is
// open as long as its run is asked to leave or its job waits to start there; a
// run whose target is lost gets another or stays where it is, and the plan is
// off.
#pragma once

#include <vector>

#include "engine/state.h"

namespace weir::engine {

// Before a pass: plans that a fact has overtaken are mended or called off.
void review_moves(Pool&);
// After it. `fragmented`: waiting work for which enough is free, in pieces, in
// order.
void mend(Pool&, const std::vector<JobId>& fragmented);

}  // namespace weir::engine
