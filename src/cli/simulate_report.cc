#include <algorithm>

#include "cli/simulate_output.h"
#include "cli/version.h"

namespace weir::cli {

namespace {

constexpr double kMsPerDay = static_cast<double>(kDay);

[[nodiscard]] ReportClass class_of(const ClassMetrics& m) {
  return {.label = m.label,
          .jobs = m.jobs,
          .wait_mean_s = m.wait_mean_s,
          .wait_median_s = m.wait_median_s,
          .wait_p95_s = m.wait_p95_s,
          .wait_p99_s = m.wait_p99_s,
          .queueing_mean_s = m.queueing_mean_s,
          .jct_mean_s = m.jct_mean_s,
          .worse_off_share = m.worse_off_share};
}

[[nodiscard]] std::vector<ReportClass> classes_of(const std::vector<ClassMetrics>& metrics) {
  std::vector<ReportClass> classes;
  for (const ClassMetrics& m : metrics) classes.push_back(class_of(m));
  return classes;
}

[[nodiscard]] ReportPreemption preemption_of(const PolicyRun& run, const PolicyMetrics& m) {
  ReportPreemption out{.requests = m.preemption.requests,
                       .at_boundary = m.preemption.at_boundary,
                       .forced_stops = m.preemption.forced_stops,
                       .success_120s = m.preemption.success_120s,
                       .success_300s = m.preemption.success_300s,
                       .lost_steps = m.preemption.lost_steps,
                       .yields = m.preemption.by_cause};
  for (const YieldOutcome& yield : run.yields) {
    out.falls.push_back({.at_ms = yield.asked_ms,
                         .free_after_s = static_cast<double>(yield.free_ms - yield.asked_ms) / kSecond,
                         .cause = yield.cause,
                         .for_inference = yield.for_inference,
                         .at_boundary = yield.at_boundary});
  }
  std::stable_sort(out.falls.begin(), out.falls.end(),
                   [](const ReportFall& a, const ReportFall& b) { return a.at_ms < b.at_ms; });
  return out;
}

[[nodiscard]] std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(0.0, a[i] - b[i]);
  return a;
}

[[nodiscard]] ReportSeries series_of(const PolicyRun& run, double pool_cards) {
  const Meter& meter = run.meter;
  const std::vector<double> training = meter.series(Use::training_held);
  const std::vector<double> inference = meter.series(Use::inference_held);
  ReportSeries out{.training_useful = meter.series(Use::training_useful),
                   .inference_served = meter.series(Use::served),
                   .demand = meter.series(Use::demand),
                   .need = meter.series(Use::need),
                   .ready = meter.series(Use::ready),
                   .queue_jobs = meter.series(Use::queue_jobs),
                   .queue_cards = meter.series(Use::queue_cards)};
  out.training_overhead = difference(training, out.training_useful);
  out.inference_held = difference(inference, out.inference_served);
  out.idle = difference(difference(std::vector<double>(training.size(), pool_cards), training), inference);
  const bool has_engine = run.steps > 0;  // a split has neither a guard nor a measure of fragments
  if (has_engine) {
    out.guard = meter.series(Use::guard);
    out.unusable = meter.series(Use::unusable);
  }
  return out;
}

[[nodiscard]] ReportPolicy policy_of(const PolicyRun& run, const PolicyMetrics& m, double pool_cards,
                                     double window_ms) {
  ReportPolicy out{.name = m.name,
                   .allocated_share = m.allocated,
                   .useful_share = m.useful,
                   .duty_share = m.duty,
                   .all = class_of(m.all),
                   .by_size = classes_of(m.by_size),
                   .by_duration = classes_of(m.by_duration),
                   .by_tier = classes_of(m.by_tier),
                   .preemption = preemption_of(run, m),
                   .unmet_share = m.unmet_share,
                   .deadlines_met_share = m.deadlines_met_share,
                   .worse_off_share_all = m.all.worse_off_share,
                   .worse_off_share_over8h = m.by_duration.back().worse_off_share,
                   .series = series_of(run, pool_cards)};
  if (run.steps > 0) {
    out.lost_share_inference = m.lost_share_inference;
    out.lost_share_all = m.lost_share_all;
  }
  for (std::size_t i = 0; i < run.services.size(); ++i) {
    out.services.push_back({.name = run.services[i].name,
                            .demand_mean_cards = run.services[i].demand / window_ms,
                            .unmet_share = m.unmet_by_service[i].second});
  }
  return out;
}

}  // namespace

ReportData to_report(const SimulateInput& input, const Simulation& simulation, double wall_s,
                     const std::string& command) {
  const Workload& workload = input.workload;
  const StepTimes steps = step_times(simulation);
  ReportData out{.scenario = workload.name,
                 .title = input.title,
                 .hash = hash_text(simulation.hash),
                 .version = kVersion,
                 .command = command,
                 .notes = input.notes,
                 .wall_s = wall_s,
                 .bound_demand = simulation.bounds.demand,
                 .bound_saturation = simulation.bounds.saturation,
                 .pool_cards = static_cast<double>(workload.cards()),
                 .nodes = static_cast<std::int64_t>(workload.pool.nodes.size()),
                 .jobs = static_cast<std::int64_t>(workload.jobs.size()),
                 .window_start_days = static_cast<double>(workload.warmup_ms) / kMsPerDay,
                 .window_end_days = static_cast<double>(workload.horizon_ms) / kMsPerDay};
  if (steps.p99_us > 0) {
    out.step_us_p50 = steps.p50_us;
    out.step_us_p99 = steps.p99_us;
  }
  const auto window_ms = static_cast<double>(workload.horizon_ms - workload.warmup_ms);
  for (std::size_t i = 0; i < simulation.runs.size(); ++i) {
    const PolicyRun& run = simulation.runs[i];
    out.grid_step_ms = run.meter.step_ms();
    out.policies.push_back(policy_of(run, simulation.policies[i], out.pool_cards, window_ms));
  }
  for (const RotationResult& rotation : simulation.rotations) {
    out.rotations.push_back({.shift_days = static_cast<double>(rotation.shift_ms) / kMsPerDay,
                             .useful_share = rotation.useful,
                             .wait_mean_s = rotation.wait_mean_s});
  }
  return out;
}

}  // namespace weir::cli
