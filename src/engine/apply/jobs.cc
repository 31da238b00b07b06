#include "engine/apply/jobs.h"

#include <algorithm>

#include "engine/apply/bounds.h"
#include "engine/estimate/history.h"
#include "engine/guard/floor.h"
#include "engine/place/demand.h"
#include "engine/place/leases.h"
#include "engine/place/place.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/claims.h"
#include "engine/tiers/queue.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::int32_t kIdleRunsMax = 2;

Misfit tier_misfit(const Pool& pool, const JobSpec& job) {
  if (job.tier.empty()) return {};
  const TierSpec* tier = tier_named(pool, job.tier);
  if (tier == nullptr && !pool.settings->tiers.empty()) return {"tier", "there is no tier " + job.tier};
  if (tier != nullptr && tier->role != TierRole::training) {
    return {"tier", "tier " + job.tier + " is not one that a job may name"};
  }
  const Index index = pool.teams_by_name.find(job.team);
  if (index == kNoIndex || !pool.teams[index].declared) return {};
  const std::vector<std::string>& allowed = pool.teams[index].spec.tiers;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), job.tier) == allowed.end()) {
    return {"tier", "team " + job.team + " may not use tier " + job.tier};
  }
  return {};
}

bool waits_for_others(Pool& pool, const JobRec& job) {
  bool waits = false;
  for (const JobId before : job.spec.after) {
    if (!pool.jobs.contains(before.value)) continue;
    std::vector<std::uint32_t>& list = pool.waits_for[before.value];
    if (std::find(list.begin(), list.end(), job.spec.id.value) == list.end()) list.push_back(job.spec.id.value);
    waits = true;
  }
  return waits;
}

void set_state(Pool& pool, JobRec& job, JobState state, bool always = false) {
  if (job.state == state && !always) return;
  job.state = state;
  tell(pool, change::JobStateSet{job.spec.id, state});
}

void note_yield(Pool& pool, JobRec& job) {
  std::rotate(job.yields.begin(), job.yields.begin() + 1, job.yields.end());
  job.yields.back() = pool.now_ms;
}

void failed_by_itself(Pool& pool, JobRec& job) {
  ++job.failures;
  if (job.failures > job.spec.max_retries) {
    end_job(pool, job, JobState::failed);
    return;
  }
  DurationMs pause = pool.settings->backoff_first_ms;
  for (std::int32_t i = 1; i < job.failures && pause < pool.settings->backoff_max_ms; ++i) pause *= 4;
  job.backoff_until_ms = pool.now_ms + std::min(pause, pool.settings->backoff_max_ms);
  wake_at(pool, job.backoff_until_ms, Timer::backoff, job.spec.id.value);
  make_wait(pool, job, true);
}

void timed_out(Pool& pool, JobRec& job) {
  ++job.timeouts;
  if (job.timeouts > job.spec.max_timeouts) {
    end_job(pool, job, JobState::failed);
  } else {
    make_wait(pool, job, true);
  }
}

void after_run(Pool& pool, JobRec& job, const RunRec& run, event::Exit how) {
  using event::Exit;
  const bool past_limit = run.limit_end_ms <= pool.now_ms;
  if (how == Exit::done) return end_job(pool, job, JobState::succeeded);
  if (job.cancelled) return end_job(pool, job, JobState::cancelled);
  if (how == Exit::failed && !run.stopping) return failed_by_itself(pool, job);
  if (how == Exit::yielded && run.ask.cause == YieldCause::limit) return timed_out(pool, job);
  if (how == Exit::stopped && past_limit && run.ask.state == AskState::none) return timed_out(pool, job);
  if (how == Exit::yielded || (how == Exit::stopped && run.ask.state == AskState::asked)) {
    const YieldCause cause = run.ask.cause;
    if (cause == YieldCause::claim || cause == YieldCause::rotation || cause == YieldCause::move) note_yield(pool, job);
    if (job.idle_runs >= kIdleRunsMax && !job.operator_held) {
      job.operator_held = true;
      alarm(pool, {.kind = change::AlarmKind::run_held, .node = {}, .job = job.spec.id, .service = {}, .run = run.id});
    }
  }
  job.requeue_asked = false;
  make_wait(pool, job, true);
}

