// Policies side by side on one workload.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/metrics.h"
#include "sim/outcome.h"
#include "sim/workload.h"

namespace weir {

struct SimulateOptions {
  bool split_fifo = true;
  bool split_backfill = true;
  bool weir = true;
  bool rotations = false;  // Weir again on the workload shifted by 2, 4, ... 12 days
  bool audit = true;
  std::function<void(const std::string& what, TimeMs now_ms)> progress;  // may be empty
};

struct RotationResult {
  DurationMs shift_ms = 0;
  double useful = 0;
  std::optional<double> wait_mean_s;
};

struct Simulation {
  std::vector<PolicyRun> runs;          // in the order split-fifo, split-backfill, weir
  std::vector<PolicyMetrics> policies;  // the same order
  Bounds bounds;                        // demand: with the carry-over of the last policy
  std::vector<RotationResult> rotations;
  std::uint64_t hash = 0;               // of everything that was decided
  std::vector<std::string> violations;  // found by the auditor, all runs of Weir together
};

inline constexpr int kRotations = 7;
inline constexpr DurationMs kRotationStep = 2 * kDay;

[[nodiscard]] Simulation simulate(const Workload& workload, const SimulateOptions& options);

}  // namespace weir
