// Where the guard's shapes could still stand (engine.md 4, Floor): every healthy card
// that neither training nor a guard replica holds is a place for what is owed.
#pragma once

#include <string>
#include <vector>

#include "engine/state.h"

namespace weir::engine {

struct GuardNeed {
  ServiceId service;  // none: of the pool's guard beside them
  Shape shape;
  std::vector<std::string> models;
  std::int64_t count = 0;
};

// How many of the needs find no place once training holds `taken` too and has left
// `freed`. Best fit, largest first; where that falls short of a pool that is large
// enough, a search with a bound, since best fit is no proof.
[[nodiscard]] std::int64_t shortfall_by_rooms(const Pool&, const std::vector<GuardNeed>& needs,
                                              const std::vector<Placement>& taken, const std::vector<Placement>& freed);

}  // namespace weir::engine
