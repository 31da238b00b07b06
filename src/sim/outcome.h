// What a policy did with a workload: the raw record that metrics are made of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/claim.h"
#include "sim/meter.h"

namespace weir {

struct JobOutcome {
  TimeMs first_start_ms = -1;            // -1: never
  TimeMs end_ms = -1;                    // -1: not inside the horizon
  DurationMs queued_ms = 0;              // every time in the queue, up to the horizon
  DurationMs done_before_window_ms = 0;  // useful work before the measured window
  std::int32_t yields = 0;
};

struct ServiceOutcome {
  std::string name;
  double unmet = 0;  // card-ms in the window
  double demand = 0;
};

// One run that was asked to yield and left.
struct YieldOutcome {
  TimeMs asked_ms = 0;
  TimeMs free_ms = 0;
  YieldCause cause = YieldCause::claim;
  bool for_inference = false;
  bool at_boundary = true;
  bool lost_steps = false;  // resumed before its boundary
};

// One claim made for inference that asked runs to yield, and was not withdrawn.
struct RequestOutcome {
  TimeMs made_ms = 0;
  TimeMs all_free_ms = kNever;  // the last of its cards was free
  bool lost_work = false;       // a victim resumed before its boundary
};

struct PolicyRun {
  std::string name;
  std::vector<JobOutcome> jobs;  // as in the workload
  Meter meter;
  std::vector<ServiceOutcome> services;
  std::vector<RequestOutcome> requests;
  std::vector<YieldOutcome> yields;
  std::vector<TimeMs> forced_stops;  // exits of runs that the scheduler stopped away from a boundary
  double lost_inference = 0;         // card-ms of save and restore, by yields for inference
  double lost_all = 0;
  std::int64_t promotions = 0;

  // The engine itself; zero for policies without one.
  std::uint64_t hash = 0;
  std::int64_t steps = 0;
  std::vector<std::uint32_t> step_ns;
  std::vector<std::string> violations;
};

}  // namespace weir
