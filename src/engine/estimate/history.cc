#include "engine/estimate/history.h"

#include <algorithm>

#include "engine/apply/bounds.h"
#include "engine/state.h"

namespace weir::engine {

namespace {

constexpr std::size_t kKept = 256;
constexpr std::size_t kEnough = 5;

// Work of a job until now: its checkpoint, or what its run must have done.
DurationMs progress_of(const Pool& pool, const JobRec& job) {
  const RunRec* run = run_of(pool, job.run);
  return run == nullptr ? job.progress_ms : run->resume_ms + work_done(*run, pool.now_ms);
}

}  // namespace

Index history_of(Pool& pool, const JobSpec& job, std::int64_t milli) {
  const std::string key = job.team + '\n' + job.type + '\n' + std::to_string(milli);
  const auto it = pool.history.index.find(key);
  if (it != pool.history.index.end()) return it->second;
  const auto index = static_cast<Index>(pool.history.kinds.size());
  pool.history.kinds.emplace_back();
  pool.history.index.emplace(key, index);
  return index;
}

void note_run_time(Pool& pool, Index history, DurationMs run_ms) {
  RunTimes& times = pool.history.kinds[history];
  const auto at = std::upper_bound(times.sorted.begin(), times.sorted.end(), run_ms);
  times.sorted.insert(at, run_ms);
  if (times.ring.size() < kKept) {
    times.ring.push_back(run_ms);
    return;
  }
  DurationMs& oldest = times.ring[times.next];
  times.sorted.erase(std::lower_bound(times.sorted.begin(), times.sorted.end(), oldest));
  oldest = run_ms;
  times.next = (times.next + 1) % kKept;
}

DurationMs p90_beyond(const Pool& pool, Index history, DurationMs done_ms) {
  const std::vector<DurationMs>& sorted = pool.history.kinds[history].sorted;
  if (sorted.size() < kEnough) return -1;
  const auto from = std::upper_bound(sorted.begin(), sorted.end(), done_ms);
  const auto left = sorted.end() - from;
  if (left == 0) return -1;
  return *(from + left * 9 / 10 - (left * 9 % 10 == 0 && left >= 10 ? 1 : 0));
}

DurationMs work_done(const RunRec& run, TimeMs now_ms) {
  if (now_ms <= run.work_from_ms) return 0;
  return product(std::min(now_ms - run.work_from_ms, kLongest), run.speed_milli) / 1000;
}

DurationMs remaining_of(const Pool& pool, const JobRec& job) {
  const DurationMs done = progress_of(pool, job);
  if (job.remaining_ms >= 0) return std::max<DurationMs>(0, job.remaining_ms - (done - job.remaining_at_ms));
  DurationMs declared = job.spec.declared_run_ms;
  if (declared == 0) declared = job.spec.limit_ms;
  if (declared > 0) return std::max<DurationMs>(0, declared - done);
  const DurationMs p90 = p90_beyond(pool, job.history, done);
  return p90 < 0 ? -1 : p90 - done;
}

TimeMs promised_end(const Pool& pool, const RunRec& run) {
  if (run.limit_end_ms < kNever) return run.limit_end_ms;
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr) return kNever;
  const DurationMs age = pool.now_ms - run.start_ms;
  const DurationMs p90 = p90_beyond(pool, job->history, 0);
  if (p90 < 0) return kNever;
  const DurationMs left = std::max<DurationMs>(0, p90 - run.resume_ms) * 1000 / std::max(1, run.speed_milli);
  return run.start_ms + std::max(left, 2 * age);
}

}  // namespace weir::engine
