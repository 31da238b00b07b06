#include "audit/audit.h"

#include <algorithm>
#include <bit>

#include "audit/impl.h"

namespace weir {

using audit::GuardNeed;
using audit::JobRecord;
using audit::NodeBook;
using audit::Placeable;
using audit::ReplicaRecord;
using audit::RunRecord;
using audit::ServiceRecord;

namespace {

std::int64_t cards_of(const Shape& shape) { return std::max(1, shape.cards); }

}  // namespace

// What is owed and not running: each service's missing guard replicas, and what is
// left of the pool's guard beside them.
std::vector<GuardNeed> Auditor::Impl::guard_needs() const {
  std::vector<GuardNeed> needs;
  std::int64_t assigned_cards = 0;
  for (const auto& [id, service] : services) {
    if (service.guard <= 0) continue;
    assigned_cards += cards_of(service.spec.shape) * service.guard;
    const std::int64_t missing = service.guard - static_cast<std::int64_t>(service.guard_live.size());
    if (missing > 0) needs.push_back({.shape = service.spec.shape, .models = service.spec.models, .count = missing});
  }
  std::int64_t unassigned_cards = settings->guard_min_cards - assigned_cards;
  if (unassigned_cards <= 0) return needs;
  if (settings->guard_shapes.empty()) {
    needs.push_back({.shape = Shape{.cards = 1}, .models = {}, .count = unassigned_cards});
    return needs;
  }
  std::vector<Shape> shapes = settings->guard_shapes;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& a, const Shape& b) { return cards_of(a) > cards_of(b); });
  for (const Shape& shape : shapes) {
    if (cards_of(shape) > unassigned_cards) continue;
    needs.push_back({.shape = shape, .models = {}, .count = 1});
    unassigned_cards -= cards_of(shape);
  }
  if (unassigned_cards > 0) needs.push_back({.shape = Shape{.cards = 1}, .models = {}, .count = unassigned_cards});
  return needs;
}

Placeable Auditor::Impl::guard_placeable() {
  guard_index.refresh(ledger, ledger.take_touched());
  return guard_index.test(ledger, guard_needs());
}

// Only decisions are at fault; a fact must be answered in its own step.
void Auditor::Impl::check_guard(Placeable before, const StepResult& result) {
  if (guard_facts && before == Placeable::no && guard_was_placeable) {
    const bool answered = std::any_of(result.changes.begin(), result.changes.end(), [](const Change& change) {
      const auto* alarm = std::get_if<change::Alarm>(&change);
      const auto* made = std::get_if<change::ClaimMade>(&change);
      return (alarm != nullptr && alarm->kind == change::AlarmKind::guard_unplaceable) ||
             (made != nullptr && made->beneficiary != ClaimFor::job);
    });
    const bool mended = !answered && guard_placeable() != Placeable::no;
    if (!answered && !mended) violate(6, "a fact made the guard unplaceable, and the step neither claims nor says so");
  }
  if (!guard_facts && !guard_decided) return;
  const Placeable after = guard_placeable();
  // Without preemption a replica takes what is free, and nobody makes room for the next.
  const bool replicas_only = std::none_of(result.decisions.begin(), result.decisions.end(), [](const Decision& d) {
    return std::holds_alternative<decision::StartRun>(d.body);
  });
  const bool excused = replicas_only && settings != nullptr && !settings->preempt_enabled;
  if (before == Placeable::yes && after == Placeable::no && !excused) {
    violate(6, "the guard could be placed before the decisions of this step, and cannot after");
  }
  guard_was_placeable = after != Placeable::no;
}

void Auditor::Impl::note(const change::JobStateSet& c) {
  JobRecord* job = job_of(c.job);
  if (job == nullptr) {
    if (jobs_ended.contains(c.job.value) && !ended(c.state)) violate(9, "job ", c.job, " has ended and comes back");
    return;
  }
  if (c.state == JobState::succeeded && !job->may_be_finished) {
    violate(9, "job ", c.job, " is called succeeded, and no exit said so");
  }
  if (c.state == JobState::cancelled && !job->cancelled) violate(9, "job ", c.job, " is called cancelled, and was not");
  if (job->finished && !ended(c.state)) violate(9, "job ", c.job, " is done and goes on");
  job->state = c.state;
  if (!ended(c.state)) return;
  const RunId current = job->current;
  jobs_ended.insert(c.job.value);
  jobs.erase(c.job.value);
  if (current.valid()) forget_run_if_done(current);
}

void Auditor::Impl::note(const change::JobRejected& c) {
  const JobRecord* job = job_of(c.job);
  if (job == nullptr) return;  // never accepted
  if (job->starts > 0) violate(9, "job ", c.job, " is rejected after it has run");
  jobs_ended.insert(c.job.value);
  jobs.erase(c.job.value);
}

void Auditor::Impl::note(const change::RunEnded& c) {
  RunRecord* run = run_of(c.run);
  if (run == nullptr) return;  // its exit was seen and nothing is left of it
  if (!run->exited && !run->hit) violate(5, "run ", c.run, " is called ended, and no fact says so");
  if (run->end_told) violate(9, "run ", c.run, " ends twice");
  run->end_told = true;
}

void Auditor::Impl::note(const change::ReplicaStateSet& c) {
  ReplicaRecord* replica = replica_of(c.replica);
  if (replica == nullptr) return;
  if (c.state == ReplicaState::ready && replica->state == ReplicaState::starting) {
    violate(0, "replica ", c.replica, " is called ready, and has not said so");
  }
}

void Auditor::Impl::note(const change::TargetSet& c) {
  ServiceRecord* service = service_of(c.service);
  if (service == nullptr) return;
  service->target = c.target;
  const std::int32_t most = std::max(service->spec.max, service->guard);
  if (c.target < service->guard || c.target > most) {
    violate(6, "service ", c.service, " has target ", c.target, ", outside its guard ", service->guard, " and max ",
            most);
  }
}

