#include "engine/apply/apply.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "engine/apply/bounds.h"
#include "engine/apply/jobs.h"
#include "engine/guard/floor.h"
#include "engine/guard/services.h"
#include "engine/place/demand.h"
#include "engine/place/fit.h"
#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/claims.h"
#include "engine/preempt/leavers.h"
#include "engine/tiers/queue.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

// --- running work ---

void apply(Pool& pool, const event::RunExited& e) { end_run(pool, e.run, e.how, e.progress_ms); }
void apply(Pool& pool, const event::WorkerDone& e) { worker_done(pool, e.run, e.worker); }
void apply(Pool&, const event::RunStarted&) {}

void apply(Pool& pool, const event::ReplicaExited& e) {
  const ReplicaRec* replica = replica_of(pool, e.replica);
  if (replica == nullptr) return;
  ServiceRec& service = pool.services.at(replica->service.value);
  const bool failed = e.failed && replica->state != ReplicaState::draining;
  forget_replica(pool, e.replica);
  if (!failed) return;
  ++service.failures;
  if (service.failures < 2) return;  // once is replaced at once
  DurationMs pause = pool.settings->backoff_first_ms;
  for (std::int32_t i = 2; i < service.failures && pause < pool.settings->backoff_max_ms; ++i) pause *= 4;
  service.backoff_until_ms = pool.now_ms + std::min(pause, pool.settings->backoff_max_ms);
  wake_at(pool, service.backoff_until_ms, Timer::service, service.spec.id.value);
}

void apply(Pool& pool, const event::CheckpointCommitted& e) {
  RunRec* run = run_of(pool, e.run);
  JobRec* job = run == nullptr || !run->current ? nullptr : job_of(pool, run->job);
  if (job != nullptr) job->progress_ms = std::max(job->progress_ms, bounded(e.progress_ms));
}

void apply(Pool& pool, const event::ProgressReported& e) {
  RunRec* run = run_of(pool, e.run);
  JobRec* job = run == nullptr || !run->current ? nullptr : job_of(pool, run->job);
  if (job == nullptr || e.remaining_ms < 0) return;
  job->remaining_ms = bounded(e.remaining_ms);
  job->remaining_at_ms = bounded(e.progress_ms);
  refresh_tier(pool, *job);
}

void apply(Pool& pool, const event::ReadyToYield& e) {
  RunRec* run = run_of(pool, e.run);
  if (run == nullptr) return;
  unlist_run(pool, *run);
  run->writing = true;
  if (run->ask.state == AskState::none)
    run->ask.free_ms = pool.now_ms + write_time(pool, *run);  // unasked, or taken back
  run->ask.free_ms = std::max(run->ask.free_ms, pool.now_ms);
}

void apply(Pool& pool, const event::ReplicaReady& e) {
  ReplicaRec* replica = replica_of(pool, e.replica);
  if (replica == nullptr || replica->state != ReplicaState::starting) return;
  replica->state = ReplicaState::ready;
  pool.services.at(replica->service.value).failures = 0;
  ++pool.epoch;
  tell(pool, change::ReplicaStateSet{e.replica, replica->service, ReplicaState::ready});
}

// --- need and guard ---

void apply(Pool& pool, const event::NeedMeasured& e, TimeMs at_ms) {
  ServiceRec* service = service_of(pool, e.service);
  if (service == nullptr) return;
  service->need = bounded_count(e.replicas) + bounded_count(e.ramp);
  service->stale_said = false;
  ++pool.epoch;
  service->valid_until_ms = bounded_instant(e.valid_until_ms);
  const DurationMs stale = pool.settings->stale_need_ms;
  if (e.valid_until_ms >= kNever && stale < kNever) service->valid_until_ms = at_ms + stale;
  if (service->valid_until_ms < kNever) wake_at(pool, service->valid_until_ms + 1, Timer::service, e.service.value);
}

