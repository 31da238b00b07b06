// The engine's own books: what it counts as things change, against a recount of
// everything that lives. Between two steps both must agree, whatever the facts were.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"

namespace weir::property {

[[nodiscard]] std::vector<std::string> faults_in_books(const State& state);

}  // namespace weir::property
