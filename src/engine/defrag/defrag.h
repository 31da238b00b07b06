// Fragments become whole (engine.md 7): runs are moved at their boundaries so that
// a waiter fits, or, in the background, so that cards and nodes empty.
#pragma once

#include <vector>

#include "engine/state.h"

namespace weir::engine {

// `fragmented`: waiting work for which enough is free, in pieces.
void mend(Pool&, const std::vector<JobId>& fragmented);

}  // namespace weir::engine
