#include "sim/workload.h"

#include <algorithm>
#include <utility>

#include "sim/demand.h"

namespace weir {

namespace {

constexpr std::int64_t kRhoPermille = 700;       // load that a replica is planned for
constexpr std::int64_t kHeadroomPermille = 900;  // of a split's provision that its peak fills
constexpr DurationMs kReplicaStart = 90 * kSecond;

void sort_by_submission(std::vector<TraceJob>& jobs) {
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_ms < b.submit_ms; });
}

[[nodiscard]] TraceJob shifted(TraceJob job, DurationMs shift_ms, DurationMs horizon_ms) {
  const TimeMs submit = (job.submit_ms + shift_ms) % horizon_ms;
  if (job.deadline_ms != kNever) job.deadline_ms += submit - job.submit_ms;
  job.submit_ms = submit;
  return job;
}

[[nodiscard]] const ServiceSpec* declared(const PoolConfig& pool, const std::string& name) {
  const auto it = std::find_if(pool.services.begin(), pool.services.end(),
                               [&](const ServiceSpec& service) { return service.name == name; });
  return it == pool.services.end() ? nullptr : &*it;
}

}  // namespace

std::int64_t Workload::cards() const {
  std::int64_t sum = 0;
  for (const NodeSpec& node : pool.nodes) sum += node.cards;
  return sum;
}

std::int32_t Workload::cards_of_node() const {
  std::int32_t largest = 0;
  for (const NodeSpec& node : pool.nodes) largest = std::max(largest, node.cards);
  return largest;
}

Workload rotated(const Workload& workload, DurationMs shift_ms) {
  Workload out = workload;
  for (TraceJob& job : out.jobs) job = shifted(std::move(job), shift_ms, workload.horizon_ms);
  sort_by_submission(out.jobs);
  return out;
}

Workload doubled(const Workload& workload, DurationMs shift_ms) {
  Workload out = workload;
  for (const TraceJob& job : workload.jobs) out.jobs.push_back(shifted(job, shift_ms, workload.horizon_ms));
  sort_by_submission(out.jobs);
  return out;
}

CheckpointContract contract_of(const Workload& workload, std::uint32_t index) {
  const TraceJob& job = workload.jobs[index];
  const DurationMs interval = job.ckpt_ms < 0 ? workload.ckpt_default_ms : job.ckpt_ms;
  if (interval <= 0) return {};
  return {.mode = workload.on_demand ? CheckpointMode::on_demand : CheckpointMode::interval,
          .interval_ms = interval,
          .write_ms = workload.write_ms,
          .restart_ms = workload.restart_ms};
}

JobSpec job_spec(const Workload& workload, std::uint32_t index) {
  const TraceJob& job = workload.jobs[index];
  JobSpec spec{.id = JobId(index), .name = job.name};
  const auto& teams = workload.pool.settings.teams;
  const bool known_team =
      std::any_of(teams.begin(), teams.end(), [&](const TeamSpec& team) { return team.name == job.team; });
  if (known_team) spec.team = job.team;
  const std::int32_t node = std::max(1, workload.cards_of_node());
  if (job.gpus <= node) {
    spec.roles = {{.count = 1, .shape = {.cards = job.gpus}}};
  } else {
    spec.roles = {{.count = job.gpus / node, .shape = {.cards = node}}};
    if (job.gpus % node > 0) spec.roles.push_back({.role = "rest", .count = 1, .shape = {.cards = job.gpus % node}});
  }
  spec.submitted_ms = job.submit_ms;
  if (job.tier == 1) spec.deadline_ms = job.deadline_ms;
  spec.ckpt = contract_of(workload, index);
  return spec;
}

std::vector<ServiceSpec> services_of(const Workload& workload) {
  std::vector<ServiceSpec> services;
  for (std::uint32_t i = 0; i < workload.load.services.size(); ++i) {
    const std::string& name = workload.load.services[i];
    const ServiceSpec* spec = declared(workload.pool, name);
    ServiceSpec service = spec != nullptr ? *spec : ServiceSpec{.name = name, .shape = {.cards = 1}, .guard = 1};
    service.id = ServiceId(i);
    if (spec == nullptr) {
      service.max = static_cast<std::int32_t>(workload.cards());
      service.start_ms = kReplicaStart;
    }
    services.push_back(std::move(service));
  }
  return services;
}

std::int64_t split_for_peak(const Workload& workload) {
  const Demand demand(workload.load, workload.kappa_milli);
  std::int64_t peak_nano = 0;
  for (std::size_t s = 0; s < demand.services(); ++s) peak_nano += demand.peak_nano(s);
  const std::int64_t per_card = kNanoPerCard / 1'000'000 * kRhoPermille * kHeadroomPermille;
  const std::int64_t wanted = (peak_nano + per_card - 1) / per_card;
  std::int64_t pinned = 0;
  for (std::size_t i = 0; i + 1 < workload.pool.nodes.size() && pinned < wanted; ++i) {
    pinned += workload.pool.nodes[i].cards;
  }
  return pinned;
}

}  // namespace weir
