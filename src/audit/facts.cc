// What events make true. Facts are never violations, but for an exit that claims
// a boundary it did not stand on: that would be progress lost in silence.
#include <algorithm>
#include <bit>

#include "audit/impl.h"

namespace weir {

using audit::Holder;
using audit::JobRecord;
using audit::Lease;
using audit::NodeBook;
using audit::ReplicaRecord;
using audit::RunRecord;
using audit::ServiceRecord;

JobRecord* Auditor::Impl::job_of(JobId id) {
  const auto it = jobs.find(id.value);
  return it == jobs.end() ? nullptr : &it->second;
}

RunRecord* Auditor::Impl::run_of(RunId id) {
  const auto it = runs.find(id.value);
  return it == runs.end() ? nullptr : &it->second;
}

ReplicaRecord* Auditor::Impl::replica_of(ReplicaId id) {
  const auto it = replicas.find(id.value);
  return it == replicas.end() ? nullptr : &it->second;
}

ServiceRecord* Auditor::Impl::service_of(ServiceId id) {
  const auto it = services.find(id.value);
  return it == services.end() ? nullptr : &it->second;
}

void Auditor::Impl::apply_events(std::span<const Event> events) {
  const auto earlier = [this](const Event& a, const Event& b) {
    const TimeMs at_a = std::min(a.at_ms, now_ms);
    const TimeMs at_b = std::min(b.at_ms, now_ms);
    return at_a != at_b ? at_a < at_b : a.body.index() < b.body.index();
  };
  if (std::is_sorted(events.begin(), events.end(), earlier)) {
    for (const Event& event : events) apply(event);
    return;
  }
  std::vector<const Event*> order;
  order.reserve(events.size());
  for (const Event& event : events) order.push_back(&event);
  std::stable_sort(order.begin(), order.end(), [&](const Event* a, const Event* b) { return earlier(*a, *b); });
  for (const Event* event : order) apply(*event);
}

void Auditor::Impl::apply(const Event& event) {
  const TimeMs at_ms = std::min(event.at_ms, now_ms);
  if (!silent_nodes.empty()) time_out_nodes(at_ms - 1);  // facts of an instant come before its timers
  std::visit([&](const auto& body) { on(at_ms, body); }, event.body);
}

// --- nodes and cards ---

void Auditor::Impl::on(TimeMs, const event::NodeDeclared& e) {
  ledger.declare(e.node);
  guard_facts = true;
}

void Auditor::Impl::hit_run(RunId id) {
  RunRecord* run = run_of(id);
  if (run == nullptr || run->hit) return;
  run->hit = true;
  runs_hit.push_back(id);
}

// The node's processes are gone: what they held there is free.
void Auditor::Impl::empty_node(NodeBook& node) {
  std::vector<Holder> holders;
  for (const Lease& lease : node.leases) {
    if (std::find(holders.begin(), holders.end(), lease.holder) == holders.end()) holders.push_back(lease.holder);
  }
  for (const Holder& holder : holders) {
    if (holder.replica.valid()) {
      drop_replica(holder.replica);
      continue;
    }
    ledger.remove(node, holder);
    hit_run(holder.run);
    forget_run_if_done(holder.run);
  }
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::NodeDown& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr) return;
  node->down = true;
  node->silent = false;
  std::erase_if(silent_nodes, [&](const auto& entry) { return entry.second == e.node; });
  empty_node(*node);
  ledger.touch(e.node);
}

void Auditor::Impl::on(TimeMs, const event::NodeUp& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr) return;
  if (node->down || node->silent) empty_node(*node);
  node->down = false;
  node->silent = false;
  std::erase_if(silent_nodes, [&](const auto& entry) { return entry.second == e.node; });
  ledger.touch(e.node);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs at_ms, const event::NodeSilent& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr || node->down || node->silent) return;
  node->silent = true;
  node->silent_since_ms = at_ms;
  silent_nodes.emplace_back(at_ms + settings->node_timeout_ms, e.node);
  ledger.touch(e.node);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs at_ms, const event::NodeHeard& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr || !node->silent) return;
  time_out_nodes(at_ms - 1);
  node->silent = false;
  std::erase_if(silent_nodes, [&](const auto& entry) { return entry.second == e.node; });
  // Exits of its runs that came while it could not be heard are believed now.
  const std::vector<Lease> leases = node->leases;
  for (const Lease& lease : leases) {
    const RunRecord* run = run_of(lease.holder.run);
    if (!lease.holder.run.valid() || (run != nullptr && !run->exited)) continue;
    ledger.remove(*node, lease.holder);
    forget_run_if_done(lease.holder.run);
  }
  ledger.touch(e.node);
  guard_facts = true;
}

