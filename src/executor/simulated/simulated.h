// The simulated executor: runs that make progress on a virtual clock, save at
// their boundaries and yield there exactly as engine.md 6.1 says.
//
// It knows what no scheduler knows (how long a job really runs, when a worker
// fails). It keeps its own future as a heap of events; the loop in sim/ takes
// those that are due.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/executor.h"

namespace weir {

// What is true of a job, whatever it declared.
struct JobTruth {
  DurationMs run_ms = 0;                  // useful work at speed 1000
  std::vector<DurationMs> worker_run_ms;  // per worker (roles in order); kNever = endless; empty = all run_ms
  std::int32_t fails_at_launch = 0;       // so many first launches fail at once; negative = always
};

struct SimulatedOptions {
  bool report_checkpoints = true;  // CheckpointCommitted at every boundary; off for long traces without failures
  DurationMs exit_ms = 0;          // from the end of a save to the proof that the cards are empty
};

class SimulatedExecutor final : public Executor {
 public:
  explicit SimulatedExecutor(SimulatedOptions options);
  ~SimulatedExecutor() override;

  // Before the job is submitted.
  void know(const JobSpec& job, JobTruth truth);
  void know(const ServiceSpec& service);

  void carry_out(std::span<const Decision> decisions, TimeMs now_ms) override;

  // Instant of the earliest event that will happen by itself; kNever = none.
  [[nodiscard]] TimeMs next_event_ms() const;
  // Removes and returns all events up to and including `until_ms`, in order.
  [[nodiscard]] std::vector<Event> take_events(TimeMs until_ms);

  // Faults. Returned events belong to the present instant.
  void node_lost(NodeId node, TimeMs now_ms);         // processes die; no exit is reported by them
  void node_partitioned(NodeId node, TimeMs now_ms);  // processes live on, nothing is heard of them
  void node_healed(NodeId node, TimeMs now_ms);       // heard again: reports what still runs
  void worker_failed(JobId job, std::int32_t worker, TimeMs now_ms);
  void worker_done(JobId job, std::int32_t worker, TimeMs now_ms);
  void run_exits(JobId job, bool success, TimeMs now_ms);  // a process that ends by itself
  void replica_fails(ReplicaId replica, TimeMs now_ms);

  // --- for checks and metrics: what really runs ---
  struct LiveRun {
    RunId run;
    JobId job;
    std::int32_t incarnation = 0;
    DurationMs progress_ms = 0;     // useful work done so far, over all runs, at `now`
    bool writing = false;           // inside the save of a yield
    std::vector<Placement> places;  // of live workers
  };
  [[nodiscard]] std::vector<LiveRun> live_runs(TimeMs now_ms) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