void Auditor::Impl::note_changes(const StepResult& result) {
  for (const Change& change : result.changes) {
    std::visit(
        [this](const auto& body) {
          if constexpr (requires { note(body); }) note(body);
        },
        change);
  }
}

void Auditor::Impl::finish(const StepResult& result) {
  // A gang that lost a member on one node is stopped on the others.
  for (const RunId id : runs_hit) {
    const RunRecord* run = run_of(id);
    if (run == nullptr || run->exited || run->stop_asked || settings->shadow) continue;
    const bool lost_here = std::any_of(run->places.begin(), run->places.end(), [this](const Placement& place) {
      const NodeBook* node = ledger.find(place.node);
      return node != nullptr && node->down;
    });
    std::int64_t left = 0;
    for (const Placement& place : run->places) {
      const NodeBook* node = ledger.find(place.node);
      if (node == nullptr || node->down || node->silent) continue;
      left += std::count_if(node->leases.begin(), node->leases.end(),
                            [id](const audit::Lease& lease) { return lease.holder.run == id; });
    }
    if (lost_here && left > 0)
      violate(3, "run ", id, " lost a member, and its ", left, " other workers are not stopped");
  }
  for (const RunId id : runs_on_faulty) {
    const RunRecord* run = run_of(id);
    if (run == nullptr || run->exited || run->stop_asked || settings->shadow) continue;
    const JobRecord* job = job_of(run->job);
    if (job != nullptr && job->current == id) violate(3, "run ", id, " stands on a faulty card and is not stopped");
  }
  close_claims();
  if (result.next_due_ms < now_ms) violate(0, "the next step is due at ", result.next_due_ms, ", in the past");
}

void Auditor::Impl::step(TimeMs at_ms, std::span<const Event> events, const StepResult& result) {
  if (at_ms < now_ms) violate(10, "a step at ", at_ms, " after one at ", now_ms);
  now_ms = at_ms;
  guard_facts = false;
  guard_decided = false;
  runs_hit.clear();
  runs_on_faulty.clear();
  claims_ended.clear();
  claims_made.clear();
  asks_to_recheck.clear();

  apply_events(events);
  time_out_nodes(now_ms);
  note_told(result);
  note_claims(result);
  const bool may_decide = std::any_of(result.decisions.begin(), result.decisions.end(), [](const Decision& decision) {
    return std::holds_alternative<decision::StartRun>(decision.body) ||
           std::holds_alternative<decision::StartReplica>(decision.body) ||
           std::holds_alternative<decision::StopReplica>(decision.body);
  });
  const Placeable before = guard_facts || may_decide ? guard_placeable() : Placeable::unknown;
  for (const Decision& decision : result.decisions) {
    if (decision.id <= decision_newest) violate(10, "decision ", decision.id, " comes after ", decision_newest);
    decision_newest = std::max(decision_newest, decision.id);
    if (settings->shadow) continue;  // carried out by nobody
    std::visit([this](const auto& body) { check(body); }, decision.body);
  }
  note_changes(result);
  check_guard(before, result);
  finish(result);
}

// --- the public face ---

Auditor::Auditor(AuditOptions options) : impl_(std::make_unique<Impl>(options)) {}
Auditor::~Auditor() = default;
Auditor::Auditor(Auditor&&) noexcept = default;
Auditor& Auditor::operator=(Auditor&&) noexcept = default;

void Auditor::on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) {
  impl_->step(now_ms, events, result);
}

void Auditor::compare(TimeMs now_ms, const ReportedCounts& reported) {
  impl_->now_ms = std::max(impl_->now_ms, now_ms);
  const CardCount counted = impl_->ledger.cards();
  const CardCount& told = reported.pool;
  if (told.total() != counted.total()) {
    impl_->violate(2, "cards by state add up to ", told.total(), ", declared were ", counted.total());
  }
  // Where all nodes are well there is one way to count; elsewhere what a fact makes
  // of a held card is the engine's to say, within the sum.
  if (impl_->ledger.anomalous_nodes() == 0) {
    if (told.whole != counted.whole) impl_->violate(2, told.whole, " cards are called whole, ", counted.whole, " are");
    if (told.shared != counted.shared)
      impl_->violate(2, told.shared, " cards are called shared, ", counted.shared, " are");
    if (told.free + told.claimed != counted.free + counted.claimed) {
      impl_->violate(2, told.free + told.claimed, " cards are called free or claimed, ", counted.free + counted.claimed,
                     " are");
    }
  }
  if (reported.waiting_without_reason > 0) {
    impl_->violate(8, reported.waiting_without_reason, " waiting pieces of work have no reason");
  }
}

const std::vector<Violation>& Auditor::violations() const { return impl_->found; }

std::int64_t Auditor::milli_in_use_of_node(NodeId id) const {
  const NodeBook* node = impl_->ledger.find(id);
  return node == nullptr ? 0 : node->milli;
}
std::int64_t Auditor::milli_in_use_of_team(std::string_view team) const { return impl_->ledger.milli_of_team(team); }
std::int64_t Auditor::milli_in_use_of_model(std::string_view model) const {
  return impl_->ledger.milli_of_model(model);
}
std::int64_t Auditor::milli_in_use_of_service(ServiceId id) const { return impl_->ledger.milli_of_service(id); }
CardCount Auditor::cards() const { return impl_->ledger.cards(); }
std::int64_t Auditor::open_claims() const { return static_cast<std::int64_t>(impl_->claims.size()); }
std::int64_t Auditor::open_jobs() const { return static_cast<std::int64_t>(impl_->jobs.size()); }

}  // namespace weir