void forget_run(Pool& pool, RunRec& run) {
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    if (!run.left[i]) vacate(pool, false, run.id.value, run.places[i], static_cast<std::int32_t>(i));
  }
  lend(pool, run, false);
  unlist_run(pool, run);
}

void take_progress(JobRec& job, const RunRec& run, DurationMs progress) {
  const DurationMs useful = std::max<DurationMs>(0, progress - run.resume_ms);
  job.progress_ms = std::max(job.progress_ms, progress);
  job.service = std::min(kNever, job.service + product(useful, run.milli));
  job.idle_runs = useful > 0 ? 0 : job.idle_runs + 1;
  if (job.spec.ckpt.scope == CheckpointScope::node && useful > 0) {
    job.ckpt_nodes.clear();
    for (const Placement& place : run.places) job.ckpt_nodes.push_back(place.node);
  }
}

// What placing needs is kept once for all jobs alike (place/demand.h); a queue of
// ten thousand must not carry it ten thousand times.
void forget_shape(JobSpec& spec) {
  spec.roles = std::vector<WorkerGroup>();
  spec.elastic = std::vector<ElasticShape>();
  spec.models = std::vector<std::string>();
  spec.name = spec.user = std::string();
}

}  // namespace

void submit(Pool& pool, const JobSpec& spec) {
  if (pool.jobs.contains(spec.id.value)) return;  // told again
  Misfit misfit = misfit_of(pool, spec);
  if (misfit.field.empty()) misfit = tier_misfit(pool, spec);
  if (!misfit.field.empty()) {
    tell(pool, change::JobRejected{spec.id, misfit.field, misfit.message});
    return;
  }
  JobRec& job = pool.jobs[spec.id.value];
  job.spec = bounded(spec);
  if (job.spec.ckpt.mode == CheckpointMode::interval && job.spec.ckpt.interval_ms <= 0) {
    job.spec.ckpt.interval_ms = pool.settings->assumed_interval_ms;
  }
  job.team = team_index(pool, spec.team);
  job.demand = demand_of(pool, job.spec);
  job.contract = contract_of(pool, job.spec.ckpt);
  job.history = history_of(pool, job.spec, pool.demands[job.demand].variants.front().milli);
  const Variant& largest = pool.demands[job.demand].variants.front();
  for (std::size_t g = 0; g < largest.groups.size(); ++g) {
    for (std::int32_t i = 0; i < largest.groups[g].count; ++i) note_asked(pool, largest.fits[g]);
  }
  forget_shape(job.spec);
  // What is not known by now has ended, or never was: nobody waits for it, and no two jobs for each other.
  std::erase_if(job.spec.after, [&](JobId before) { return before == spec.id || !pool.jobs.contains(before.value); });
  set_state(pool, job, JobState::waiting, true);
  make_wait(pool, job, true);
}

void make_wait(Pool& pool, JobRec& job, bool new_stay) {
  if (new_stay) job.stay_since_ms = pool.now_ms;
  const bool backs_off = job.backoff_until_ms < kNever && job.backoff_until_ms > pool.now_ms;
  if (job.operator_held) {
    set_state(pool, job, JobState::held);
    set_apart(pool, job);
  } else if (backs_off) {
    set_state(pool, job, JobState::backoff);
    set_apart(pool, job);
  } else if (waits_for_others(pool, job)) {
    set_state(pool, job, JobState::waiting);
    set_apart(pool, job);
  } else {
    job.backoff_until_ms = kNever;
    set_state(pool, job, JobState::waiting);
    refresh_tier(pool, job);
    enqueue(pool, job);
    const DurationMs max_wait = pool.settings->aging_max_wait_ms;
    if (max_wait < kNever / 2) wake_at(pool, job.stay_since_ms + max_wait, Timer::age, job.spec.id.value);
    if (pool.settings->rotation.on && pool.demands[job.demand].variants.front().cards > 1) {
      wake_at(pool, job.spec.submitted_ms + pool.settings->rotation.gang_after_ms, Timer::eligible, job.spec.id.value);
    }
  }
  ++pool.epoch;
}