void apply(Pool& pool, const event::GuardPublished& e) {
  ServiceRec* service = service_of(pool, e.service);
  if (service == nullptr || service->stopped) return;  // a stopped service is owed nothing
  service->guard = bounded_count(e.guard);
  level_guard(pool, *service);
  ++pool.epoch;
}

void apply(Pool& pool, const event::NeedPlanned& e) {
  if (ServiceRec* service = service_of(pool, e.service)) {
    service->planned.push_back({bounded_count(e.replicas), bounded_instant(e.from_ms), bounded_instant(e.until_ms)});
    ++pool.epoch;
  }
}

void apply(Pool& pool, const event::RequestArrived& e, TimeMs at_ms) {
  ServiceRec* service = service_of(pool, e.service);
  if (service == nullptr || service->spec.idle_ms <= 0) return;
  service->awake_until_ms = std::max(service->awake_until_ms, at_ms + service->spec.idle_ms);
  ++pool.epoch;
  wake_at(pool, service->awake_until_ms, Timer::service, e.service.value);
}

// --- settings, services, operator ---

void declare_team(Pool& pool, const TeamSpec& spec) {
  Team& team = team_named(pool, spec.name);
  team.spec = bounded(spec);
  team.declared = true;
  ++pool.epoch;
}

// Runs as the new settings see them.
void resettle_runs(Pool& pool) {
  std::vector<RunId> ids;
  for (const auto& [id, run] : pool.runs) ids.emplace_back(id);
  for (const RunId id : ids) {
    RunRec& run = pool.runs.at(id.value);
    const bool listed = run.listed;
    unlist_run(pool, run);
    if (const JobRec* job = job_of(pool, run.job)) run.rank = rank_of(pool, *job);
    if (listed) list_run(pool, run);
    if (run.current) lend(pool, run, lendable(pool, run.ckpt, run.speed_milli));
  }
}

void apply(Pool& pool, const event::ConfigSet& e) {
  if (e.settings == nullptr) return;
  pool.settings = bounded(e.settings);
  for (const TeamSpec& team : pool.settings->teams) declare_team(pool, team);
  ++pool.fit.pool_version;
  ++pool.epoch;
  for (auto& [id, service] : pool.services) service.rank = rank_of(pool, service.spec);
  for (auto& [id, job] : pool.jobs) {
    refresh_tier(pool, job);
    if (job.queued) enqueue(pool, job);
  }
  reorder_heads(pool);  // another rule of order gives other keys
  resettle_runs(pool);
  pool.shares_at_ms = kNever;
}

void apply(Pool& pool, const event::ServiceDeclared& e) {
  const ServiceSpec spec = bounded(e.service);
  if (!spec.id.valid()) return;
  ServiceRec& service = pool.services[spec.id.value];
  const bool fresh = !service.spec.id.valid();
  const bool moved = !fresh && (service.spec.shape != spec.shape || service.spec.models != spec.models);
  if (fresh || service.spec.guard != spec.guard) service.guard = spec.guard;
  service.spec = spec;
  service.stopped = false;
  service.replacing = !fresh;
  service.team = team_index(pool, spec.team);
  service.fit = fit_of(pool, spec.shape, spec.models, spec.models_in_order, "");
  service.rank = rank_of(pool, spec);
  if (moved) {
    // Claims were made for what it was.
    for (const ClaimId id : std::vector<ClaimId>(service.claims)) shrink_claim(pool, id, 0);
  }
  level_guard(pool, service);
  ++pool.epoch;
}

void apply(Pool& pool, const event::ServiceStopped& e) {
  ServiceRec* service = service_of(pool, e.service);
  if (service == nullptr) return;
  service->stopped = true;
  service->guard = service->need = 0;
  service->planned.clear();
  level_guard(pool, *service);
  ++pool.epoch;
}

void apply(Pool& pool, const event::JobSubmitted& e) { submit(pool, e.job); }

