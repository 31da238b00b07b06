// One pass over everything that wants cards, highest tier first.
#pragma once

#include "engine/state.h"

namespace weir::engine {

void schedule(Pool&);

}  // namespace weir::engine
