// A small comparison with round numbers, for tests.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "report/report.h"

namespace weir::report {

inline ReportClass sample_class(std::string label, std::int64_t jobs, double wait_s) {
  ReportClass row;
  row.label = std::move(label);
  row.jobs = jobs;
  row.wait_mean_s = wait_s;
  row.wait_median_s = wait_s / 2;
  row.wait_p95_s = wait_s * 4;
  row.wait_p99_s = wait_s * 8;
  row.queueing_mean_s = wait_s * 2;
  row.jct_mean_s = wait_s + 3600;
  return row;
}

inline ReportPolicy sample_policy(std::string name, double useful, double wait_s, std::size_t slots) {
  ReportPolicy policy;
  policy.name = std::move(name);
  policy.useful_share = useful;
  policy.allocated_share = useful + 0.25;
  policy.all = sample_class("", 100, wait_s);
  policy.by_size = {sample_class("1", 90, wait_s), sample_class("8", 10, wait_s * 3), sample_class(">8", 0, 0)};
  policy.by_duration = {sample_class("<1 h", 70, wait_s), sample_class(">=8 h", 30, wait_s)};
  policy.by_tier = {sample_class("train_normal", 100, wait_s)};
  policy.unmet_share = 0.00003;
  policy.services = {{"chat", 2.5, 0.00003}};
  auto& series = policy.series;
  series.training_useful.assign(slots, 8 * useful);
  series.training_overhead.assign(slots, 0.5);
  series.inference_served.assign(slots, 1);
  series.inference_held.assign(slots, 1);
  series.idle.assign(slots, 8 - 8 * useful - 2.5);
  series.demand.assign(slots, 1);
  series.ready.assign(slots, 2);
  series.guard.assign(slots, 1);
  series.queue_jobs.assign(slots, 12);
  return policy;
}

// 8 cards, two days by the hour, a split baseline and Weir.
inline ReportData sample_report() {
  constexpr std::size_t kSlots = 48;
  ReportData data;
  data.scenario = "tiny";
  data.title = "Two days on one node.";
  data.hash = "00c0ffee00c0ffee";
  data.version = "0.1.0";
  data.command = "weir simulate --scenario tiny";
  data.notes = {"Made for tests."};
  data.wall_s = 1.25;
  data.step_us_p50 = 5;
  data.step_us_p99 = 80.5;
  data.bound_demand = 0.7;
  data.bound_saturation = 0.9;
  data.pool_cards = 8;
  data.nodes = 1;
  data.jobs = 100;
  data.window_start_days = 1;
  data.window_end_days = 3;
  data.grid_start_ms = kDay;
  data.policies = {sample_policy("split-backfill", 0.375, 147720, kSlots), sample_policy("weir", 0.625, 3248, kSlots)};
  auto& weir = data.policies.back();
  weir.preemption = {.requests = 4,
                     .at_boundary = 5,
                     .success_120s = 0.75,
                     .success_300s = 1.0,
                     .lost_steps = 0,
                     .yields = {{YieldCause::claim, 4}, {YieldCause::rotation, 2}},
                     .falls = {}};
  weir.preemption.falls = {{kDay + kHour, 45, YieldCause::claim, true, true},
                           {kDay + 2 * kHour, 700, YieldCause::rotation, false, true},
                           {2 * kDay, 5000, YieldCause::claim, false, false}};
  weir.deadlines_met_share = 0.96;
  weir.worse_off_share_all = 0.006;
  weir.lost_share_all = 0.0055;
  weir.lost_share_inference = 0.0005;
  return data;
}

// Everything that a broken measurement could hand over.
inline ReportData hostile_report() {
  auto data = sample_report();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  data.bound_demand = nan;
  data.wall_s = inf;
  data.step_us_p50 = -inf;
  data.window_start_days = nan;
  data.rotations = {{nan, nan, inf}, {1e300, -1e300, 1e300}};
  auto& first = data.policies.front();
  first.useful_share = nan;
  first.all.wait_mean_s = inf;
  first.all.wait_median_s = -1e300;
  first.by_size = {};
  first.by_tier.push_back(sample_class("other", 3, nan));
  first.series.training_useful = {nan, inf, -5, 1e300};
  first.series.idle = {};
  first.series.queue_jobs = {1e300};
  auto& last = data.policies.back();
  last.preemption.requests = -3;
  last.preemption.falls.push_back({-kDay * 1000, nan, YieldCause::claim, true, true});
  last.preemption.falls.push_back({kNever, inf, YieldCause::claim, true, true});
  return data;
}

}  // namespace weir::report
