// Each decision, against the state that the facts and the decisions before it left.
#include <algorithm>
#include <bit>

#include "audit/impl.h"

namespace weir {

using audit::Ask;
using audit::ClaimRecord;
using audit::Holder;
using audit::JobRecord;
using audit::Lease;
using audit::NodeBook;
using audit::ReplicaRecord;
using audit::RunRecord;
using audit::ServiceRecord;

bool Auditor::Impl::on_draining_node(const RunRecord& run) const {
  return std::any_of(run.places.begin(), run.places.end(), [this](const Placement& place) {
    const NodeBook* node = ledger.find(place.node);
    return node != nullptr && (node->draining || (place.cards & node->faulty) != 0);
  });
}

bool Auditor::Impl::on_silent_node(const RunRecord& run) const {
  return std::any_of(run.places.begin(), run.places.end(), [this](const Placement& place) {
    const NodeBook* node = ledger.find(place.node);
    return node != nullptr && node->silent;
  });
}

// --- starts ---

void Auditor::Impl::check_progress(const decision::StartRun& d, const JobRecord& job) {
  if (d.resume_progress_ms < job.progress_ms) {
    violate(7, "run ", d.run, " of job ", d.job, " resumes at ", d.resume_progress_ms, " ms, its checkpoint stands at ",
            job.progress_ms);
  } else if (d.resume_progress_ms > job.progress_ms_max) {
    violate(7, "run ", d.run, " of job ", d.job, " resumes at ", d.resume_progress_ms,
            " ms, no checkpoint is later than ", job.progress_ms_max);
  }
  if (job.checkpoint_nodes.empty() || d.resume_progress_ms == 0) return;
  for (const Placement& place : d.places) {
    const auto& nodes = job.checkpoint_nodes;
    if (std::find(nodes.begin(), nodes.end(), place.node) != nodes.end()) continue;
    violate(7, "run ", d.run, " of job ", d.job, " resumes on node ", place.node, ", its checkpoint is on another");
  }
}

void Auditor::Impl::check_start_of_job(const decision::StartRun& d, JobRecord& job) {
  if (job.finished || job.cancelled || ended(job.state)) {
    violate(9, "run ", d.run, " starts job ", d.job, ", which has ended");
  }
  if (job.held) violate(0, "run ", d.run, " starts job ", d.job, ", which an operator holds");
  for (const JobId before : job.spec.after) {
    const JobRecord* other = job_of(before);
    const bool pending = other != nullptr && !other->finished && !other->cancelled && !ended(other->state) &&
                         !jobs_told_ended.contains(before);
    if (pending) violate(0, "run ", d.run, " starts job ", d.job, " before job ", before, " has ended");
  }
  if (const RunRecord* old = run_of(job.current); old != nullptr && !old->exited && !old->hit) {
    violate(9, "run ", d.run, " starts job ", d.job, " while its run ", job.current, " is current");
  }
  if (d.incarnation <= job.incarnation) {
    violate(9, "run ", d.run, " of job ", d.job, " has incarnation ", d.incarnation, ", after ", job.incarnation);
  }
  if (auto fault = audit::fault_of_places(job.spec, *settings, d.places, ledger)) {
    violate(3, "run ", d.run, " of job ", d.job, ": ", *fault);
  }
  check_progress(d, job);
}

void Auditor::Impl::check(const decision::StartRun& d) {
  if (!d.run.valid() || static_cast<std::int64_t>(d.run.value) <= run_newest) {
    violate(9, "run ", d.run, " starts, and its number was used before");
    return;
  }
  run_newest = d.run.value;
  JobRecord* job = job_of(d.job);
  if (job == nullptr) {
    violate(9, "run ", d.run, " starts job ", d.job, ", which is not known");
    return;
  }
  check_start_of_job(d, *job);

  RunRecord run;
  run.job = d.job;
  run.incarnation = d.incarnation;
  run.speed_milli = d.speed_milli;
  run.resume_ms = d.resume_progress_ms;
  run.started_ms = now_ms;
  run.resumed = job->starts > 0;
  run.loan = d.loan;
  run.loan_due_ms = d.loan ? d.loan_due_ms : kNever;
  if (d.loan && job->spec.ckpt.mode == CheckpointMode::none && settings->only_at_checkpoint) {
    violate(5, "run ", d.run, " of job ", d.job, " is on loan and cannot be called back");
  }
  if (job->spec.limit_ms > 0) run.limit_ends_ms = now_ms + job->spec.limit_ms;
  run.places = d.places;
  run.worker_done.assign(d.places.size(), false);

  ClaimRecord* claim = claim_of(d.claim);
  if (d.claim.valid() && (claim == nullptr || claim->made.beneficiary != ClaimFor::job || claim->made.job != d.job)) {
    violate(5, "run ", d.run, " of job ", d.job, " starts on claim ", d.claim, ", which is not its own");
  }
  const Taker taker{
      .claim = d.claim, .job = d.job, .service = {}, .ends_ms = std::min(run.loan_due_ms, run.limit_ends_ms)};
  const std::int32_t team = ledger.team_index(job->spec.team);
  for (std::size_t i = 0; i < d.places.size(); ++i) {
    const Placement& place = d.places[i];
    if (auto fault = ledger.fault_of(place)) {
      violate(1, "run ", d.run, " of job ", d.job, ", worker ", i, ": ", *fault);
    }
    check_claimed_cards(taker, "run", d.run.value, place);
    ledger.add(Lease{.holder = {.run = d.run, .replica = {}},
                     .worker = static_cast<std::int32_t>(i),
                     .blocks_guard = true,
                     .team = team,
                     .service = {},
                     .place = place});
    if (claim != nullptr) use_claim_part(d.claim, place);
  }
  if (claim != nullptr) ++claim->starts;
  const RunId before = job->current;
  job->current = d.run;
  job->incarnation = std::max(job->incarnation, d.incarnation);
  ++job->starts;
  runs.emplace(d.run.value, std::move(run));
  if (before.valid()) forget_run_if_done(before);
  guard_decided = true;
}

void Auditor::Impl::check(const decision::StartReplica& d) {
  if (!d.replica.valid() || static_cast<std::int64_t>(d.replica.value) <= replica_newest) {
    violate(9, "replica ", d.replica, " starts, and its number was used before");
    return;
  }
  replica_newest = d.replica.value;
  ServiceRecord* service = service_of(d.service);
  if (service == nullptr || service->stopped) {
    violate(0, "replica ", d.replica, " starts for service ", d.service, ", which is not declared or stopped");
    return;
  }
  if (auto fault = audit::fault_of_place(service->spec.shape, service->spec.models, d.place, ledger)) {
    violate(3, "replica ", d.replica, " of service ", d.service, ": ", *fault);
  }
  if (auto fault = ledger.fault_of(d.place)) {
    violate(1, "replica ", d.replica, " of service ", d.service, ": ", *fault);
  }
  ClaimRecord* claim = claim_of(d.claim);
  const bool own =
      claim != nullptr && (claim->made.beneficiary == ClaimFor::guard_floor ||
                           (claim->made.beneficiary == ClaimFor::service && claim->made.service == d.service));
  if (d.claim.valid() && !own) {
    violate(5, "replica ", d.replica, " of service ", d.service, " starts on claim ", d.claim,
            ", which is not its own");
  }
  check_claimed_cards(Taker{.claim = d.claim, .job = {}, .service = d.service}, "replica", d.replica.value, d.place);
  if (claim != nullptr) {
    ++claim->starts;
    use_claim_part(d.claim, d.place);
  }
  ledger.add(Lease{.holder = {.run = {}, .replica = d.replica},
                   .worker = 0,
                   .blocks_guard = false,
                   .team = ledger.team_index(service->spec.team),
                   .service = d.service,
                   .place = d.place});
  ReplicaRecord& replica = replicas[d.replica.value];
  replica = ReplicaRecord{.service = d.service, .place = d.place, .version = d.version};
  join_live(d.replica, replica);
  const std::int64_t most = std::max(service->spec.max, service->guard) + std::max(1, service->spec.max_extra);
  if (service->live() > most) {
    violate(0, "service ", d.service, " has ", service->live(), " live replicas, at most ", most, " are allowed");
  }
  guard_decided = true;
}

// --- yields ---

void Auditor::Impl::check_claim_of_ask(const decision::AskYield& d, const RunRecord& run) {
  const ClaimRecord* claim = claim_of(d.claim);
  const auto is_it = [&](const change::ClaimVictim& victim) { return victim.run == d.run; };
  if (claim != nullptr && claim->ended && claim->how == ClaimEnd::superseded) {
    // Asked by a timer; then another took over the claim and its victims, in the same step.
    for (const ClaimId heir : claims_made) {
      const ClaimRecord* made = claim_of(heir);
      if (made != nullptr && std::any_of(made->made.victims.begin(), made->made.victims.end(), is_it)) return;
    }
  }
  if (claim == nullptr || claim->ended) {
    violate(5, "run ", d.run, " is asked to yield for claim ", d.claim, ", which is not open");
    return;
  }
  const auto& victims = claim->made.victims;
  const bool named = std::any_of(victims.begin(), victims.end(), is_it);
  if (!named) violate(5, "run ", d.run, " is asked to yield for claim ", d.claim, ", which does not name it");
  if (claim->made.beneficiary == ClaimFor::job && claim->made.job == run.job) {
    violate(5, "run ", d.run, " is asked to yield for its own job");
  }
}

void Auditor::Impl::check(const decision::AskYield& d) {
  RunRecord* run = run_of(d.run);
  if (run == nullptr || run->exited) {
    violate(5, "run ", d.run, " is asked to yield, and does not run");
    return;
  }
  const JobRecord* job = job_of(run->job);
  if (job != nullptr && job->spec.ckpt.mode == CheckpointMode::none) {
    violate(4, "run ", d.run, " of job ", run->job, " is asked to yield, and has no checkpoints");
  }
  if (d.on_demand && job != nullptr && job->spec.ckpt.mode != CheckpointMode::on_demand) {
    violate(4, "run ", d.run, " of job ", run->job, " is asked to save at once, and cannot");
  }
  const bool taking = d.cause == YieldCause::claim || d.cause == YieldCause::rotation || d.cause == YieldCause::move;
  if (taking && !settings->preempt_enabled) violate(5, "run ", d.run, " is asked to yield while preemption is off");
  if (taking && frozen) violate(5, "run ", d.run, " is asked to yield while the pool is frozen");
  if (taking) check_claim_of_ask(d, *run);
  if (d.cause == YieldCause::loan && !run->loan) violate(5, "run ", d.run, " is called back and was never on loan");
  if (d.cause == YieldCause::limit && job != nullptr && job->spec.limit_ms <= 0) {
    violate(5, "run ", d.run, " is asked to yield for a limit that its job ", run->job, " does not have");
  }
  const bool operator_asked = job != nullptr && (job->operator_touched || job->cancelled);
  if (d.cause == YieldCause::drain && !on_draining_node(*run) && !operator_asked) {
    violate(5, "run ", d.run, " is asked to yield for a drain, and stands on no draining node");
  }
  run->ask = Ask{.claim = d.claim, .cause = d.cause, .not_before_ms = d.not_before_ms, .asked_ms = now_ms};
  run->ever_asked = true;
}

void Auditor::Impl::check(const decision::WithdrawYield& d) {
  RunRecord* run = run_of(d.run);
  if (run == nullptr || !run->ask) {
    violate(5, "a request to run ", d.run, " is withdrawn, and it has none");
    return;
  }
  run->ask.reset();
}

// --- stops ---

void Auditor::Impl::check_stop_cause(const decision::StopRun& d, const RunRecord& run, const JobRecord& job) {
  using decision::StopCause;
  switch (d.cause) {
    case StopCause::cancel:
      if (!job.cancelled) violate(4, "run ", d.run, " is stopped as cancelled, job ", run.job, " was not");
      return;
    case StopCause::limit:
      if (job.spec.limit_ms <= 0)
        violate(4, "run ", d.run, " is stopped for a limit that job ", run.job, " does not have");
      if (job.spec.ckpt.mode != CheckpointMode::none && !run.ever_asked && settings->only_at_checkpoint) {
        violate(4, "run ", d.run, " of job ", run.job, " is stopped at its limit, and could have been asked to yield");
      }
      return;
    case StopCause::member_lost:
      if (!run.hit) violate(4, "run ", d.run, " is stopped as having lost a member, and lost none");
      return;
    case StopCause::superseded:
      if (!run.hit && job.current == d.run && !on_silent_node(run)) {
        violate(4, "run ", d.run, " is stopped as superseded, and is current");
      }
      return;
    case StopCause::emergency:
      if (settings->only_at_checkpoint && settings->on_emergency != EmergencyRule::kill && !run.ever_asked) {
        violate(4, "run ", d.run, " of job ", run.job,
                " is stopped away from a boundary, and was never asked to yield");
      }
      return;
    case StopCause::operator_request:
      if (!job.operator_touched && !job.cancelled) {
        violate(4, "run ", d.run, " is stopped for an operator, and no operator named job ", run.job);
      }
      return;
  }
}

void Auditor::Impl::check(const decision::StopRun& d) {
  RunRecord* run = run_of(d.run);
  if (run == nullptr) {
    violate(4, "run ", d.run, " is stopped, and is not known");
    return;
  }
  run->stop_asked = true;
  if (const JobRecord* job = job_of(run->job)) check_stop_cause(d, *run, *job);
}

void Auditor::Impl::check(const decision::StopReplica& d) {
  ReplicaRecord* replica = replica_of(d.replica);
  if (replica == nullptr) {
    violate(0, "replica ", d.replica, " is stopped, and does not live");
    return;
  }
  const bool was_live = !replica->stale && replica->state != ReplicaState::draining;
  replica->state = ReplicaState::draining;
  if (!was_live) return;
  leave_live(d.replica, *replica);
  ServiceRecord* service = service_of(replica->service);
  guard_decided = true;
  if (service == nullptr || service->stopped) return;
  const std::int64_t may_miss = d.cause == decision::DrainCause::update ? service->spec.max_missing : 0;
  if (d.cause == decision::DrainCause::card_lost) return;
  if (service->live() + may_miss >= service->guard) return;
  violate(6, "replica ", d.replica, " of service ", replica->service, " is stopped: ", service->live(),
          " live are left of a guard of ", service->guard);
}

}  // namespace weir
