// Which runs to move, and where to.
#pragma once

#include <optional>
#include <vector>

#include "engine/state.h"

namespace weir::engine {

struct Move {
  RunId run;
  Placement target;
  TimeMs boundary_ms = 0;  // its first one that it may be had at
};

struct MovePlan {
  Placement place;  // what becomes free in one piece
  std::vector<Move> moves;
  GpuMs cost = 0;
};

// The cheapest moves that make room for one worker of whole cards; runs of this rank
// or lower only. A target may be a card that another move of the plan frees.
[[nodiscard]] std::optional<MovePlan> moves_for(Pool&, const Variant&, Rank);
// The move that frees most for its cost: a share onto another shared card, or the last
// run of a node onto one in use. Nothing when none pays.
[[nodiscard]] std::optional<MovePlan> merging_move(Pool&);

}  // namespace weir::engine