// Silent for node_timeout: runs there may be given up and started elsewhere. Their
// cards stay busy until an exit or an empty node says otherwise.
void Auditor::Impl::time_out_nodes(TimeMs until_ms) {
  for (std::size_t i = 0; i < silent_nodes.size();) {
    const auto [due_ms, id] = silent_nodes[i];
    if (due_ms > until_ms) {
      ++i;
      continue;
    }
    silent_nodes.erase(silent_nodes.begin() + static_cast<std::ptrdiff_t>(i));
    const NodeBook* node = ledger.find(id);
    if (node == nullptr) continue;
    const std::vector<Lease> leases = node->leases;
    for (const Lease& lease : leases) {
      if (lease.holder.run.valid()) hit_run(lease.holder.run);
      ReplicaRecord* replica = replica_of(lease.holder.replica);
      if (replica == nullptr) continue;
      leave_live(lease.holder.replica, *replica);
      replica->stale = true;
    }
    guard_facts = true;
  }
}

void Auditor::Impl::on(TimeMs, const event::NodeCards& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr) return;
  node->cards_reported = std::clamp(e.cards, 0, node->cards_ever);
  // Which cards are gone is not said: any run or replica there may have lost one.
  if (std::popcount(node->whole | node->shared) > node->cards_reported) {
    for (const Lease& lease : node->leases) {
      if (lease.holder.run.valid() && lease.place.cards != 0) hit_run(lease.holder.run);
    }
  }
  ledger.touch(e.node);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::CardFault& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr || e.card < 0 || e.card >= node->cards_ever) return;
  const std::uint64_t card = std::uint64_t{1} << e.card;
  const auto policy = settings->fault_policy.find(e.code);
  const bool removes = policy == settings->fault_policy.end() || policy->second == FaultPolicy::remove_gpu_until_ok;
  if (removes) node->faulty |= card;
  const std::vector<Lease> leases = node->leases;
  for (const Lease& lease : leases) {
    if ((lease.place.cards & card) == 0) continue;
    if (lease.holder.run.valid()) {
      hit_run(lease.holder.run);
      runs_on_faulty.push_back(lease.holder.run);
    }
    ReplicaRecord* replica = replica_of(lease.holder.replica);
    if (replica == nullptr || !removes) continue;
    leave_live(lease.holder.replica, *replica);
    replica->stale = true;
  }
  ledger.touch(e.node);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::CardOk& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr || e.card < 0 || e.card >= node->cards_ever) return;
  node->faulty &= ~(std::uint64_t{1} << e.card);
  ledger.touch(e.node);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::DrainSet& e) {
  NodeBook* node = ledger.find(e.node);
  if (node == nullptr) return;
  node->draining = e.on;
  ledger.touch(e.node);
  guard_facts = true;
}

// --- runs ---

void Auditor::Impl::note_progress(RunRecord& run, RunId id, DurationMs progress_ms) {
  JobRecord* job = job_of(run.job);
  if (job == nullptr || job->spec.ckpt.mode == CheckpointMode::none) return;
  job->progress_ms_max = std::max(job->progress_ms_max, progress_ms);
  if (job->current != id || run.hit || progress_ms <= job->progress_ms) return;
  job->progress_ms = progress_ms;
  job->checkpoint_nodes.clear();
  if (job->spec.ckpt.scope != CheckpointScope::node) return;
  for (const Placement& place : run.places) job->checkpoint_nodes.push_back(place.node);
}

void Auditor::Impl::check_yield(TimeMs at_ms, const RunRecord& run, RunId id, DurationMs progress_ms) {
  const JobRecord* job = job_of(run.job);
  if (job == nullptr || run.hit) return;
  if (!run.ever_asked && !run.stop_asked) violate(5, "run ", id, " yielded and nobody had asked it to");
  if (job->spec.ckpt.mode == CheckpointMode::none) {
    violate(4, "run ", id, " of job ", run.job, " yielded and has no checkpoints");
    return;
  }
  if (auto fault = audit::fault_of_yield(job->spec, run, at_ms, progress_ms, options.exit_ms_max)) {
    violate(4, "run ", id, " of job ", run.job, ": ", *fault);
  }
}

