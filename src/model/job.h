// Training work, as submitted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/shape.h"

namespace weir {

enum class CheckpointMode : std::uint8_t {
  none,       // must not be preempted
  interval,   // a boundary every interval of useful work, counted anew in each run
  on_demand,  // every moment is a boundary
};

enum class CheckpointScope : std::uint8_t { shared, node };  // node: resumes on that node only

struct CheckpointContract {
  CheckpointMode mode = CheckpointMode::none;
  DurationMs interval_ms = 0;  // interval mode: > 0
  DurationMs write_ms = 0;     // the save of a yield; cards are held that long after the boundary
  DurationMs restart_ms = 0;   // from start to useful work, at every start but the first
  CheckpointScope scope = CheckpointScope::shared;
  bool operator==(const CheckpointContract&) const = default;
};

// A size the job can run at, from smallest to largest. Speed 1000 = the speed
// in which `run` and checkpoint intervals are measured.
struct ElasticShape {
  std::int32_t gpus = 0;
  std::int32_t speed_milli = 1000;
  bool operator==(const ElasticShape&) const = default;
};

// Where one worker of the first run is put, to set a stage.
struct FirstPlace {
  std::string node;
  std::uint64_t cards = 0;  // bit mask; 0 = free choice on the node
  bool operator==(const FirstPlace&) const = default;
};

enum class GangScope : std::uint8_t { any, group, rack, island };

struct JobSpec {
  JobId id;
  std::string name;
  std::string team;
  std::string user;
  std::string type;  // task type: names a profile and the history of run times
  std::string tier;  // a training tier; empty = the normal one

  std::vector<WorkerGroup> roles;      // at least one group
  std::vector<ElasticShape> elastic;   // empty = rigid
  std::int32_t min_workers = 0;        // may run with so many; 0 = all of them
  bool one_per_node = false;
  GangScope within = GangScope::any;
  std::string done_when;               // role whose end ends the job; empty = all workers

  std::vector<std::string> models;     // allowed GPU models; empty = any
  bool models_in_order = false;        // `models` is an order of wish

  TimeMs submitted_ms = 0;
  TimeMs deadline_ms = kNever;
  DurationMs declared_run_ms = 0;      // 0 = not declared
  DurationMs limit_ms = 0;             // enforced; 0 = none. Counts as declared run time
  CheckpointContract ckpt;
  std::int32_t max_retries = 3;        // failures of its own that the job may have
  std::int32_t max_timeouts = 0;       // limits reached that the job may have and still start again

  std::string first_node;              // where the first run is put (stage setting, --node)
  std::uint64_t first_cards = 0;       // with first_node: these cards; 0 = free choice
  std::vector<FirstPlace> first_places;  // the same per worker (roles in order); not empty: replaces first_node
  std::vector<JobId> after;            // starts only once these have ended; named later than this job: no matter
  bool operator==(const JobSpec&) const = default;
};

enum class JobState : std::uint8_t {
  waiting,    // in the queue
  running,    // has a current run
  backoff,    // failed by itself, waits before the next try
  held,       // waits for a person
  succeeded,
  failed,
  cancelled,
  rejected,
};

[[nodiscard]] constexpr bool ended(JobState s) {
  return s == JobState::succeeded || s == JobState::failed || s == JobState::cancelled || s == JobState::rejected;
}

}  // namespace weir
