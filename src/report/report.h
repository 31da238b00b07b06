// The report: what a simulation measured, as a table and a chart for the
// terminal and as one HTML file that needs no network.
//
// Whoever measured fills a ReportData; every function here is pure, never fails
// and prints what it was given. A number that was not measured is an empty
// optional or an empty vector and is shown as a dash or left out: it is never
// shown as zero. Shares are fractions of one, times are seconds unless the name
// says otherwise, amounts of cards are means over a slot of the grid.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/claim.h"

namespace weir {

// Waits and ends of one class of jobs. Wait: submission to first start;
// queueing: every second in the queue; jct: submission to end. Jobs that did
// not start or end count up to the horizon.
struct ReportClass {
  std::string label;  // "1", "2-4", "8", ">8"; "<1 h", "1-8 h", ">=8 h"; name of a tier
  std::int64_t jobs = 0;
  std::optional<double> wait_mean_s;
  std::optional<double> wait_median_s;
  std::optional<double> wait_p95_s;
  std::optional<double> wait_p99_s;
  std::optional<double> queueing_mean_s;
  std::optional<double> jct_mean_s;
  std::optional<double> worse_off_share;  // empty for the policy that others are compared with
};

// One service's part of the load that was not served.
struct ReportService {
  std::string name;
  double demand_mean_cards = 0;       // mean of D
  std::optional<double> unmet_share;  // integral of max(0, D - ready) / integral of D
};

// One preemption: a run that was asked to yield and left.
struct ReportFall {
  TimeMs at_ms = 0;         // of the request, since the start of the trace
  double free_after_s = 0;  // from the request to the free cards
  YieldCause cause = YieldCause::claim;
  bool for_inference = false;
  bool at_boundary = true;
};

struct ReportPreemption {
  std::int64_t requests = 0;           // made for inference: one per claim, withdrawn ones left out
  std::int64_t at_boundary = 0;        // yields that left at a boundary, of all yields
  std::int64_t forced_stops = 0;       // runs that the scheduler stopped away from a boundary; no yields
  std::optional<double> success_120s;  // of requests; empty when there were none
  std::optional<double> success_300s;
  std::int64_t lost_steps = 0;  // yields that resumed before their boundary
  std::map<YieldCause, std::int64_t> yields;
  std::vector<ReportFall> falls;  // every yield, in order of request; may be empty
};

// Use over time: slot i covers [start + i x step, start + (i + 1) x step).
// Vectors are as long as the grid, or empty when not measured.
struct ReportSeries {
  // How the pool's cards were used; the five add up to the pool.
  std::vector<double> training_useful;    // progress that was kept
  std::vector<double> training_overhead;  // saving, restoring, work done again
  std::vector<double> inference_served;   // work served
  std::vector<double> inference_held;     // held by inference and not serving: margin, loading, draining
  std::vector<double> idle;               // free, or kept for somebody

  std::vector<double> demand;       // D: cards a perfectly busy service would need
  std::vector<double> need;         // cards of the replicas aimed at
  std::vector<double> ready;        // cards of replicas that serve
  std::vector<double> guard;        // the guard line
  std::vector<double> unusable;     // free cards that cannot take the shapes lately asked for
  std::vector<double> queue_jobs;   // waiting jobs
  std::vector<double> queue_cards;  // cards that they ask for
};

struct ReportPolicy {
  std::string name;  // "split-fifo", "split-backfill", "weir"
  std::optional<double> allocated_share;
  std::optional<double> useful_share;
  std::optional<double> duty_share;
  ReportClass all;                   // label unused
  std::vector<ReportClass> by_size;  // same labels, same order in every policy
  std::vector<ReportClass> by_duration;
  std::vector<ReportClass> by_tier;
  ReportPreemption preemption;
  std::optional<double> lost_share_inference;  // of training GPU time, by yields for inference
  std::optional<double> lost_share_all;
  std::optional<double> unmet_share;
  std::vector<ReportService> services;
  std::optional<double> deadlines_met_share;
  std::optional<double> worse_off_share_all;
  std::optional<double> worse_off_share_over8h;
  ReportSeries series;
};

// The same workload with submissions shifted round the trace.
struct ReportRotation {
  double shift_days = 0;
  std::optional<double> useful_share;
  std::optional<double> wait_mean_s;
};

struct ReportData {
  std::string scenario;               // "r64-b"
  std::string title;                  // one plain line: what this workload is; may be empty
  std::string hash;                   // of all decisions
  std::string version;                // of weir; may be empty
  std::string command;                // the command that makes this report again
  std::vector<std::string> notes;     // what a reader has to know: inputs, costs, licences
  double wall_s = 0;                  // the whole simulation
  std::optional<double> step_us_p50;  // wall time of one engine step
  std::optional<double> step_us_p99;
  std::optional<double> bound_demand;  // upper bounds of the useful share
  std::optional<double> bound_saturation;
  double pool_cards = 0;
  std::int64_t nodes = 0;
  std::int64_t jobs = 0;
  double window_start_days = 0;  // what was measured, of the trace
  double window_end_days = 0;
  DurationMs grid_start_ms = 0;  // of the series, since the start of the trace
  DurationMs grid_step_ms = kHour;
  std::vector<ReportPolicy> policies;     // shown in this order
  std::vector<ReportRotation> rotations;  // of the last policy; empty when not run
};

struct TerminalOptions {
  bool colour = false;  // escape sequences; off for NO_COLOR, files and pipes
  bool unicode = true;  // false: plain ASCII
  int width = 100;      // columns; at least 60 is used
};

// The policies side by side, with the bounds. Ends with a newline.
[[nodiscard]] std::string comparison_table(const ReportData& data, const TerminalOptions& options);

// Use over time, one picture per policy above one axis of days. Empty when no
// policy has a series.
[[nodiscard]] std::string use_chart(const ReportData& data, const TerminalOptions& options);

// A whole page: styles, charts and script inside, nothing fetched, all text escaped.
[[nodiscard]] std::string html_report(const ReportData& data);

}  // namespace weir
