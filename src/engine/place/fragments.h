// Fragmentation: how much of what is free the mix of shapes lately asked for
// cannot use, and by how much a placement would raise it.
#pragma once

#include <cstdint>

#include "engine/records.h"

namespace weir::engine {

struct Pool;

// The increase by one worker on this node, from 0 (falls a lot) to 100 (rises a
// lot). `card`: where a share goes; -1 for whole cards.
[[nodiscard]] std::int64_t fragmentation_step(const Pool&, const Node&, const Shape&, int card);

// Remakes the table of the mix when enough work has started since.
void refresh_mix(Pool&);

}  // namespace weir::engine
