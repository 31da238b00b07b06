// The records of the simulated executor: jobs as they truly are, runs and
// replicas that live, and the heap of what will happen to them.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "executor/simulated/run_clock.h"
#include "executor/simulated/simulated.h"
#include "model/model.h"

namespace weir::simulated {

struct JobRecord {
  CheckpointContract ckpt;
  JobTruth truth;
  std::int32_t workers = 0;
  // Workers whose ends end the job: those of `done_when`, else all (first..last, last excluded).
  std::int32_t decide_first = 0;
  std::int32_t decide_last = 0;
};

[[nodiscard]] JobRecord make_job_record(const JobSpec& job, JobTruth truth);

struct LiveRun {
  RunId id;
  JobId job;
  std::int32_t incarnation = 1;
  RunClock clock;
  DurationMs base_ms = 0;         // useful work of earlier runs that it resumed from
  std::vector<Placement> places;  // one per worker
  std::vector<bool> gone;         // worker has left; empty = none has
  TimeMs end_ms = kNever;         // when it is done if nothing stops it
  std::uint32_t life = 0;         // entries of the heap made for an older life are void
  std::uint32_t asked = 0;        // the same for requests to yield
  Boundary boundary;              // with `writing`: where it stopped
  bool writing = false;
  bool broken = false;  // lost a worker with its node: does nothing until stopped

  [[nodiscard]] bool left(std::size_t worker) const { return worker < gone.size() && gone[worker]; }
  void leave(std::size_t worker) {
    gone.resize(places.size(), false);
    gone[worker] = true;
  }
  [[nodiscard]] bool on(NodeId node) const;  // a worker of it still lives there
  [[nodiscard]] bool all_left() const;
};

// When worker `index` finishes; kNever when it never does.
[[nodiscard]] TimeMs worker_end(const JobRecord& job, const LiveRun& run, std::size_t index);
// When the run is done: when the last of the workers that decide, and can end, has.
[[nodiscard]] TimeMs run_end(const JobRecord& job, const LiveRun& run);
// Progress in the newest complete checkpoint at `now`.
[[nodiscard]] DurationMs committed_progress(const JobRecord& job, const LiveRun& run, TimeMs now_ms);

struct LiveReplica {
  ReplicaId id;
  ServiceId service;
  NodeId node;
  std::uint32_t life = 0;
  bool ready = false;
};

enum class Due : std::uint8_t { run_end, worker_end, checkpoint, yield, yield_exit, replica_ready, replica_exit };

struct Entry {
  TimeMs at_ms = 0;
  std::uint64_t seq = 0;  // ties in the order they were made
  Due what = Due::run_end;
  std::uint32_t id = 0;  // run or replica
  std::uint32_t life = 0;
  std::int32_t worker = 0;
  [[nodiscard]] bool operator>(const Entry& o) const { return at_ms != o.at_ms ? at_ms > o.at_ms : seq > o.seq; }
};

using EntryHeap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

}  // namespace weir::simulated