void apply(Pool& pool, const event::JobCancelled& e) {
  JobRec* job = job_of(pool, e.job);
  if (job == nullptr) return;
  RunRec* run = run_of(pool, job->run);
  job->cancelled = true;
  if (run == nullptr) {
    end_job(pool, *job, JobState::cancelled);
  } else if (!run->stopping) {
    run->stopping = true;
    decide(pool, decision::StopRun{run->id, decision::StopCause::cancel});
    ++pool.epoch;
  }
}

void apply(Pool& pool, const event::JobEdited& e) {
  JobRec* job = job_of(pool, e.job);
  if (job == nullptr) return;
  const TierSpec* tier = e.tier ? tier_named(pool, *e.tier) : nullptr;
  if (tier != nullptr && tier->role == TierRole::training) job->spec.tier = *e.tier;
  if (e.deadline_ms) {
    job->spec.deadline_ms = bounded_instant(*e.deadline_ms);
    job->promoted = job->past_deadline = false;
    refund_budget(pool, *job);
  }
  if (e.limit_ms) {
    const DurationMs limit = job->spec.limit_ms = bounded(*e.limit_ms);
    if (RunRec* run = run_of(pool, job->run)) {
      run->limit_end_ms = limit <= 0 ? kNever : std::max(run->start_ms + limit, instant_of_work(*run, limit));
      wake_at(pool, run->limit_end_ms, Timer::limit, run->id.value);
    }
  }
  refresh_tier(pool, *job);
  if (job->queued) enqueue(pool, *job);
  if (RunRec* run = run_of(pool, job->run)) {
    run->has_deadline = job->spec.deadline_ms < kNever;
    set_rank(pool, *run, rank_of(pool, *job));
  }
  if (job->claim.valid()) end_claim(pool, job->claim, ClaimEnd::withdrawn);
  std::erase_if(pool.reservations, [&](const Reservation& r) { return r.job == e.job; });
  ++pool.epoch;
}

void apply(Pool& pool, const event::JobHeld& e) {
  JobRec* job = job_of(pool, e.job);
  if (job == nullptr || job->operator_held == e.on) return;
  job->operator_held = e.on;
  if (!e.on) job->idle_runs = 0;
  if (job->run.valid()) return;
  if (e.on && job->claim.valid()) end_claim(pool, job->claim, ClaimEnd::withdrawn);
  make_wait(pool, *job, true);
}

void apply(Pool& pool, const event::JobRequeued& e) {
  JobRec* job = job_of(pool, e.job);
  if (job == nullptr) return;
  RunRec* run = run_of(pool, job->run);
  if (run == nullptr) {
    job->idle_runs = 0;
    if (job->operator_held) {
      job->operator_held = false;
      make_wait(pool, *job, true);
    }
    return;
  }
  if (run->stopping || run->ask.state != AskState::none) return;
  job->requeue_asked = true;
  if (job->spec.ckpt.mode == CheckpointMode::none) {
    run->stopping = true;
    decide(pool, decision::StopRun{run->id, decision::StopCause::operator_request});
  } else {
    ask(pool, *run, ClaimId(), YieldCause::drain, boundary_from(pool, *run, pool.now_ms));
  }
}

void apply(Pool& pool, const event::QuotaSet& e) { declare_team(pool, e.team); }

void apply(Pool& pool, const event::FreezeSet& e) {
  pool.frozen = e.on;
  if (e.on) withdraw_unasked(pool);
  ++pool.epoch;
}

// --- timers ---

// Ends a loan when what it stands on is still wanted; else it goes on.
void loan_due(Pool& pool, RunRec& run) {
  if (!run.loan || run.ask.state != AskState::none || run.stopping) return;
  TimeMs due = kNever;
  const auto consider = [&](const Placement& place, TimeMs at) {
    for (const Placement& own : run.places) {
      if (own.node == place.node && (own.cards & place.cards) != 0) due = std::min(due, at);
    }
  };
  for (const Reservation& r : pool.reservations) {
    for (const Placement& place : r.places) consider(place, r.due_ms);
  }
  for (const auto& [id, claim] : pool.claims) {
    for (const ClaimPart& part : claim.parts) consider(part.place, claim.due_ms);
  }
  if (due >= kNever) {
    run.loan = false;
    run.loan_due_ms = kNever;
    ++pool.epoch;
    return;
  }
  const TimeMs until = std::max(due, run.loan_due_ms) - write_time(pool, run);
  TimeMs last = boundary_until(pool, run, pool.now_ms, until);
  if (last >= kNever) last = boundary_from(pool, run, pool.now_ms);
  const TimeMs send = boundary_before(pool, run, last);
  if (send > pool.now_ms) {
    wake_at(pool, send, Timer::loan, run.id.value);
  } else {
    ask(pool, run, ClaimId(), YieldCause::loan, last);
  }
}

