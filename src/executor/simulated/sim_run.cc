#include "executor/simulated/sim_run.h"

#include <algorithm>
#include <utility>

namespace weir::simulated {

JobRecord make_job_record(const JobSpec& job, JobTruth truth) {
  JobRecord record{.ckpt = job.ckpt, .truth = std::move(truth), .workers = 0};
  bool found = false;
  for (const WorkerGroup& group : job.roles) {
    if (!job.done_when.empty() && group.role == job.done_when) {
      record.decide_first = record.workers;
      record.decide_last = record.workers + group.count;
      found = true;
    }
    record.workers += group.count;
  }
  if (!found) record.decide_last = record.workers;
  return record;
}

bool LiveRun::on(NodeId node) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].node == node && !left(i)) return true;
  }
  return false;
}

bool LiveRun::all_left() const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!left(i)) return false;
  }
  return true;
}

TimeMs worker_end(const JobRecord& job, const LiveRun& run, std::size_t index) {
  const std::vector<DurationMs>& own = job.truth.worker_run_ms;
  const DurationMs work = index < own.size() ? own[index] : job.truth.run_ms;
  return work >= kNever ? kNever : run.clock.instant_of(work - run.base_ms);
}

TimeMs run_end(const JobRecord& job, const LiveRun& run) {
  if (job.truth.worker_run_ms.empty()) return worker_end(job, run, 0);
  TimeMs last = -1;
  for (std::int32_t i = job.decide_first; i < job.decide_last; ++i) {
    const auto worker = static_cast<std::size_t>(i);
    const TimeMs end = worker_end(job, run, worker);
    if (end < kNever && !run.left(worker)) last = std::max(last, end);
  }
  return last < 0 ? kNever : last;
}

DurationMs committed_progress(const JobRecord& job, const LiveRun& run, TimeMs now_ms) {
  if (!run.writing) return run.base_ms + newest_checkpoint(run.clock, job.ckpt, now_ms);
  // The save of the yield is not complete yet: the one before it counts.
  if (job.ckpt.mode != CheckpointMode::interval) return run.base_ms;
  return run.base_ms + std::max<DurationMs>(0, run.boundary.work_ms - job.ckpt.interval_ms);
}

}  // namespace weir::simulated
