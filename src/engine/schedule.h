// One pass over everything that wants cards, highest tier first.
#pragma once

#include "engine/state.h"

namespace weir::engine {

void schedule(Pool&);
// Jobs whose claimed cards are all free start on them.
void start_ready_claims(Pool&);

}  // namespace weir::engine
