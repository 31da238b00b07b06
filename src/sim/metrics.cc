#include "sim/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/demand.h"

namespace weir {

namespace {

constexpr double kDutyOfTraining = 0.47;  // Philly's mean GPU duty
constexpr double kWorseOff = 1.1;
constexpr std::int64_t kRhoPermille = 700;
constexpr double kMsPerSecond = 1000.0;

[[nodiscard]] DurationMs overlap(TimeMs a_from, TimeMs a_until, TimeMs b_from, TimeMs b_until) {
  return std::max<DurationMs>(0, std::min(a_until, b_until) - std::max(a_from, b_from));
}

struct Times {
  double wait_s = 0;
  double queued_s = 0;
  double jct_s = 0;
};

[[nodiscard]] Times times_of(const Workload& workload, const JobOutcome& outcome, std::size_t job) {
  const TimeMs submit = workload.jobs[job].submit_ms;
  const auto until = [&](TimeMs t) {
    return static_cast<double>((t < 0 ? workload.horizon_ms : t) - submit) / kMsPerSecond;
  };
  return {until(outcome.first_start_ms), static_cast<double>(outcome.queued_ms) / kMsPerSecond, until(outcome.end_ms)};
}

using Picks = std::function<bool(const TraceJob&)>;

[[nodiscard]] ClassMetrics measure_class(const Workload& workload, const PolicyRun& run,
                                         const std::vector<JobOutcome>* baseline, std::string label,
                                         const Picks& picks) {
  ClassMetrics out{.label = std::move(label)};
  std::vector<double> waits;
  double queued = 0;
  double jct = 0;
  std::int64_t worse = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    if (!picks(workload.jobs[i])) continue;
    const Times t = times_of(workload, run.jobs[i], i);
    waits.push_back(t.wait_s);
    queued += t.queued_s;
    jct += t.jct_s;
    if (baseline != nullptr && t.jct_s > kWorseOff * times_of(workload, (*baseline)[i], i).jct_s) ++worse;
  }
  out.jobs = static_cast<std::int64_t>(waits.size());
  if (waits.empty()) return out;
  const auto count = static_cast<double>(waits.size());
  std::sort(waits.begin(), waits.end());
  double sum = 0;
  for (const double wait : waits) sum += wait;
  out.wait_mean_s = sum / count;
  out.wait_median_s = quantile(waits, 0.5);
  out.wait_p95_s = quantile(waits, 0.95);
  out.wait_p99_s = quantile(waits, 0.99);
  out.queueing_mean_s = queued / count;
  out.jct_mean_s = jct / count;
  if (baseline != nullptr) out.worse_off_share = static_cast<double>(worse) / count;
  return out;
}

void measure_classes(const Workload& workload, const PolicyRun& run, const std::vector<JobOutcome>* baseline,
                     PolicyMetrics& out) {
  const auto one = [&](std::string label, const Picks& picks) {
    return measure_class(workload, run, baseline, std::move(label), picks);
  };
  const auto size = [](std::int32_t low, std::int32_t high) {
    return [=](const TraceJob& job) { return job.gpus >= low && job.gpus <= high; };
  };
  const auto length = [](DurationMs low, DurationMs high) {
    return [=](const TraceJob& job) { return job.duration_ms >= low && job.duration_ms < high; };
  };
  const auto tier = [](std::int32_t which) { return [=](const TraceJob& job) { return job.tier == which; }; };
  out.all = one("all", [](const TraceJob&) { return true; });
  out.by_size = {one("1", size(1, 1)), one("2-4", size(2, 4)), one("8", size(5, 8)), one(">8", size(9, INT32_MAX))};
  out.by_duration = {one("<1 h", length(0, kHour)), one("1-8 h", length(kHour, 8 * kHour)),
                     one(">=8 h", length(8 * kHour, kNever))};
  out.by_tier = {one("1", tier(1)), one("2", tier(2)), one("3", tier(3))};
}

[[nodiscard]] std::optional<double> deadlines_met(const Workload& workload, const PolicyRun& run) {
  std::int64_t asked = 0;
  std::int64_t met = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    if (job.tier != 1 || job.deadline_ms > workload.horizon_ms) continue;
    ++asked;
    if (run.jobs[i].end_ms >= 0 && run.jobs[i].end_ms <= job.deadline_ms) ++met;
  }
  if (asked == 0) return std::nullopt;
  return static_cast<double>(met) / static_cast<double>(asked);
}

