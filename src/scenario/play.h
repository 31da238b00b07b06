// One run of a scenario on a world of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "scenario/record.h"
#include "scenario/scenario.h"
#include "sim/world.h"

namespace weir::scenario {

struct Played {
  std::unique_ptr<World> world;
  std::unique_ptr<Record> record;
  std::uint64_t hash = 0;       // of the state at the end and of all decisions
  bool replay_differs = false;  // after a restart the engine was in another state
};

// Requires: scenario.runnable(). The scenario must outlive what is returned.
[[nodiscard]] Played play(const Scenario& scenario, bool keep_log);

// When a job will start, as it can be told at its submission: between then and its
// start in a world where all that is known at that time runs to its declared end
// and nothing else comes. Nothing when it does not start there.
struct Forecast {
  TimeMs earliest_ms = 0;
  TimeMs latest_ms = 0;
};
[[nodiscard]] std::optional<Forecast> forecast_of_start(const Record& record, JobId job);

}  // namespace weir::scenario
