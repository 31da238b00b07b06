#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/simulate_output.h"
#include "model/names.h"

namespace weir::cli {

namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

[[nodiscard]] Json wait_of(const PolicyMetrics& m) {
  Json by_size;
  for (const ClassMetrics& c : m.by_size) by_size[c.label == ">8" ? "over8" : c.label] = number(c.wait_mean_s);
  return {{"mean", number(m.all.wait_mean_s)},
          {"median", number(m.all.wait_median_s)},
          {"p95", number(m.all.wait_p95_s)},
          {"p99", number(m.all.wait_p99_s)},
          {"by_size", by_size}};
}

[[nodiscard]] Json preemption_of(const PolicyMetrics& m) {
  const PreemptionMetrics& p = m.preemption;
  Json yields = Json::object();
  for (const YieldCause cause : {YieldCause::claim, YieldCause::rotation, YieldCause::move, YieldCause::loan,
                                 YieldCause::limit, YieldCause::drain}) {
    const auto it = p.by_cause.find(cause);
    yields[std::string(name_of(cause))] = it == p.by_cause.end() ? 0 : it->second;
  }
  return {{"requests", p.requests},
          {"at_boundary", p.at_boundary_share},
          {"success_120s", number(p.success_120s)},
          {"success_300s", number(p.success_300s)},
          {"lost_steps", p.lost_steps},
          {"yields", yields}};
}

[[nodiscard]] Json policy_of(const PolicyMetrics& m) {
  return {{"name", m.name},
          {"allocated", m.allocated},
          {"useful", m.useful},
          {"duty", m.duty},
          {"wait_s", wait_of(m)},
          {"queueing_s", {{"mean", number(m.all.queueing_mean_s)}}},
          {"jct_s", {{"mean", number(m.all.jct_mean_s)}}},
          {"preemption", preemption_of(m)},
          {"lost_share", {{"inference", m.lost_share_inference}, {"all", m.lost_share_all}}},
          {"unmet_inference_share", m.unmet_share},
          {"deadlines_met_share", number(m.deadlines_met_share)},
          {"worse_off_share",
           {{"all", number(m.all.worse_off_share)}, {"over8h", number(m.by_duration.back().worse_off_share)}}}};
}

}  // namespace

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

StepTimes step_times(const Simulation& simulation) {
  std::vector<std::uint32_t> ns;
  for (const PolicyRun& run : simulation.runs) ns.insert(ns.end(), run.step_ns.begin(), run.step_ns.end());
  if (ns.empty()) return {};
  const auto at = [&](std::size_t percent) {
    const auto nth = ns.begin() + static_cast<std::ptrdiff_t>((ns.size() - 1) * percent / 100);
    std::nth_element(ns.begin(), nth, ns.end());
    return *nth / 1000.0;
  };
  return {at(50), at(99)};
}

std::string to_json(const SimulateInput& input, const Simulation& simulation, double wall_s) {
  const StepTimes steps = step_times(simulation);
  Json policies = Json::array();
  for (const PolicyMetrics& metrics : simulation.policies) policies.push_back(policy_of(metrics));
  Json useful = Json::array();
  Json wait = Json::array();
  for (const RotationResult& rotation : simulation.rotations) {
    useful.push_back(rotation.useful);
    wait.push_back(number(rotation.wait_mean_s));
  }
  const Json out = {{"scenario", input.workload.name},
                    {"hash", hash_text(simulation.hash)},
                    {"wall_s", wall_s},
                    {"step_us", {{"p50", steps.p50_us}, {"p99", steps.p99_us}}},
                    {"bound", {{"demand", simulation.bounds.demand}, {"saturation", simulation.bounds.saturation}}},
                    {"policies", policies},
                    {"rotations", {{"useful", useful}, {"wait_mean", wait}}}};
  // A file name need not be UTF-8; JSON must be.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::cli
