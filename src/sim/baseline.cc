#include "sim/baseline.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "base/hash.h"
#include "sim/split_nodes.h"

namespace weir {

namespace {

constexpr DurationMs kGridStep = kHour;

struct End {
  TimeMs at_ms = 0;
  std::size_t job = 0;
  bool operator>(const End& o) const { return at_ms != o.at_ms ? at_ms > o.at_ms : job > o.job; }
};

class Split {
 public:
  Split(const Workload& workload, SplitOrder order, std::vector<std::int32_t> training_nodes)
      : workload_(workload),
        scan_max_(order == SplitOrder::fifo ? 1 : workload.split_scan_jobs),
        nodes_(std::move(training_nodes)),
        run_{.name = order == SplitOrder::fifo ? "split-fifo" : "split-backfill",
             .jobs = std::vector<JobOutcome>(workload.jobs.size()),
             .meter = Meter(workload.warmup_ms, workload.horizon_ms, kGridStep)},
        places_(workload.jobs.size()),
        queue_jobs_(run_.meter, Use::queue_jobs),
        queue_cards_(run_.meter, Use::queue_cards) {}

  PolicyRun play() {
    std::size_t arrived = 0;
    const std::vector<TraceJob>& jobs = workload_.jobs;
    while (true) {
      TimeMs now = ends_.empty() ? kNever : ends_.top().at_ms;
      if (arrived < jobs.size()) now = std::min(now, jobs[arrived].submit_ms);
      if (now >= workload_.horizon_ms) break;
      for (; !ends_.empty() && ends_.top().at_ms == now; ends_.pop()) end(ends_.top().job, now);
      for (; arrived < jobs.size() && jobs[arrived].submit_ms == now; ++arrived) arrive(arrived);
      start_what_fits(now);
      queue_jobs_.set(now, static_cast<double>(waiting_));
      queue_cards_.set(now, static_cast<double>(waiting_cards_));
    }
    finish();
    return std::move(run_);
  }

 private:
  void arrive(std::size_t job) {
    ++waiting_;
    waiting_cards_ += workload_.jobs[job].gpus;
    if (could_ever_start(workload_.jobs[job].gpus)) queue_.push_back(job);
  }

  bool could_ever_start(std::int32_t gpus) {
    const auto known = could_hold_.find(gpus);
    if (known != could_hold_.end()) return known->second;
    return could_hold_[gpus] = nodes_.could_hold(gpus);
  }

  // What was passed over moves up to what was not looked at; the gap lies in front.
  void start_what_fits(TimeMs now) {
    std::vector<std::size_t> passed;
    std::int32_t too_large = INT32_MAX;  // so many cards do not fit any more at this instant
    std::size_t i = head_;
    for (; i < queue_.size() && static_cast<std::int32_t>(passed.size()) < scan_max_ && nodes_.free_cards() > 0; ++i) {
      const std::int32_t gpus = workload_.jobs[queue_[i]].gpus;
      if (gpus < too_large && start(queue_[i], now)) continue;
      too_large = std::min(too_large, gpus);
      passed.push_back(queue_[i]);
    }
    head_ = i - passed.size();
    std::copy(passed.begin(), passed.end(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
  }

  bool start(std::size_t job, TimeMs now) {
    const TraceJob& spec = workload_.jobs[job];
    auto place = nodes_.take(spec.gpus);
    if (!place) return false;
    places_[job] = std::move(*place);
    --waiting_;
    waiting_cards_ -= spec.gpus;
    JobOutcome& outcome = run_.jobs[job];
    outcome.first_start_ms = now;
    outcome.queued_ms = now - spec.submit_ms;
    ends_.push({now + spec.duration_ms, job});
    const DurationMs before = std::min(now + spec.duration_ms, workload_.warmup_ms) - now;
    outcome.done_before_window_ms = std::max<DurationMs>(0, before);
    run_.meter.add(Use::training_held, now, now + spec.duration_ms, spec.gpus);
    run_.meter.add(Use::training_useful, now, now + spec.duration_ms, spec.gpus);
    return true;
  }

  void end(std::size_t job, TimeMs now) {
    nodes_.give_back(places_[job]);
    places_[job].clear();
    run_.jobs[job].end_ms = now;
  }

  void finish() {
    const TimeMs horizon = workload_.horizon_ms;
    Hasher hash;
    for (std::size_t i = 0; i < run_.jobs.size(); ++i) {
      JobOutcome& outcome = run_.jobs[i];
      if (outcome.first_start_ms < 0) outcome.queued_ms = horizon - workload_.jobs[i].submit_ms;
      hash.add(outcome.first_start_ms);
      hash.add(outcome.end_ms);
    }
    run_.hash = hash.value();
    queue_jobs_.set(horizon, 0);
    queue_cards_.set(horizon, 0);
    serve();
  }

  // Each service has its share of the pinned cards, by its own peak.
  void serve() {
    const TimeMs horizon = workload_.horizon_ms;
    const auto pinned = static_cast<double>(workload_.split_inference_cards);
    const Demand demand(workload_.load, workload_.kappa_milli);
    double peaks = 0;
    for (std::size_t s = 0; s < demand.services(); ++s) peaks += static_cast<double>(demand.peak_nano(s));
    run_.meter.add(Use::inference_held, 0, horizon, pinned);
    run_.meter.add(Use::need, 0, horizon, pinned);
    for (std::size_t s = 0; s < demand.services(); ++s) {
      ServiceMeter meter(run_.meter, demand, s);
      meter.set_ready(0, peaks > 0 ? pinned * static_cast<double>(demand.peak_nano(s)) / peaks : 0);
      meter.set_ready(horizon, 0);
      run_.services.push_back({workload_.load.services[s], meter.unmet(), meter.demand()});
    }
  }

  const Workload& workload_;
  std::int32_t scan_max_;
  SplitNodes nodes_;
  PolicyRun run_;
  std::vector<std::vector<NodeShare>> places_;
  std::map<std::int32_t, bool> could_hold_;
  std::vector<std::size_t> queue_;  // from head_ on
  std::size_t head_ = 0;
  std::int64_t waiting_ = 0;
  std::int64_t waiting_cards_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  Level queue_jobs_;
  Level queue_cards_;
};

}  // namespace

PolicyRun run_split(const Workload& workload, SplitOrder order) {
  std::vector<std::int32_t> training;
  std::int64_t pinned = 0;
  for (const NodeSpec& node : workload.pool.nodes) {
    if (pinned < workload.split_inference_cards) {
      pinned += node.cards;
    } else {
      training.push_back(node.cards);
    }
  }
  return Split(workload, order, std::move(training)).play();
}

}  // namespace weir
