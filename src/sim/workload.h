// What a simulation plays: a pool, the jobs and the load of its services, and
// how a split of the same pool would be cut (evaluation.md 3.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"
#include "trace/trace.h"

namespace weir {

struct Workload {
  std::string name;
  std::vector<TraceJob> jobs;       // by submission; index = JobId
  LoadCurve load;                   // may have no services: training only
  std::int64_t kappa_milli = 1000;  // cards of work per unit of the curve, in thousandths
  PoolConfig pool;
  DurationMs horizon_ms = 14 * kDay;  // the simulation ends here
  DurationMs warmup_ms = kDay;        // shares are measured from here to the horizon

  // Contract of every job; the interval is the trace's own, else ckpt_default_ms.
  DurationMs ckpt_default_ms = 10 * kMinute;
  DurationMs write_ms = 30 * kSecond;
  DurationMs restart_ms = 60 * kSecond;
  bool on_demand = false;  // every moment is a boundary

  // The split that Weir is compared with.
  std::int64_t split_inference_cards = 0;  // pinned to inference, whole nodes from the lowest
  std::int32_t split_scan_jobs = 200;      // backfill looks at so many queued jobs

  [[nodiscard]] std::int64_t cards() const;          // of all nodes
  [[nodiscard]] std::int32_t cards_of_node() const;  // of the largest node
};

// Submissions moved by `shift` round the horizon, deadlines with them, load not.
[[nodiscard]] Workload rotated(const Workload& workload, DurationMs shift_ms);

// Every job twice, the copy moved by `shift` round the horizon.
[[nodiscard]] Workload doubled(const Workload& workload, DurationMs shift_ms);

[[nodiscard]] CheckpointContract contract_of(const Workload& workload, std::uint32_t index);

// The job as it is submitted to the engine: nothing of it says how long it runs.
[[nodiscard]] JobSpec job_spec(const Workload& workload, std::uint32_t index);

// The services of the load: as the pool file declares them, else one card, guard
// 1 and no more than the pool. ServiceId = index of the curve's column.
[[nodiscard]] std::vector<ServiceSpec> services_of(const Workload& workload);

// Cards that a split sized for each service's own peak with a tenth to spare
// pins to inference, rounded up to whole nodes; leaves at least one node.
[[nodiscard]] std::int64_t split_for_peak(const Workload& workload);

}  // namespace weir