void fire(Pool& pool, const TimerEntry& timer) {
  switch (timer.kind) {
    case Timer::promote:
    case Timer::age:
      if (JobRec* job = job_of(pool, JobId(timer.id))) refresh_tier(pool, *job);
      return;
    case Timer::backoff: {
      JobRec* job = job_of(pool, JobId(timer.id));
      if (job != nullptr && job->state == JobState::backoff) make_wait(pool, *job, false);
      return;
    }
    case Timer::ask:
      if (RunRec* run = run_of(pool, RunId(timer.id)); run != nullptr && run->ask.send_ms <= pool.now_ms) {
        send_ask(pool, *run);
      }
      return;
    case Timer::limit:
      if (RunRec* run = run_of(pool, RunId(timer.id))) limit_reached(pool, *run);
      return;
    case Timer::loan:
      if (RunRec* run = run_of(pool, RunId(timer.id))) loan_due(pool, *run);
      return;
    case Timer::node:
      if (Node* node = node_of(pool, NodeId(timer.id))) node_timed_out(pool, *node);
      return;
    case Timer::eligible:
    case Timer::claim:
    case Timer::service:
      ++pool.epoch;
      return;
    case Timer::share:
      return;
  }
}

// A later fact of the same step may have made an earlier answer pointless: whom it
// tells to go has gone.
void drop_moot(Pool& pool) {
  std::vector<Decision>& decisions = pool.out.decisions;
  const std::size_t before = decisions.size();
  const auto first = before == 0 ? std::uint64_t{0} : decisions.front().id;
  std::erase_if(decisions, [&](const Decision& d) {
    if (const auto* stop = std::get_if<decision::StopReplica>(&d.body))
      return !pool.replicas.contains(stop->replica.value);
    if (const auto* stop = std::get_if<decision::StopRun>(&d.body)) return run_of(pool, stop->run) == nullptr;
    if (const auto* ask = std::get_if<decision::AskYield>(&d.body)) return run_of(pool, ask->run) == nullptr;
    if (const auto* back = std::get_if<decision::WithdrawYield>(&d.body)) return run_of(pool, back->run) == nullptr;
    return false;
  });
  if (decisions.size() == before) return;
  for (std::size_t i = 0; i < decisions.size(); ++i) decisions[i].id = first + i;
  pool.next_decision = first + decisions.size();
}

}  // namespace

void apply_events(Pool& pool, std::span<const Event> events) {
  std::vector<const Event*> order;
  order.reserve(events.size());
  for (const Event& event : events) order.push_back(&event);
  std::stable_sort(order.begin(), order.end(), [](const Event* a, const Event* b) {
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->body.index() < b->body.index();
  });
  for (const Event* event : order) {
    const TimeMs at = std::clamp<TimeMs>(event->at_ms, 0, pool.now_ms);
    std::visit(
        [&](const auto& body) {
          if constexpr (requires { apply(pool, body, at); }) {
            apply(pool, body, at);
          } else {
            apply(pool, body);
          }
        },
        event->body);
  }
  drop_moot(pool);
}

void apply_timers(Pool& pool) {
  while (!pool.timers.empty() && pool.timers.begin()->at_ms <= pool.now_ms) {
    const TimerEntry timer = *pool.timers.begin();
    pool.timers.erase(pool.timers.begin());
    fire(pool, timer);
  }
}

}  // namespace weir::engine