// Frees what the run holds on nodes that are heard; on a silent one it stays busy.
void Auditor::Impl::release_run(RunRecord& run, RunId id) {
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    NodeBook* node = ledger.find(run.places[i].node);
    if (node == nullptr || node->silent) continue;
    ledger.remove(*node, Holder{.run = id, .replica = {}});
  }
}

// A run is remembered while it holds a lease or is its job's current one.
void Auditor::Impl::forget_run_if_done(RunId id) {
  const RunRecord* run = run_of(id);
  if (run == nullptr || !(run->exited || run->hit)) return;
  const JobRecord* job = job_of(run->job);
  if (job != nullptr && job->current == id) return;
  for (const Placement& place : run->places) {
    const NodeBook* node = ledger.find(place.node);
    if (node == nullptr) continue;
    const auto holds = [id](const Lease& lease) { return lease.holder.run == id; };
    if (std::any_of(node->leases.begin(), node->leases.end(), holds)) return;
  }
  runs.erase(id.value);
}

void Auditor::Impl::on(TimeMs at_ms, const event::RunExited& e) {
  RunRecord* run = run_of(e.run);
  if (run == nullptr) return;
  if (run->exited) {  // again, from a node that is heard now
    release_run(*run, e.run);
    forget_run_if_done(e.run);
    return;
  }
  if (e.how == event::Exit::yielded) check_yield(at_ms, *run, e.run, e.progress_ms);
  note_progress(*run, e.run, e.progress_ms);
  run->exited = true;
  run->ask.reset();
  release_run(*run, e.run);
  JobRecord* job = job_of(run->job);
  if (job != nullptr && job->current == e.run) {
    job->current = RunId{};
    if (e.how == event::Exit::done) job->may_be_finished = true;
    if (e.how == event::Exit::done && !run->hit) job->finished = true;
  }
  guard_facts = guard_facts || !guard_was_placeable;
  forget_run_if_done(e.run);
}

void Auditor::Impl::on(TimeMs, const event::WorkerDone& e) {
  RunRecord* run = run_of(e.run);
  if (run == nullptr || e.worker < 0 || static_cast<std::size_t>(e.worker) >= run->places.size()) return;
  run->worker_done[static_cast<std::size_t>(e.worker)] = true;
  NodeBook* node = ledger.find(run->places[static_cast<std::size_t>(e.worker)].node);
  if (node != nullptr) ledger.remove(*node, Holder{.run = e.run, .replica = {}}, e.worker);
}

void Auditor::Impl::on(TimeMs, const event::CheckpointCommitted& e) {
  if (RunRecord* run = run_of(e.run); run != nullptr && !run->exited) note_progress(*run, e.run, e.progress_ms);
}

void Auditor::Impl::on(TimeMs, const event::ReadyToYield& e) {
  if (RunRecord* run = run_of(e.run)) run->ready_to_yield = true;
}

// --- replicas and services ---

void Auditor::Impl::mark_guard(std::uint32_t replica, bool guard) {
  const ReplicaId id{replica};
  const ReplicaRecord* record = replica_of(id);
  if (record == nullptr) return;
  if (NodeBook* node = ledger.find(record->place.node)) {
    ledger.set_blocks_guard(*node, Holder{.run = {}, .replica = id}, guard);
  }
}

// Keeps "the oldest `guard` live replicas are the guard's" true.
void Auditor::Impl::level_guard(ServiceRecord& service) {
  const auto owed = static_cast<std::size_t>(std::max(0, service.guard));
  while (service.guard_live.size() > owed) {
    const std::uint32_t newest = *service.guard_live.rbegin();
    service.guard_live.erase(newest);
    service.extra_live.insert(newest);
    mark_guard(newest, false);
  }
  while (service.guard_live.size() < owed && !service.extra_live.empty()) {
    const std::uint32_t oldest = *service.extra_live.begin();
    service.extra_live.erase(oldest);
    service.guard_live.insert(oldest);
    mark_guard(oldest, true);
  }
}

