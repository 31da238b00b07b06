// What follows once a whole pool file is read: defaults that depend on other
// keys (engine.md 11), and the rules between keys.
#pragma once

#include "config/reader.h"
#include "config/settings_table.h"

namespace weir {

// Rules over keys that already have problems are left out: their numbers mean nothing.
void resolve(Draft& draft, Problems& problems, Problems& warnings);

}  // namespace weir
