#include "executor/simulated/simulated.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "executor/simulated/sim_run.h"

namespace weir {

using simulated::Due;
using simulated::Entry;
using simulated::JobRecord;
using simulated::LiveReplica;

struct SimulatedExecutor::Impl {
  using Run = simulated::LiveRun;

  SimulatedOptions options;
  std::unordered_map<std::uint32_t, JobRecord> jobs;
  struct ServiceTimes {
    DurationMs start_ms = 0;
    DurationMs drain_ms = 0;
  };
  std::unordered_map<std::uint32_t, ServiceTimes> services;
  std::unordered_map<std::uint32_t, Run> runs;
  std::unordered_map<std::uint32_t, LiveReplica> replicas;
  simulated::EntryHeap heap;
  std::vector<Event> out;  // happened, not yet taken
  std::uint64_t next_seq = 0;
  std::uint64_t next_decision = 0;  // smallest decision id not yet carried out

  // Behind a partition nothing is heard and nothing can be told.
  std::set<NodeId> partitioned;
  struct Unheard {
    std::vector<NodeId> nodes;
    Event event;
  };
  std::vector<Unheard> unheard;
  std::vector<decision::Body> untold;

  // --- reports ---
  void report(const Run& run, TimeMs at_ms, event::Body body);
  void report(const LiveReplica& replica, TimeMs at_ms, event::Body body);
  void push(TimeMs at_ms, Due what, std::uint32_t id, std::uint32_t life, std::int32_t worker = 0);
  [[nodiscard]] bool cut_off(const Run& run) const;

  // --- the heap ---
  [[nodiscard]] bool is_void(const Entry& entry) const;
  void prune();
  void happen(const Entry& entry);
  void happen_to_run(const Entry& entry, Run& run);
  void happen_to_replica(const Entry& entry, LiveReplica& replica);
  void begin_yield(Run& run, TimeMs now_ms);

  // --- decisions ---
  void carry_out(const decision::Body& body, TimeMs now_ms);
  void start_run(const decision::StartRun& start, TimeMs now_ms);
  void plan_life(const Run& run, TimeMs now_ms);
  void push_checkpoint(const Run& run, TimeMs after_ms);
  void ask_yield(const decision::AskYield& ask, TimeMs now_ms);
  void withdraw(RunId id);
  void stop_run(RunId id, TimeMs now_ms);
  void start_replica(const decision::StartReplica& start, TimeMs now_ms);
  void stop_replica(ReplicaId id, TimeMs now_ms);
  [[nodiscard]] bool unreachable(const decision::Body& body) const;

