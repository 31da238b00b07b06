#include "cli/bench_output.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace weir::cli {

namespace {

using Json = nlohmann::ordered_json;
using packing::Fill;

constexpr std::size_t kSlicesShown = 12;

// The most frequent slices, those of CPU alone left out.
std::vector<std::string> slices_to_show(const Fill& fill) {
  std::vector<std::string> names;
  for (const auto& [name, slice] : fill.slices) {
    if (name != "cpu") names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return fill.slices.at(a).arrived > fill.slices.at(b).arrived;
  });
  if (names.size() > kSlicesShown) names.resize(kSlicesShown);
  return names;
}

void print_acceptance(const PackingResults& results, const std::vector<Fill>& fills) {
  fmt::print("\n  accepted, % of what arrived\n  {:<14}{:>9}", "asks for", "arrived");
  for (const std::string& policy : results.policies) fmt::print("{:>14}", policy);
  fmt::print("\n");
  for (const std::string& slice : slices_to_show(fills.front())) {
    fmt::print("  {:<14}{:>9.0f}", slice, fills.front().slices.at(slice).arrived);
    for (const Fill& fill : fills) fmt::print("{:>14.1f}", fill.slices.at(slice).accepted_pct());
    fmt::print("\n");
  }
}

}  // namespace

void print_table(const PackingResults& results) {
  fmt::print("Medians of {} orders of arrival, where the arrived demand is 100 % of the cluster\n", results.seeds);
  for (const auto& [workload, fills] : results.workloads) {
    fmt::print("\n{}\n  {:<14}{:>13}{:>12}{:>13}{:>12}{:>14}{:>9}\n", workload, "policy", "unallocated", "published",
               "fragmented", "published", "of the idle", "a run");
    for (std::size_t p = 0; p < results.policies.size(); ++p) {
      const Fill& fill = fills[p];
      const auto known = results.published.find({workload, results.policies[p]});
      const bool has = known != results.published.end();
      const std::string unallocated = has ? fmt::format("{:.2f} %", known->second.unallocated_pct) : "-";
      const std::string fragmented = has ? fmt::format("{:.2f} %", known->second.fragmentation_pct) : "-";
      fmt::print("  {:<14}{:>11.2f} %{:>12}{:>11.2f} %{:>12}{:>12.1f} %{:>7.2f} s\n", results.policies[p],
                 fill.unallocated_pct, unallocated, fill.fragmentation_pct, fragmented, fill.fragmentation_rate_pct,
                 fill.wall_s);
    }
    print_acceptance(results, fills);
  }
}

void print_json(const PackingResults& results) {
  Json workloads = Json::object();
  for (const auto& [workload, fills] : results.workloads) {
    Json policies = Json::object();
    for (std::size_t p = 0; p < results.policies.size(); ++p) {
      const Fill& fill = fills[p];
      Json slices = Json::object();
      for (const auto& [name, slice] : fill.slices) slices[name] = slice.accepted_pct() / 100;
      Json row = {{"unallocated_pct", fill.unallocated_pct},
                  {"fragmentation_pct", fill.fragmentation_pct},
                  {"fragmentation_rate_pct", fill.fragmentation_rate_pct},
                  {"accepted_by_slice", slices},
                  {"wall_s", fill.wall_s}};
      const auto known = results.published.find({workload, results.policies[p]});
      if (known != results.published.end()) row["published_unallocated_pct"] = known->second.unallocated_pct;
      policies[results.policies[p]] = std::move(row);
    }
    workloads[workload] = std::move(policies);
  }
  fmt::print("{}\n", Json{{"seeds", results.seeds}, {"workloads", workloads}}.dump(2));
}

}  // namespace weir::cli
