// Pools and work for the benchmarks, fed to step() directly: what is measured is
// the engine, not a simulator around it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/model.h"

namespace weir::bench {

// A state with what a caller needs to keep it going: the clock, the next ids and
// the runs that the engine has started and nobody has ended yet. A run that is asked to
// yield leaves after its boundary and the save.
class Pool {
 public:
  // `nodes` nodes of 8 cards, tiers of 40 and 20, no guard: every card is training's.
  explicit Pool(std::int32_t nodes);
  // The nodes as given; ids are set here, from 0.
  explicit Pool(std::vector<NodeSpec> nodes);

  // One step at now + `after_ms`. Its starts are kept in running().
  StepResult advance(DurationMs after_ms, std::vector<event::Body> facts);

  // A preemptible gang of `workers` x `cards`, checkpoints every ten minutes.
  [[nodiscard]] JobSpec job(std::int32_t workers, std::int32_t cards, const std::string& tier = "train_normal");

  [[nodiscard]] const std::vector<RunId>& running() const { return running_; }
  // Takes a run out of running(); `index` is any place in it.
  RunId take_running(std::size_t index);

  // Wall time of the last step, and of all steps so far.
  [[nodiscard]] std::int64_t last_step_ns() const { return last_step_ns_; }
  [[nodiscard]] std::int64_t all_steps_ns() const { return all_steps_ns_; }
  [[nodiscard]] const State& state() const { return state_; }

 private:
  void leave_at_boundaries(std::vector<event::Body>& facts);

  struct Work {
    TimeMs from_ms = 0;
    DurationMs before_ms = 0;
  };
  State state_;
  std::map<RunId, TimeMs> asked_;  // boundary at which it is to yield
  std::map<RunId, Work> work_;
  TimeMs now_ms_ = 0;
  std::uint32_t next_job_ = 0;
  std::vector<RunId> running_;
  std::int64_t last_step_ns_ = 0;
  std::int64_t all_steps_ns_ = 0;
};

// A plain mix of gang sizes: of ten jobs six take one card, the others 2, 4, 8 and two nodes.
[[nodiscard]] JobSpec mixed_job(Pool& pool, std::uint64_t draw);

// The value below which `permille` of the values lie. Requires: not empty.
[[nodiscard]] std::int64_t quantile(std::vector<std::int64_t> values, std::int64_t permille);

}  // namespace weir::bench
