// Which runs to move, and where to.
#pragma once

#include <optional>
#include <vector>

#include "engine/defrag/sketch.h"

namespace weir::engine {

inline constexpr std::size_t kMovesMax = 8;  // of one plan
inline constexpr std::size_t kNoMove = ~std::size_t{0};

struct Move {
  Movable mover;
  Placement target;
  std::size_t behind = kNoMove;  // the earlier move of the plan that frees its target
};

struct MovePlan {
  std::vector<Placement> places;  // what becomes free; a waiter's workers in order
  std::vector<Move> moves;
  GpuMs cost = 0;
};

// The cheapest moves that make room for all workers of the variant, found
// worker by worker; runs of this rank or lower only. A target may be a card
// that an earlier move of the plan frees. Nothing when that takes more than a
// few moves.
[[nodiscard]] std::optional<MovePlan> moves_for(Pool&, const Demand&, const Variant&, Rank);

}  // namespace weir::engine
