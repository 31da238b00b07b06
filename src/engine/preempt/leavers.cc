#include "engine/preempt/leavers.h"

#include <algorithm>
#include <bit>

#include "engine/apply/bounds.h"
#include "engine/estimate/history.h"
#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

std::int64_t yields_lately(const Pool& pool, const RunRec& run) {
  return std::count_if(run.yields.begin(), run.yields.end(),
                       [&](TimeMs at) { return at < kNever && at + kDay > pool.now_ms; });
}

// Useful work x size at which a run's job leaves level 0, as work of this run.
DurationMs work_until_level1(const Pool& pool, const RunRec& run, const JobRec& job) {
  const MilliGpuMs left = pool.settings->rotation.first_service - job.service;
  if (left <= 0) return 0;
  return (left + run.milli - 1) / std::max<std::int64_t>(1, run.milli);
}

bool ripe(const Pool& pool, const Taker& taker, const RunRec& run) {
  if (taker.level == 0 && pool.now_ms >= run.ripe_ms) return true;
  return taker.gang_cards > 0 && run.cards <= taker.gang_cards && pool.now_ms >= run.gang_ripe_ms;
}

bool would_miss_deadline(const Pool& pool, const RunRec& run, TimeMs free_ms) {
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr) return false;
  const DurationMs remaining = remaining_of(pool, *job);
  return remaining >= 0 && free_ms + run.ckpt.restart_ms + remaining > job->spec.deadline_ms;
}

// By which right the taker may have this run, if any.
bool right_to(const Pool& pool, const Taker& taker, const RunRec& run, Leaver& leaver) {
  const bool kill = !pool.settings->only_at_checkpoint;
  if (!run.current || run.stale || run.stopping || run.writing || (!run.preemptible && !kill)) return false;
  if (run.job == taker.job || run.start_ms == pool.now_ms) return false;  // what starts in a step is not taken in it
  if (taker.own_team_only && run.team != taker.team) return false;
  if (run.rank < taker.rank) return true;
  if (run.rank > taker.rank || taker.service.valid()) return false;
  const Team& team = pool.teams[run.team];
  const bool other_team = run.team != taker.team;
  const bool borrows = above_entitlement_milli(pool, team) > 0;
  if (other_team && taker.within_own && borrows) {
    leaver.over_entitlement = true;
    return true;
  }
  if (!taker.rotates || !run.preemptible || run.rank >= deadline_rank(pool) || !ripe(pool, taker, run)) return false;
  if (other_team && !borrows && !taker.within_own) return false;
  leaver.cause = YieldCause::rotation;
  return true;
}

}  // namespace

Taker taker_of(Pool& pool, const JobRec& job, const Variant& variant) {
  const Settings& s = *pool.settings;
  Taker taker;
  taker.rank = rank_of(pool, job);
  taker.team = job.team;
  taker.job = job.spec.id;
  taker.milli = variant.milli;
  const Team& team = pool.teams[job.team];
  taker.within_own = within_entitlement(pool, team, variant.milli);
  taker.level = job.level;
  const bool short_or_soft = job.spec.ckpt.mode != CheckpointMode::none ||
                             (job.spec.limit_ms > 0 && job.spec.limit_ms <= s.rotation.short_limit_ms);
  taker.rotates = s.rotation.on && short_or_soft && !job.promoted;
  const bool waited = pool.now_ms - job.spec.submitted_ms >= s.rotation.gang_after_ms;
  taker.gang_cards = variant.cards > 1 && waited ? variant.cards : 0;
  taker.from_inference = job.aged && pool.training_cards + variant.cards <= s.training_floor_cards;
  taker.need_by_ms = pool.now_ms;
  return taker;
}

Taker taker_of(const Pool& pool, const ServiceRec& service, Rank rank) {
  Taker taker;
  taker.rank = rank;
  taker.team = service.team;
  taker.service = service.spec.id;
  taker.milli = milli_of(service.spec.shape);
  taker.need_by_ms = pool.now_ms;
  return taker;
}

TimeMs ripe_from(const Pool& pool, const RunRec& run, bool gang) {
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr) return kNever;
  const RotationSettings& r = pool.settings->rotation;
  if (gang) return instant_of_work(run, r.gang_victim_after_ms);
  const DurationMs work =
      std::max({r.victim_after_ms, 4 * job->spec.ckpt.restart_ms, work_until_level1(pool, run, *job)});
  return instant_of_work(run, work);
}

namespace {

Leaver as_it_stands(const Pool& pool, const Taker& taker, const RunRec& run) {
  Leaver leaver{.kind = LeaverKind::run, .id = run.id.value};
  leaver.team = run.team;
  leaver.milli = run.milli;
  leaver.cards = run.cards;
  leaver.training = true;
  leaver.natural_ms = std::min(run.limit_end_ms, run.loan_due_ms);
  if (run.stale) leaver.natural_ms = kNever;
  if (run.stopping || run.writing)
    leaver.natural_ms = std::max(pool.now_ms, run.writing ? run.ask.free_ms : pool.now_ms);
  if (run.ask.state != AskState::none) {
    leaver.natural_ms = std::min(leaver.natural_ms, std::max(pool.now_ms, run.ask.free_ms));
    return leaver;
  }
  if (taker.spare_lent && run.lent) return leaver;
  if (!right_to(pool, taker, run, leaver)) return leaver;
  leaver.boundary_ms = boundary_from(pool, run, std::max(pool.now_ms, eligible_from(pool, run)), leaver.cause);
  if (leaver.boundary_ms >= kNever) return leaver;
  leaver.may_take = true;
  leaver.free_ms = leaver.boundary_ms + write_time(pool, run, leaver.cause);
  leaver.tier =
      run.has_deadline && would_miss_deadline(pool, run, leaver.free_ms) ? rank_above(pool, run.rank) : run.rank;
  leaver.submitted_ms = run.submitted_ms;
  DurationMs lost = 0;
  if (kills(pool, leaver.cause) && run.ckpt.mode != CheckpointMode::on_demand) {
    const DurationMs done = work_done(run, pool.now_ms);
    const DurationMs interval = run.ckpt.interval_ms;
    lost = run.ckpt.mode == CheckpointMode::interval && interval > 0 ? done % interval : run.resume_ms + done;
  }
  const DurationMs each = lost + run.ckpt.restart_ms + run.ckpt.write_ms;
  leaver.cost = product(run.milli, each) / kMilliPerCard * (1 + yields_lately(pool, run));
  return leaver;
}

}  // namespace

