// The loop on a virtual clock: outside facts, the engine, the simulated executor
// and the auditor. What the simulator, the scenario runner, the property tests
// and the ETA all run on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "executor/simulated/simulated.h"
#include "model/model.h"

namespace weir {

// Sees every step, in order: metrics, checks, traces.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) = 0;
};

struct WorldOptions {
  SimulatedOptions executor;
  bool audit = true;         // check every invariant at every step
  bool time_steps = false;   // measure the wall time of each step
  bool keep_events = false;  // so that the engine can be restarted by replay
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();

  // An outside fact, at its own time (not before the present).
  void at(Event event);
  // Something that is done to the world at a time, before the events of that time.
  void at(TimeMs when_ms, std::function<void(World&)> action);

  void submit(const JobSpec& job, JobTruth truth);  // at job.submitted_ms
  void observe(StepObserver* observer);             // not owned

  void run_until(TimeMs until_ms);
  [[nodiscard]] TimeMs now_ms() const;

  [[nodiscard]] const State& state() const;
  [[nodiscard]] SimulatedExecutor& executor();

  // Throws the engine away and rebuilds it from the recorded steps (keep_events).
  // Returns false when the rebuilt state has another hash.
  [[nodiscard]] bool restart_engine();
  // While stopped no step is made; facts wait. (scheduler_stop / scheduler_start)
  void stop_engine();
  void start_engine();

  [[nodiscard]] const std::vector<std::string>& violations() const;  // what the auditor found
  [[nodiscard]] std::uint64_t decisions_hash() const;                // over all decisions so far
  [[nodiscard]] std::int64_t steps() const;
  [[nodiscard]] TimeMs longest_gap_ms() const;                      // between two steps
  [[nodiscard]] const std::vector<std::uint32_t>& step_ns() const;  // with time_steps

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
