// What must be true once nothing happens from outside any more: every claim has
// ended, and no job waits that could be started.
#pragma once

#include <string>
#include <vector>

#include "plan.h"
#include "sim/world.h"
#include "tracker.h"

namespace weir::property {

// Longest time that all work of the plan may take after `quiet_from_ms`: one job
// after the other, with every loss it may have, several times over.
[[nodiscard]] DurationMs longest_end_ms(const WorldPlan& plan);

[[nodiscard]] std::vector<std::string> problems_at_the_end(const World& world, const WorldPlan& plan,
                                                           const Tracker& tracker);

}  // namespace weir::property
