// Lines for people about what a step saw, decided and changed.
#pragma once

#include <string>

#include "scenario/record.h"

namespace weir::scenario {

[[nodiscard]] std::string describe(const Record& record, const Event& event);
[[nodiscard]] std::string describe(const Record& record, const Decision& decision);
[[nodiscard]] std::string describe(const Record& record, const Change& change);

}  // namespace weir::scenario
