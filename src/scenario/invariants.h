// What holds in every scenario at every moment, whatever its expectations say:
// I1 to I10 of the reading guide of the cases. They are judged on the record of
// the run, beside the auditor that watches every step.
#pragma once

#include <string>
#include <vector>

#include "scenario/record.h"

namespace weir::scenario {

// One line per breach, with the number of the invariant and what was found.
[[nodiscard]] std::vector<std::string> breaches_of(const Record& record);

}  // namespace weir::scenario