void measure_requests(const PolicyRun& run, PreemptionMetrics& out) {
  std::int64_t in_120s = 0;
  std::int64_t in_300s = 0;
  for (const RequestOutcome& request : run.requests) {
    if (!run.meter.in_window(request.made_ms)) continue;
    ++out.requests;
    const DurationMs took = request.all_free_ms - request.made_ms;
    if (took <= 120 * kSecond && !request.lost_work) ++in_120s;
    if (took <= 300 * kSecond && !request.lost_work) ++in_300s;
  }
  if (out.requests == 0) return;
  out.success_120s = static_cast<double>(in_120s) / static_cast<double>(out.requests);
  out.success_300s = static_cast<double>(in_300s) / static_cast<double>(out.requests);
}

[[nodiscard]] PreemptionMetrics preemptions(const PolicyRun& run) {
  PreemptionMetrics out;
  measure_requests(run, out);
  for (const YieldOutcome& yield : run.yields) {
    if (!run.meter.in_window(yield.asked_ms)) continue;
    ++out.yields;
    ++out.by_cause[yield.cause];
    if (yield.at_boundary) ++out.at_boundary;
    if (yield.lost_steps) ++out.lost_steps;
  }
  for (const TimeMs stopped_ms : run.forced_stops) out.forced_stops += run.meter.in_window(stopped_ms) ? 1 : 0;
  const std::int64_t all = out.yields + out.forced_stops;
  if (all > 0) out.at_boundary_share = static_cast<double>(out.at_boundary) / static_cast<double>(all);
  return out;
}

// Work of jobs submitted before the window that is still to be done when it
// opens, beyond the part that even a start at submission leaves.
[[nodiscard]] double carry_over(const Workload& workload, const PolicyRun& run) {
  const TimeMs from = run.meter.window_from_ms();
  const TimeMs until = run.meter.window_until_ms();
  double sum = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    if (job.submit_ms >= from) break;
    const DurationMs left = std::min(job.duration_ms - run.jobs[i].done_before_window_ms, until - from);
    const DurationMs anyway = overlap(job.submit_ms, job.submit_ms + job.duration_ms, from, until);
    sum += static_cast<double>(job.gpus) * static_cast<double>(std::max<DurationMs>(0, left - anyway));
  }
  return sum;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(rank));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (rank - static_cast<double>(low));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

PolicyMetrics measure(const Workload& workload, const PolicyRun& run, const std::vector<JobOutcome>* baseline) {
  PolicyMetrics out{.name = run.name};
  const Meter& meter = run.meter;
  const double whole = static_cast<double>(workload.cards()) * static_cast<double>(meter.window_ms());
  const double training = meter.total(Use::training_held);
  const double served = meter.total(Use::served);
  out.allocated = (training + meter.total(Use::inference_held)) / whole;
  out.useful = (meter.total(Use::training_useful) + served) / whole;
  out.duty = (training * kDutyOfTraining + served) / whole;
  out.carry_over = carry_over(workload, run) / whole;
  measure_classes(workload, run, baseline, out);
  out.preemption = preemptions(run);
  if (training > 0) {
    out.lost_share_inference = run.lost_inference / training;
    out.lost_share_all = run.lost_all / training;
  }
  if (meter.total(Use::demand) > 0) out.unmet_share = meter.total(Use::unmet) / meter.total(Use::demand);
  for (const ServiceOutcome& service : run.services) {
    out.unmet_by_service.emplace_back(service.name, service.demand > 0 ? service.unmet / service.demand : 0.0);
  }
  out.deadlines_met_share = deadlines_met(workload, run);
  return out;
}

Bounds bounds_of(const Workload& workload) {
  const TimeMs from = workload.warmup_ms;
  const TimeMs until = workload.horizon_ms;
  const double cards = static_cast<double>(workload.cards());
  const double length = static_cast<double>(until - from);
  const Demand demand(workload.load, workload.kappa_milli);
  double work = 0;
  double replicas = 0;
  for (std::size_t slot = 0; slot < demand.slots(); ++slot) {
    const auto inside = static_cast<double>(overlap(demand.slot_start(slot), demand.slot_end(slot), from, until));
    for (std::size_t s = 0; s < demand.services(); ++s) {
      const std::int64_t nano = demand.nano(s, slot);
      work += inside * static_cast<double>(nano) / static_cast<double>(kNanoPerCard);
      replicas += inside * static_cast<double>(replicas_for(nano, kRhoPermille));
    }
  }
  double training = 0;
  for (const TraceJob& job : workload.jobs) {
    training += job.gpus * static_cast<double>(overlap(job.submit_ms, job.submit_ms + job.duration_ms, from, until));
  }
  const double served = work / (cards * length);
  // A load above the pool leaves nothing to training.
  const double beside = std::max(0.0, 1.0 - replicas / (cards * length));
  return {served + training / (cards * length), std::min(1.0, served + beside)};
}

}  // namespace weir
