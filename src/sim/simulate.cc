#include "sim/simulate.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "sim/baseline.h"
#include "sim/weir_run.h"

namespace weir {

namespace {

[[nodiscard]] WeirOptions weir_options(const SimulateOptions& options, std::string what, bool series) {
  WeirOptions out{.audit = options.audit, .series = series, .progress = {}};
  if (options.progress) {
    out.progress = [&options, what = std::move(what)](TimeMs now_ms) { options.progress(what, now_ms); };
  }
  return out;
}

void rotate(const Workload& workload, const SimulateOptions& options, Simulation& out, Hasher& hash) {
  for (int i = 0; i < kRotations; ++i) {
    const DurationMs shift = i * kRotationStep;
    if (i == 0 && options.weir) {
      out.rotations.push_back({0, out.policies.back().useful, out.policies.back().all.wait_mean_s});
      continue;
    }
    const Workload variant = rotated(workload, shift);
    const std::string what = "weir, shifted " + std::to_string(shift / kDay) + " days";
    PolicyRun run = run_weir(variant, weir_options(options, what, false));
    const PolicyMetrics metrics = measure(variant, run, nullptr);
    out.rotations.push_back({shift, metrics.useful, metrics.all.wait_mean_s});
    hash.add(run.hash);
    out.violations.insert(out.violations.end(), run.violations.begin(), run.violations.end());
  }
}

}  // namespace

Simulation simulate(const Workload& workload, const SimulateOptions& options) {
  Simulation out{.bounds = bounds_of(workload)};
  // Everyone is compared with it, also when it is not shown.
  PolicyRun backfill = run_split(workload, SplitOrder::backfill);
  const std::vector<JobOutcome> reference = backfill.jobs;
  if (options.split_fifo) out.runs.push_back(run_split(workload, SplitOrder::fifo));
  if (options.split_backfill) out.runs.push_back(std::move(backfill));
  if (options.weir) out.runs.push_back(run_weir(workload, weir_options(options, "weir", true)));
  Hasher hash;
  for (const PolicyRun& run : out.runs) {
    const bool is_reference = run.name == "split-backfill";
    out.policies.push_back(measure(workload, run, is_reference ? nullptr : &reference));
    hash.add(run.hash);
    out.violations.insert(out.violations.end(), run.violations.begin(), run.violations.end());
  }
  if (options.rotations && !workload.jobs.empty()) rotate(workload, options, out, hash);
  if (!out.policies.empty()) out.bounds.demand = std::min(1.0, out.bounds.demand + out.policies.back().carry_over);
  out.hash = hash.value();
  return out;
}

}  // namespace weir
