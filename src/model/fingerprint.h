// Hashes of decisions: the same run twice must give the same one.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "model/decision.h"

namespace weir {

void add_to(Hasher& hash, const Decision& decision);
void add_to(Hasher& hash, const Placement& place);

}  // namespace weir
