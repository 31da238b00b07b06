// What `weir simulate` plays: one of the shipped scenarios, or the user's own
// files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sim/workload.h"

namespace weir::cli {

struct SimulateArguments {
  std::string scenario;  // r64-a | r64-b | rfull-a | rfull-b; or:
  std::string jobs_file;
  std::string load_file;
  std::string pool_file;              // replaces the scenario's
  std::string data_dir;               // holds scenarios/*.csv.gz; empty = found beside the program or here
  double kappa = 1;                   // own files: cards of work per unit of the load
  std::int64_t split_inference = -1;  // own files: cards that the split pins; -1 = by the peak
  bool saturated = false;
  bool on_demand = false;
};

struct SimulateInput {
  Workload workload;
  std::string title;  // a plain line for people; sizes are not in it, the report counts them itself
  std::vector<std::string> notes;
};

[[nodiscard]] std::vector<std::string> scenario_names();

// Reads and checks everything; all problems at once.
[[nodiscard]] ResultAll<SimulateInput> read_input(const SimulateArguments& arguments);

}  // namespace weir::cli