void Auditor::Impl::join_live(ReplicaId id, ReplicaRecord& replica) {
  ServiceRecord* service = service_of(replica.service);
  if (service == nullptr) return;
  service->extra_live.insert(id.value);
  level_guard(*service);
}

void Auditor::Impl::leave_live(ReplicaId id, ReplicaRecord& replica) {
  ServiceRecord* service = service_of(replica.service);
  if (service == nullptr) return;
  if (service->guard_live.erase(id.value) > 0) mark_guard(id.value, false);
  service->extra_live.erase(id.value);
  level_guard(*service);
}

void Auditor::Impl::drop_replica(ReplicaId id) {
  ReplicaRecord* replica = replica_of(id);
  if (replica == nullptr) return;
  leave_live(id, *replica);
  if (NodeBook* node = ledger.find(replica->place.node)) {
    ledger.remove(*node, Holder{.run = {}, .replica = id});
  }
  replicas.erase(id.value);
}

void Auditor::Impl::on(TimeMs, const event::ReplicaExited& e) {
  drop_replica(e.replica);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::ReplicaReady& e) {
  ReplicaRecord* replica = replica_of(e.replica);
  if (replica != nullptr && replica->state == ReplicaState::starting) replica->state = ReplicaState::ready;
}

void Auditor::Impl::on(TimeMs, const event::GuardPublished& e) {
  ServiceRecord* service = service_of(e.service);
  if (service == nullptr || service->stopped) return;  // a stopped service is owed nothing
  service->guard = std::max(0, e.guard);
  level_guard(*service);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::ServiceDeclared& e) {
  ServiceRecord& service = services[e.service.id.value];
  const bool guard_edited = service.spec.guard != e.service.guard || !service.spec.id.valid();
  service.spec = e.service;
  service.stopped = false;
  if (guard_edited) service.guard = e.service.guard;
  level_guard(service);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::ServiceStopped& e) {
  ServiceRecord* service = service_of(e.service);
  if (service == nullptr) return;
  service->stopped = true;
  service->guard = 0;
  level_guard(*service);
  guard_facts = true;
}

void Auditor::Impl::on(TimeMs, const event::ConfigSet& e) {
  if (e.settings == nullptr) return;
  settings = e.settings;
  guard_facts = true;
}

// --- submissions, edits, operator ---

void Auditor::Impl::on(TimeMs, const event::JobSubmitted& e) {
  if (jobs_ended.contains(e.job.id.value)) return;  // told again: the first submission stands
  const auto [it, is_new] = jobs.try_emplace(e.job.id.value);
  if (!is_new) return;
  it->second.spec = e.job;
  // Only what is known and has not ended is waited for.
  std::erase_if(it->second.spec.after,
                [&](JobId before) { return before == e.job.id || !jobs.contains(before.value); });
}

void Auditor::Impl::on(TimeMs, const event::JobCancelled& e) {
  if (JobRecord* job = job_of(e.job)) job->cancelled = true;
}

void Auditor::Impl::on(TimeMs, const event::JobEdited& e) {
  JobRecord* job = job_of(e.job);
  if (job == nullptr) return;
  if (e.tier) job->spec.tier = *e.tier;
  if (e.deadline_ms) job->spec.deadline_ms = *e.deadline_ms;
  if (!e.limit_ms) return;
  job->spec.limit_ms = *e.limit_ms;
  RunRecord* run = run_of(job->current);
  if (run != nullptr) run->limit_ends_ms = *e.limit_ms > 0 ? run->started_ms + *e.limit_ms : kNever;
}

void Auditor::Impl::on(TimeMs, const event::JobHeld& e) {
  JobRecord* job = job_of(e.job);
  if (job == nullptr) return;
  job->held = e.on;
  job->operator_touched = true;
}

void Auditor::Impl::on(TimeMs, const event::JobRequeued& e) {
  JobRecord* job = job_of(e.job);
  if (job == nullptr) return;
  job->operator_touched = true;
  if (!job->current.valid()) job->held = false;  // the operator's latest word
}

void Auditor::Impl::on(TimeMs, const event::FreezeSet& e) { frozen = e.on; }

}  // namespace weir
