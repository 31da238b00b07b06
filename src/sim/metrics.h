// Figures of one policy as evaluation.md 3.3 defines them. Shares are fractions
// of one, times seconds. Everything is measured in the window (day 1 to the
// horizon), but waits, ends and deadlines, which count every job; what did not
// start or end counts up to the horizon.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/outcome.h"
#include "sim/workload.h"

namespace weir {

struct ClassMetrics {
  std::string label;
  std::int64_t jobs = 0;
  std::optional<double> wait_mean_s, wait_median_s, wait_p95_s, wait_p99_s;  // submission to first start
  std::optional<double> queueing_mean_s;                                     // every second in the queue
  std::optional<double> jct_mean_s;                                          // submission to end
  std::optional<double> worse_off_share;                                     // JCT > 1.1 x that of the baseline
};

struct PreemptionMetrics {
  std::int64_t requests = 0;  // for inference, one per claim, withdrawn ones left out
  std::int64_t yields = 0;
  std::int64_t at_boundary = 0;        // of the yields
  std::int64_t forced_stops = 0;       // runs that the scheduler stopped away from a boundary; no yields
  double at_boundary_share = 1;        // of yields and forced stops
  std::optional<double> success_120s;  // all cards free in time and no step lost; of requests
  std::optional<double> success_300s;
  std::int64_t lost_steps = 0;  // yields that resumed before their boundary
  std::map<YieldCause, std::int64_t> by_cause;
};

struct PolicyMetrics {
  std::string name;
  double allocated = 0;
  double useful = 0;
  double duty = 0;
  double carry_over = 0;  // work of the warm-up still undone at its end, beyond what no policy could avoid
  ClassMetrics all;
  std::vector<ClassMetrics> by_size;      // "1", "2-4", "8" (5 to 8), ">8"
  std::vector<ClassMetrics> by_duration;  // "<1 h", "1-8 h", ">=8 h"
  std::vector<ClassMetrics> by_tier;      // "1", "2", "3" of the trace
  PreemptionMetrics preemption;
  double lost_share_inference = 0;  // save and restore, of training's card time
  double lost_share_all = 0;
  double unmet_share = 0;
  std::vector<std::pair<std::string, double>> unmet_by_service;
  std::optional<double> deadlines_met_share;
};

// `baseline`: outcomes of pinned split backfill on the same workload; may be null.
[[nodiscard]] PolicyMetrics measure(const Workload& workload, const PolicyRun& run,
                                    const std::vector<JobOutcome>* baseline);

// Upper bounds of the useful share (3.4). `demand` is what would be useful if
// every job ran from its submission; carry-over is added by who compares.
struct Bounds {
  double demand = 0;
  double saturation = 0;
};
[[nodiscard]] Bounds bounds_of(const Workload& workload);

// Linear interpolation between the ranks around `share`; values are sorted, not empty.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double share);
[[nodiscard]] double median_of(std::vector<double> values);  // not empty

}  // namespace weir
