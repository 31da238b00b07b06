// What `weir simulate` prints: JSON for programs, the report's data for people.
#pragma once

#include <string>
#include <vector>

#include "cli/simulate_inputs.h"
#include "report/report.h"
#include "sim/simulate.h"

namespace weir::cli {

// Wall time of one engine step over all steps of the run, in microseconds.
struct StepTimes {
  double p50_us = 0;
  double p99_us = 0;
};
[[nodiscard]] StepTimes step_times(const Simulation& simulation);

[[nodiscard]] std::string hash_text(std::uint64_t hash);
[[nodiscard]] std::string to_json(const SimulateInput& input, const Simulation& simulation, double wall_s);
[[nodiscard]] ReportData to_report(const SimulateInput& input, const Simulation& simulation, double wall_s,
                                   const std::string& command);

}  // namespace weir::cli