Leaver leaver_of(const Pool& pool, const Taker& taker, const RunRec& run) {
  Leaver leaver = as_it_stands(pool, taker, run);
  if (!taker.promised) return leaver;
  leaver.natural_ms = std::min(leaver.natural_ms, leaver.may_take ? leaver.free_ms : kNever);
  if (!run.stale) leaver.natural_ms = std::min(leaver.natural_ms, promised_end(pool, run));
  leaver.may_take = false;
  return leaver;
}

Leaver leaver_of(const Pool& pool, const Taker& taker, const ReplicaRec& replica) {
  Leaver leaver{.kind = LeaverKind::replica, .id = replica.id.value};
  const ServiceRec* service = service_of(pool, replica.service);
  if (service == nullptr) return leaver;
  leaver.team = replica.team;
  leaver.milli = milli_of(replica.place);
  leaver.cards = std::popcount(replica.place.cards);
  if (replica.stale) return leaver;
  if (replica.state == ReplicaState::draining) {
    leaver.natural_ms = std::max(pool.now_ms, replica.drained_at_ms);
    return leaver;
  }
  if (replica.guard || taker.service == replica.service || replica.start_ms == pool.now_ms) return leaver;
  if (service->rank >= taker.rank && !taker.from_inference) return leaver;
  leaver.may_take = !taker.promised;
  leaver.tier = service->rank;
  leaver.boundary_ms = pool.now_ms;
  leaver.free_ms = pool.now_ms + (replica.state == ReplicaState::ready ? service->spec.drain_ms : 0);
  leaver.submitted_ms = replica.id.value;  // the newest first
  if (taker.promised) leaver.natural_ms = leaver.free_ms;
  return leaver;
}

void list_run(Pool& pool, RunRec& run) {
  const bool can = run.current && run.preemptible && !run.stopping && !run.writing && run.ask.state == AskState::none;
  if (run.listed || !can) return;
  run.listed = true;
  pool.preemptible.insert({run.rank, run.id.value});
  if (!pool.settings->rotation.on) return;
  run.ripe_ms = ripe_from(pool, run, false);
  run.gang_ripe_ms = ripe_from(pool, run, true);
  pool.ripe.insert({run.rank, run.ripe_ms, run.id.value});
  pool.gang_ripe.insert({run.rank, run.gang_ripe_ms, run.id.value});
}

void unlist_run(Pool& pool, RunRec& run) {
  if (!run.listed) return;
  run.listed = false;
  pool.preemptible.erase({run.rank, run.id.value});
  pool.ripe.erase({run.rank, run.ripe_ms, run.id.value});
  pool.gang_ripe.erase({run.rank, run.gang_ripe_ms, run.id.value});
}

void set_rank(Pool& pool, RunRec& run, Rank rank) {
  if (run.rank == rank) return;
  const bool listed = run.listed;
  unlist_run(pool, run);
  run.rank = rank;
  if (listed) list_run(pool, run);
}

namespace {

bool any_ripe(const Pool& pool, const std::set<std::tuple<Rank, TimeMs, std::uint32_t>>& ripe, Rank rank) {
  const auto first = ripe.lower_bound({rank, 0, 0});
  return first != ripe.end() && std::get<0>(*first) == rank && std::get<1>(*first) <= pool.now_ms;
}

bool any_of_rank(const Pool& pool, Rank rank) {
  const auto first = pool.preemptible.lower_bound({rank, 0});
  return first != pool.preemptible.end() && first->first == rank;
}

}  // namespace

bool anybody_for(const Pool& pool, const Taker& taker) {
  if (!pool.settings->only_at_checkpoint) return !pool.runs.empty() || !pool.replicas.empty();
  if (!pool.preemptible.empty() && pool.preemptible.begin()->first < taker.rank) return true;
  if (taker.rotates && taker.level == 0 && any_ripe(pool, pool.ripe, taker.rank)) return true;
  if (taker.rotates && taker.gang_cards > 0 && any_ripe(pool, pool.gang_ripe, taker.rank)) return true;
  if (taker.within_own && any_of_rank(pool, taker.rank)) {
    const bool borrowed = std::any_of(pool.teams.begin(), pool.teams.end(),
                                      [&](const Team& team) { return above_entitlement_milli(pool, team) > 0; });
    if (borrowed) return true;
  }
  for (const auto& [id, service] : pool.services) {
    const bool above = static_cast<std::int32_t>(service.live.size()) > service.guard;
    if (above && (service.rank < taker.rank || taker.from_inference)) return true;
  }
  return std::any_of(pool.claims.begin(), pool.claims.end(),
                     [&](const auto& entry) { return entry.second.rank < taker.rank; });
}

}  // namespace weir::engine
