// Quiet hours: shares onto cards that are shared anyway, the last work of a
// node onto nodes in use.
#pragma once

#include <optional>

#include "engine/defrag/plan.h"

namespace weir::engine {

// What empties a card or a node.
struct Merge {
  MovePlan runs;
  ReplicaId replica;  // instead of runs: one replica, by make before break
  Placement target;   // its
};

// Of the merges within so many moves that pay, the one that frees most for its
// cost. One pays when what becomes whole stays so for longer, in card time,
// than it costs.
[[nodiscard]] std::optional<Merge> best_merge(Pool&, std::int32_t moves_max);

}  // namespace weir::engine