void end_job(Pool& pool, JobRec& job, JobState state) {
  const std::uint32_t id = job.spec.id.value;
  if (job.claim.valid()) end_claim(pool, job.claim, ClaimEnd::withdrawn);
  dequeue(pool, job);
  refund_budget(pool, job);
  if (state == JobState::succeeded) note_run_time(pool, job.history, job.progress_ms);
  std::erase_if(pool.reservations, [&](const Reservation& r) { return r.job == JobId(id); });
  set_state(pool, job, state, true);
  pool.jobs.erase(id);
  const auto waiting = pool.waits_for.find(id);
  if (waiting == pool.waits_for.end()) return;
  const std::vector<std::uint32_t> others = std::move(waiting->second);
  pool.waits_for.erase(waiting);
  for (const std::uint32_t other : others) {
    JobRec* next = job_of(pool, JobId(other));
    if (next != nullptr && !next->queued && next->state == JobState::waiting) make_wait(pool, *next, true);
  }
}

void lend(Pool& pool, RunRec& run, bool on) {
  if (run.lent == on) return;
  run.lent = on;
  pool.lent_cards += on ? run.cards : -run.cards;
}

void start_job(Pool& pool, JobRec& job, const Start& start) {
  const Demand& demand = pool.demands[job.demand];
  const Variant& variant = demand.variants[start.variant];
  const RunId id(pool.next_run++);
  RunRec& run = pool.runs.add(id.value);
  run.id = id;
  run.job = job.spec.id;
  run.team = job.team;
  run.incarnation = ++job.incarnation;
  run.places = start.places;
  run.left.assign(start.places.size(), false);
  for (const Placement& place : start.places) {
    run.milli += milli_of(place);
    run.cards += std::popcount(place.cards);
  }
  run.start_ms = pool.now_ms;
  run.resumed = run.incarnation > 1;
  run.work_from_ms = pool.now_ms + (run.resumed ? job.spec.ckpt.restart_ms : 0);
  run.speed_milli = speed_on(pool, demand, variant, start.places);
  run.resume_ms = job.progress_ms;
  run.ckpt = job.spec.ckpt;
  run.submitted_ms = job.spec.submitted_ms;
  run.has_deadline = job.spec.deadline_ms < kNever;
  run.yields = job.yields;
  run.rank = rank_of(pool, job);
  run.preemptible = job.spec.ckpt.mode != CheckpointMode::none;
  run.loan = start.loan_due_ms < kNever;
  run.loan_due_ms = start.loan_due_ms;
  if (job.spec.limit_ms > 0) {
    // Neither a slow size nor a restart may cut short what the limit allows.
    run.limit_end_ms = std::max(run.start_ms + job.spec.limit_ms, instant_of_work(run, job.spec.limit_ms));
    wake_at(pool, run.limit_end_ms, Timer::limit, id.value);
  }
  charge_budget(pool, job);
  dequeue(pool, job);
  job.run = id;
  if (start.claim.valid()) end_claim(pool, start.claim, ClaimEnd::started);
  std::erase_if(pool.reservations, [&](const Reservation& r) { return r.job == job.spec.id; });
  for (std::size_t i = 0; i < start.places.size(); ++i) {
    occupy(pool, false, id.value, static_cast<std::int32_t>(i), start.places[i]);
  }
  lend(pool, run, lendable(pool, job.spec.ckpt, run.speed_milli));
  list_run(pool, run);
  if (pool.settings->rotation.on && run.preemptible) {
    wake_at(pool, ripe_from(pool, run, false), Timer::eligible, job.spec.id.value);
    wake_at(pool, ripe_from(pool, run, true), Timer::eligible, job.spec.id.value);
  }
  if (run.loan && run.preemptible) {
    const TimeMs last = boundary_until(pool, run, pool.now_ms, run.loan_due_ms - write_time(pool, run));
    if (last < kNever) wake_at(pool, boundary_before(pool, run, last), Timer::loan, id.value);
  }
  job.aged = job.starved = false;
  decide(pool, decision::StartRun{.run = id,
                                  .job = job.spec.id,
                                  .incarnation = run.incarnation,
                                  .places = start.places,
                                  .resume_progress_ms = run.resume_ms,
                                  .speed_milli = run.speed_milli,
                                  .loan = run.loan,
                                  .loan_due_ms = run.loan_due_ms,
                                  .claim = start.claim});
  set_state(pool, job, JobState::running);
  ++pool.epoch;
}

