// Who chooses the host: the six policies that the study compares, as written down in its
// protocol (integer scores of 0 to 100, ties to the first host in one fixed order), and
// Weir's production engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packing/cluster.h"

namespace weir::packing {

struct Choice {
  std::size_t host = 0;
  std::uint32_t cards = 0;
};

class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Where the task goes, on the cluster as it is; nothing when it is turned away. The
  // caller places what was chosen before it asks again.
  [[nodiscard]] virtual std::optional<Choice> choose(const Cluster&, std::uint32_t kind) = 0;
};

[[nodiscard]] const std::vector<std::string>& policy_names();  // the published ones, then "Weir"
// `order` is that of the cluster's hosts.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const std::string& name, const Workload&,
                                                  const std::vector<std::uint32_t>& order, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<Policy> make_weir(const Workload&, const std::vector<std::uint32_t>& order);

}  // namespace weir::packing
