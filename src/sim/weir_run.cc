#include "sim/weir_run.h"

#include <algorithm>
#include <memory>

#include "sim/demand.h"
#include "sim/recorder.h"
#include "sim/world.h"

namespace weir {

namespace {

constexpr DurationMs kChunk = kHour;  // between two samples and calls of `progress`

void declare_pool(World& world, const Workload& workload, const std::vector<ServiceSpec>& services) {
  Settings settings = workload.pool.settings;
  settings.shadow = false;  // what nobody carries out cannot be simulated
  world.at(Event{0, event::ConfigSet{std::make_shared<const Settings>(std::move(settings))}});
  for (const NodeSpec& node : workload.pool.nodes) world.at(Event{0, event::NodeDeclared{node}});
  for (const TeamSpec& team : workload.pool.settings.teams) world.at(Event{0, event::QuotaSet{team}});
  for (const ServiceSpec& service : services) world.at(Event{0, event::ServiceDeclared{service}});
}

// The first needs are measured a moment after the services were declared.
void declare_need(World& world, const Workload& workload) {
  const Demand demand(workload.load, workload.kappa_milli);
  for (const NeedChange& change : plan_need(demand, NeedRule{}, workload.horizon_ms)) {
    const TimeMs at = std::max<TimeMs>(change.at_ms, 1);
    world.at(Event{at, event::NeedMeasured{.service = change.service, .replicas = change.replicas}});
  }
}

}  // namespace

PolicyRun run_weir(const Workload& workload, const WeirOptions& options) {
  World world({.executor = {.report_checkpoints = false}, .audit = options.audit, .time_steps = true});
  const std::vector<ServiceSpec> services = services_of(workload);
  Recorder recorder(workload, services);
  world.observe(&recorder);
  declare_pool(world, workload, services);
  declare_need(world, workload);
  for (std::uint32_t i = 0; i < workload.jobs.size(); ++i) {
    if (workload.jobs[i].submit_ms >= workload.horizon_ms) break;
    world.submit(job_spec(workload, i), {.run_ms = workload.jobs[i].duration_ms});
  }
  for (TimeMs now = 0; now < workload.horizon_ms;) {
    now = std::min(now + kChunk, workload.horizon_ms);
    world.run_until(now - 1);  // the horizon itself is outside
    if (options.series) {
      recorder.sample_unusable(now, static_cast<double>(fragments_of(world.state()).unusable_milli) / kMilliPerCard);
    }
    if (options.progress) options.progress(now);
  }
  PolicyRun run = recorder.finish();
  run.hash = world.decisions_hash();
  run.steps = world.steps();
  run.step_ns = world.step_ns();
  run.violations = world.violations();
  return run;
}

}  // namespace weir