void end_run(Pool& pool, RunId id, event::Exit how, DurationMs progress_ms) {
  RunRec* found = run_of(pool, id);
  if (found == nullptr) {
    if (id.value >= pool.next_run) {
      alarm(pool, {.kind = change::AlarmKind::unknown_run, .node = {}, .job = {}, .service = {}, .run = id});
    }
    return;
  }
  forget_run(pool, *found);
  const RunRec run = std::move(*found);
  pool.runs.erase(id.value);
  victim_left(pool, id);
  tell(pool, change::RunEnded{id, run.job});
  ++pool.epoch;
  JobRec* job = job_of(pool, run.job);
  if (!run.current || job == nullptr || job->run != id) return;
  job->run = RunId();
  take_progress(*job, run, bounded(progress_ms));
  after_run(pool, *job, run, how);
}

void worker_done(Pool& pool, RunId id, std::int32_t worker) {
  RunRec* run = run_of(pool, id);
  const auto i = static_cast<std::size_t>(worker);
  if (run == nullptr || worker < 0 || i >= run->left.size() || run->left[i]) return;
  const std::int64_t cards = std::popcount(run->places[i].cards);
  if (run->lent) pool.lent_cards -= cards;
  run->left[i] = true;
  run->cards -= cards;
  vacate(pool, false, id.value, run->places[i], worker);
  ++pool.epoch;
}

void stop_for_loss(Pool& pool, RunRec& run) {
  if (run.stopping) return;
  unlist_run(pool, run);
  run.stopping = true;
  decide(pool, decision::StopRun{run.id, decision::StopCause::member_lost});
  ++pool.epoch;
}

void supersede(Pool& pool, RunRec& run) {
  if (!run.current) return;
  JobRec* job = job_of(pool, run.job);
  lend(pool, run, false);
  unlist_run(pool, run);
  run.current = false;
  run.stale = true;
  std::vector<Placement> places;
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    if (!run.left[i]) places.push_back(run.places[i]);
  }
  holder_changed(pool, places);
  if (!run.stopping) decide(pool, decision::StopRun{run.id, decision::StopCause::superseded});
  run.stopping = true;
  ++pool.epoch;
  if (job == nullptr || job->run != run.id) return;
  job->run = RunId();
  take_progress(*job, run, job->progress_ms);
  if (job->cancelled) {
    end_job(pool, *job, JobState::cancelled);
  } else {
    make_wait(pool, *job, true);
  }
}

void limit_reached(Pool& pool, RunRec& run) {
  if (!run.current || run.stopping || run.writing || pool.now_ms < run.limit_end_ms) return;
  if (run.preemptible && pool.settings->only_at_checkpoint) {
    if (run.ask.state == AskState::asked && run.ask.cause == YieldCause::limit) return;
    const ClaimId none;
    ask(pool, run, none, YieldCause::limit, boundary_from(pool, run, pool.now_ms));
    return;
  }
  run.stopping = true;
  decide(pool, decision::StopRun{run.id, decision::StopCause::limit});
}

}  // namespace weir::engine