  void exit(const Run& run, event::Exit how, DurationMs progress_ms, TimeMs now_ms);  // and forgets the run
  [[nodiscard]] Run* run_of(JobId job);
};

// --- reports ---

bool SimulatedExecutor::Impl::cut_off(const Run& run) const {
  return !partitioned.empty() &&
         std::any_of(partitioned.begin(), partitioned.end(), [&](NodeId node) { return run.on(node); });
}

void SimulatedExecutor::Impl::report(const Run& run, TimeMs at_ms, event::Body body) {
  Event event{at_ms, std::move(body)};
  if (!cut_off(run)) {
    out.push_back(std::move(event));
    return;
  }
  std::vector<NodeId> nodes;
  for (const Placement& place : run.places) nodes.push_back(place.node);
  unheard.push_back({std::move(nodes), std::move(event)});
}

void SimulatedExecutor::Impl::report(const LiveReplica& replica, TimeMs at_ms, event::Body body) {
  Event event{at_ms, std::move(body)};
  if (!partitioned.contains(replica.node)) {
    out.push_back(std::move(event));
  } else {
    unheard.push_back({{replica.node}, std::move(event)});
  }
}

void SimulatedExecutor::Impl::push(TimeMs at_ms, Due what, std::uint32_t id, std::uint32_t life, std::int32_t worker) {
  if (at_ms < kNever) heap.push({at_ms, next_seq++, what, id, life, worker});
}

void SimulatedExecutor::Impl::exit(const Run& run, event::Exit how, DurationMs progress_ms, TimeMs now_ms) {
  const std::uint32_t id = run.id.value;  // `run` dies with its entry
  report(run, now_ms, event::RunExited{run.id, how, progress_ms});
  runs.erase(id);
}

SimulatedExecutor::Impl::Run* SimulatedExecutor::Impl::run_of(JobId job) {
  Run* newest = nullptr;
  for (auto& [id, run] : runs) {
    if (run.job == job && (newest == nullptr || run.id > newest->id)) newest = &run;
  }
  return newest;
}

// --- the heap ---

bool SimulatedExecutor::Impl::is_void(const Entry& entry) const {
  if (entry.what == Due::replica_ready || entry.what == Due::replica_exit) {
    const auto it = replicas.find(entry.id);
    return it == replicas.end() || it->second.life != entry.life;
  }
  const auto it = runs.find(entry.id);
  if (it == runs.end()) return true;
  return entry.life != (entry.what == Due::yield ? it->second.asked : it->second.life);
}

void SimulatedExecutor::Impl::prune() {
  while (!heap.empty() && is_void(heap.top())) heap.pop();
}

void SimulatedExecutor::Impl::happen(const Entry& entry) {
  if (entry.what == Due::replica_ready || entry.what == Due::replica_exit) {
    happen_to_replica(entry, replicas.at(entry.id));
  } else {
    happen_to_run(entry, runs.at(entry.id));
  }
}

void SimulatedExecutor::Impl::happen_to_run(const Entry& entry, Run& run) {
  const JobRecord& job = jobs.at(run.job.value);
  switch (entry.what) {
    case Due::run_end: {
      const bool plain = job.truth.worker_run_ms.empty();
      const DurationMs whole = plain ? job.truth.run_ms : run.base_ms + run.clock.work_at(entry.at_ms);
      exit(run, event::Exit::done, whole, entry.at_ms);
      return;
    }
    case Due::worker_end:
      if (run.left(static_cast<std::size_t>(entry.worker))) return;
      report(run, entry.at_ms, event::WorkerDone{run.id, entry.worker});
      run.leave(static_cast<std::size_t>(entry.worker));
      return;
    case Due::checkpoint:
      // A run that ends or yields at this instant says so itself.
      if (run.end_ms <= entry.at_ms) return;
      if (run.boundary.at_ms == entry.at_ms && run.end_ms >= entry.at_ms + job.ckpt.write_ms) return;
      report(run, entry.at_ms, event::CheckpointCommitted{run.id, committed_progress(job, run, entry.at_ms)});
      push_checkpoint(run, entry.at_ms + 1);
      return;
    case Due::yield:
      begin_yield(run, entry.at_ms);
      return;
    case Due::yield_exit:
      exit(run, event::Exit::yielded, run.base_ms + run.boundary.work_ms, entry.at_ms);
      return;
    case Due::replica_ready:
    case Due::replica_exit:
      return;
  }
}

void SimulatedExecutor::Impl::begin_yield(Run& run, TimeMs now_ms) {
  const JobRecord& job = jobs.at(run.job.value);
  if (run.end_ms <= now_ms || run.end_ms < now_ms + job.ckpt.write_ms) return;  // it ends first
  const DurationMs until_empty = job.ckpt.write_ms + options.exit_ms;
  run.writing = true;
  ++run.life;
  ++run.asked;
  if (until_empty == 0) {
    exit(run, event::Exit::yielded, run.base_ms + run.boundary.work_ms, now_ms);
    return;
  }
  report(run, now_ms, event::ReadyToYield{run.id});
  push(now_ms + until_empty, Due::yield_exit, run.id.value, run.life);
}

void SimulatedExecutor::Impl::happen_to_replica(const Entry& entry, LiveReplica& replica) {
  if (entry.what == Due::replica_ready) {
    replica.ready = true;
    report(replica, entry.at_ms, event::ReplicaReady{replica.id});
    return;
  }
  report(replica, entry.at_ms, event::ReplicaExited{replica.id, false});
  replicas.erase(entry.id);
}

// --- decisions ---

bool SimulatedExecutor::Impl::unreachable(const decision::Body& body) const {
  if (partitioned.empty()) return false;
  const auto run_cut = [&](RunId id) {
    const auto it = runs.find(id.value);
    return it != runs.end() && cut_off(it->second);
  };
  if (const auto* d = std::get_if<decision::StartRun>(&body)) {
    return std::any_of(d->places.begin(), d->places.end(),
                       [&](const Placement& p) { return partitioned.contains(p.node); });
  }
  if (const auto* d = std::get_if<decision::AskYield>(&body)) return run_cut(d->run);
  if (const auto* d = std::get_if<decision::WithdrawYield>(&body)) return run_cut(d->run);
  if (const auto* d = std::get_if<decision::StopRun>(&body)) return run_cut(d->run);
  if (const auto* d = std::get_if<decision::StartReplica>(&body)) return partitioned.contains(d->place.node);
  const auto& stop = std::get<decision::StopReplica>(body);
  const auto it = replicas.find(stop.replica.value);
  return it != replicas.end() && partitioned.contains(it->second.node);
}

void SimulatedExecutor::Impl::carry_out(const decision::Body& body, TimeMs now_ms) {
  if (unreachable(body)) {
    untold.push_back(body);
    return;
  }
  if (const auto* d = std::get_if<decision::StartRun>(&body)) start_run(*d, now_ms);
  if (const auto* d = std::get_if<decision::AskYield>(&body)) ask_yield(*d, now_ms);
  if (const auto* d = std::get_if<decision::WithdrawYield>(&body)) withdraw(d->run);
  if (const auto* d = std::get_if<decision::StopRun>(&body)) stop_run(d->run, now_ms);
  if (const auto* d = std::get_if<decision::StartReplica>(&body)) start_replica(*d, now_ms);
  if (const auto* d = std::get_if<decision::StopReplica>(&body)) stop_replica(d->replica, now_ms);
}

void SimulatedExecutor::Impl::start_run(const decision::StartRun& start, TimeMs now_ms) {
  const auto job = jobs.find(start.job.value);
  if (job == jobs.end()) return;  // never made known: nothing could run
  Run run{.id = start.run, .job = start.job, .incarnation = start.incarnation};
  const DurationMs restart = start.incarnation > 1 ? job->second.ckpt.restart_ms : 0;
  run.clock = {now_ms + restart, std::max(1, start.speed_milli)};
  run.base_ms = start.resume_progress_ms;
  run.places = start.places;
  std::int32_t& failing = job->second.truth.fails_at_launch;
  if (failing != 0) {
    if (failing > 0) --failing;
    report(run, now_ms, event::RunExited{run.id, event::Exit::failed, run.base_ms});
    return;
  }
  run.end_ms = simulated::run_end(job->second, run);
  const Run& kept = runs.emplace(start.run.value, std::move(run)).first->second;
  // A run that is over at once reports its end alone: exits come first in a millisecond.
  if (kept.end_ms > now_ms) report(kept, now_ms, event::RunStarted{kept.id});
  plan_life(kept, now_ms);
}

void SimulatedExecutor::Impl::plan_life(const Run& run, TimeMs now_ms) {
  const JobRecord& job = jobs.at(run.job.value);
  push(run.end_ms, Due::run_end, run.id.value, run.life);
  for (std::size_t i = 0; i < job.truth.worker_run_ms.size() && i < run.places.size(); ++i) {
    const TimeMs end = simulated::worker_end(job, run, i);
    if (end < run.end_ms && !run.left(i))
      push(end, Due::worker_end, run.id.value, run.life, static_cast<std::int32_t>(i));
  }
  push_checkpoint(run, now_ms + 1);
}

void SimulatedExecutor::Impl::push_checkpoint(const Run& run, TimeMs after_ms) {
  const CheckpointContract& ckpt = jobs.at(run.job.value).ckpt;
  if (!options.report_checkpoints || ckpt.mode != CheckpointMode::interval) return;
  const Boundary next = first_boundary(run.clock, ckpt, after_ms);
  if (next.at_ms < run.end_ms) push(next.at_ms, Due::checkpoint, run.id.value, run.life);
}

void SimulatedExecutor::Impl::ask_yield(const decision::AskYield& ask, TimeMs now_ms) {
  const auto it = runs.find(ask.run.value);
  if (it == runs.end() || it->second.writing || it->second.broken) return;
  Run& run = it->second;
  ++run.asked;
  run.boundary = first_boundary(run.clock, jobs.at(run.job.value).ckpt, std::max(now_ms, ask.not_before_ms));
  push(run.boundary.at_ms, Due::yield, run.id.value, run.asked);
}

void SimulatedExecutor::Impl::withdraw(RunId id) {
  const auto it = runs.find(id.value);
  if (it == runs.end() || it->second.writing) return;
  ++it->second.asked;
  it->second.boundary = {};
}

void SimulatedExecutor::Impl::stop_run(RunId id, TimeMs now_ms) {
  const auto it = runs.find(id.value);
  if (it == runs.end()) return;
  const Run& run = it->second;
  const DurationMs saved = simulated::committed_progress(jobs.at(run.job.value), run, std::min(now_ms, run.end_ms));
  exit(run, event::Exit::stopped, saved, now_ms);
}

void SimulatedExecutor::Impl::start_replica(const decision::StartReplica& start, TimeMs now_ms) {
  replicas[start.replica.value] = {start.replica, start.service, start.place.node, 0, false};
  push(now_ms + services[start.service.value].start_ms, Due::replica_ready, start.replica.value, 0);
}

void SimulatedExecutor::Impl::stop_replica(ReplicaId id, TimeMs now_ms) {
  const auto it = replicas.find(id.value);
  if (it == replicas.end()) return;
  LiveReplica& replica = it->second;
  ++replica.life;
  const DurationMs drain = replica.ready ? services[replica.service.value].drain_ms : 0;  // nothing to wind down
  push(now_ms + drain, Due::replica_exit, id.value, replica.life);
}

// --- the public face ---

SimulatedExecutor::SimulatedExecutor(SimulatedOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
}

SimulatedExecutor::~SimulatedExecutor() = default;

void SimulatedExecutor::know(const JobSpec& job, JobTruth truth) {
  impl_->jobs[job.id.value] = simulated::make_job_record(job, std::move(truth));
}

void SimulatedExecutor::know(const ServiceSpec& service) {
  impl_->services[service.id.value] = {service.start_ms, service.drain_ms};
}

void SimulatedExecutor::carry_out(std::span<const Decision> decisions, TimeMs now_ms) {
  for (const Decision& decision : decisions) {
    if (decision.id < impl_->next_decision) continue;
    impl_->next_decision = decision.id + 1;
    impl_->carry_out(decision.body, now_ms);
  }
}

TimeMs SimulatedExecutor::next_event_ms() const {
  if (!impl_->out.empty()) return impl_->out.front().at_ms;
  impl_->prune();
  return impl_->heap.empty() ? kNever : impl_->heap.top().at_ms;
}

std::vector<Event> SimulatedExecutor::take_events(TimeMs until_ms) {
  for (impl_->prune(); !impl_->heap.empty() && impl_->heap.top().at_ms <= until_ms; impl_->prune()) {
    const Entry entry = impl_->heap.top();
    impl_->heap.pop();
    impl_->happen(entry);
  }
  return std::exchange(impl_->out, {});
}

std::vector<SimulatedExecutor::LiveRun> SimulatedExecutor::live_runs(TimeMs now_ms) const {
  std::vector<LiveRun> live;
  live.reserve(impl_->runs.size());
  for (const auto& [id, run] : impl_->runs) {
    LiveRun& view = live.emplace_back(LiveRun{run.id, run.job, run.incarnation, 0, run.writing, {}});
    const DurationMs done = run.writing ? run.boundary.work_ms : run.clock.work_at(std::min(now_ms, run.end_ms));
    view.progress_ms = run.base_ms + done;
    for (std::size_t i = 0; i < run.places.size(); ++i) {
      if (!run.left(i)) view.places.push_back(run.places[i]);
    }
  }
  std::sort(live.begin(), live.end(), [](const LiveRun& a, const LiveRun& b) { return a.run < b.run; });
  return live;
}

// --- faults ---

void SimulatedExecutor::node_lost(NodeId node, TimeMs) {
  for (auto it = impl_->runs.begin(); it != impl_->runs.end();) {
    Impl::Run& run = it->second;
    if (!run.on(node)) {
      ++it;
      continue;
    }
    for (std::size_t i = 0; i < run.places.size(); ++i) {
      if (run.places[i].node == node) run.leave(i);
    }
    run.broken = true;  // workers elsewhere hang until they are stopped
    ++run.life;
    ++run.asked;
    it = run.all_left() ? impl_->runs.erase(it) : std::next(it);
  }
  std::erase_if(impl_->replicas, [&](const auto& entry) { return entry.second.node == node; });
  impl_->partitioned.erase(node);
  // What had happened there before is told by the other nodes that saw it, if there are any.
  std::erase_if(impl_->unheard, [&](Impl::Unheard& u) { return std::erase(u.nodes, node) > 0 && u.nodes.empty(); });
}

void SimulatedExecutor::node_partitioned(NodeId node, TimeMs) { impl_->partitioned.insert(node); }

void SimulatedExecutor::node_healed(NodeId node, TimeMs now_ms) {
  impl_->partitioned.erase(node);
  const auto still_cut = [&](const Impl::Unheard& u) {
    return std::any_of(u.nodes.begin(), u.nodes.end(), [&](NodeId n) { return impl_->partitioned.contains(n); });
  };
  std::vector<Impl::Unheard> rest;
  for (Impl::Unheard& item : impl_->unheard) {
    if (still_cut(item)) {
      rest.push_back(std::move(item));
    } else {
      impl_->out.push_back(std::move(item.event));
    }
  }
  impl_->unheard = std::move(rest);
  for (const decision::Body& body : std::exchange(impl_->untold, {})) impl_->carry_out(body, now_ms);
}

void SimulatedExecutor::worker_failed(JobId job, std::int32_t, TimeMs now_ms) {
  run_exits(job, false, now_ms);  // any loss stops the rest of the gang
}

void SimulatedExecutor::worker_done(JobId job, std::int32_t worker, TimeMs now_ms) {
  Impl::Run* run = impl_->run_of(job);
  const auto index = static_cast<std::size_t>(worker);
  if (run == nullptr || run->broken || worker < 0 || index >= run->places.size() || run->left(index)) return;
  const JobRecord& record = impl_->jobs.at(job.value);
  run->leave(index);
  bool decided = true;  // the workers that decide have all left
  for (std::int32_t i = record.decide_first; i < record.decide_last; ++i) {
    const auto other = static_cast<std::size_t>(i);
    decided = decided && (run->left(other) || simulated::worker_end(record, *run, other) >= kNever);
  }
  if (decided) {
    impl_->exit(*run, event::Exit::done, run->base_ms + run->clock.work_at(now_ms), now_ms);
    return;
  }
  impl_->report(*run, now_ms, event::WorkerDone{run->id, worker});
  if (run->writing) return;
  run->end_ms = simulated::run_end(record, *run);  // without that worker it may be done earlier
  ++run->life;
  impl_->plan_life(*run, now_ms);
}

void SimulatedExecutor::run_exits(JobId job, bool success, TimeMs now_ms) {
  const Impl::Run* run = impl_->run_of(job);
  if (run == nullptr) return;
  const DurationMs progress = success ? run->base_ms + run->clock.work_at(now_ms)
                                      : simulated::committed_progress(impl_->jobs.at(job.value), *run, now_ms);
  impl_->exit(*run, success ? event::Exit::done : event::Exit::failed, progress, now_ms);
}

void SimulatedExecutor::replica_fails(ReplicaId replica, TimeMs now_ms) {
  const auto it = impl_->replicas.find(replica.value);
  if (it == impl_->replicas.end()) return;
  impl_->report(it->second, now_ms, event::ReplicaExited{replica, true});
  impl_->replicas.erase(it);
}

}  // namespace weir
