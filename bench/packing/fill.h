// The static fill: tasks arrive until they ask for 1.3 times the cluster, nothing ends,
// and what does not fit is dropped for good.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "packing/openb.h"

namespace weir::packing {

// One policy, one seed, where the arrived demand is 100 % of the cluster.
struct Fill {
  double unallocated_pct = 0;
  double fragmentation_pct = 0;       // of the cluster
  double fragmentation_rate_pct = 0;  // of what is idle
  struct Slice {
    double arrived = 0;  // tasks
    double accepted = 0;
    [[nodiscard]] double accepted_pct() const { return arrived > 0 ? 100 * accepted / arrived : 100; }
  };
  std::map<std::string, Slice> slices;  // by what tasks ask for
  double wall_s = 0;
};
[[nodiscard]] Fill fill(const Workload&, const std::string& policy, std::uint64_t seed);

// Medians over seeds; a slice that never arrived with a seed does not count for that one.
[[nodiscard]] Fill median(const std::vector<Fill>&);

struct Plan {
  std::vector<std::string> policies;
  int seeds = 10;  // from 42 on, as published
  int threads = 1;
  std::function<void(int done, int all)> progress;  // called from one thread at a time; may be empty
};
// By policy, in the plan's order.
[[nodiscard]] std::vector<Fill> compare(const Workload&, const Plan&);

struct Published {
  double unallocated_pct = 0;
  double fragmentation_pct = 0;
  double fragmentation_rate_pct = 0;
};
// By workload and policy. Errors as of read_workload.
[[nodiscard]] ResultAll<std::map<std::pair<std::string, std::string>, Published>> read_published(
    const std::string& folder);

}  // namespace weir::packing
