#include "engine/defrag/defrag.h"

#include <algorithm>

#include "engine/defrag/merge.h"
#include "engine/defrag/plan.h"
#include "engine/guard/floor.h"
#include "engine/guard/services.h"
#include "engine/place/leases.h"
#include "engine/place/place.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/claims.h"
#include "engine/tiers/queue.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::size_t kWaitersTried = 4;   // in one step
constexpr std::size_t kWaitersHelped = 2;  // of them
constexpr std::size_t kSmallPool = 64;     // nodes: a search in vain costs nothing there
constexpr DurationMs kVain = 2000;         // in a larger pool it is not repeated before

bool may_move(const Pool& pool) {
  return pool.settings->defrag != DefragMode::off && pool.settings->preempt_enabled &&
         pool.settings->only_at_checkpoint && !pool.frozen;
}

bool is_plan(const ClaimRec& claim) { return claim.moves && !claim.parent.valid(); }
bool is_merge(const ClaimRec& claim) { return is_plan(claim) && claim.beneficiary == ClaimFor::guard_floor; }
bool is_target(const ClaimRec& claim) { return claim.parent.valid(); }

// The target of a move is its job's own claim: kept from now on, taken when the
// run has left.
void keep_target(Pool& pool, const Movable& mover, const Placement& target, ClaimId parent, TimeMs due_ms) {
  const JobRec& job = *job_of(pool, pool.runs.at(mover.run.value).job);
  Taker taker = taker_of(pool, job, pool.demands[job.demand].variants[mover.variant]);
  Plan plan;
  plan.places = {target};
  plan.due_ms = due_ms;
  plan.move = true;
  plan.parent = parent;
  (void)make_claim(pool, taker, {ClaimFor::job, job.spec.id, {}, mover.variant, false}, plan);
}

Leaver leaver_for(const Movable& mover, std::int64_t milli) {
  Leaver leaver{.kind = LeaverKind::run, .id = mover.run.value};
  leaver.boundary_ms = mover.boundary_ms;
  leaver.free_ms = mover.free_ms;
  leaver.cause = YieldCause::move;
  leaver.milli = milli;
  return leaver;
}

// The last boundary at which it is gone by then, or its first: no card idles
// for another.
void leave_by(const Pool& pool, const RunRec& run, TimeMs gone_ms, Leaver& leaver) {
  const DurationMs write = write_time(pool, run);
  const TimeMs last = boundary_until(pool, run, leaver.boundary_ms, gone_ms - write);
  if (last >= kNever) return;
  leaver.boundary_ms = last;
  leaver.free_ms = last + write;
}

Plan plan_of(const Pool& pool, const MovePlan& moves) {
  Plan plan;
  plan.places = moves.places;
  plan.due_ms = pool.now_ms;
  plan.move = true;
  for (const Move& move : moves.moves) {
    const RunRec& run = pool.runs.at(move.mover.run.value);
    plan.victims.push_back(leaver_for(move.mover, run.milli));
    plan.due_ms = std::max(plan.due_ms, plan.victims.back().free_ms);
  }
  std::vector<TimeMs> gone(moves.moves.size(), plan.due_ms);
  for (std::size_t i = 0; i < moves.moves.size(); ++i) {
    const Move& move = moves.moves[i];
    Leaver& leaver = plan.victims[i];
    leave_by(pool, pool.runs.at(move.mover.run.value), plan.due_ms, leaver);
    // Who makes way for it is to be gone by then.
    if (move.behind != kNoMove) gone[move.behind] = std::min(gone[move.behind], leaver.free_ms);
  }
  for (std::size_t i = 0; i < moves.moves.size(); ++i) {
    if (gone[i] >= plan.due_ms) continue;
    const Move& move = moves.moves[i];
    plan.victims[i] = leaver_for(move.mover, plan.victims[i].milli);
    leave_by(pool, pool.runs.at(move.mover.run.value), gone[i], plan.victims[i]);
  }
  return plan;
}

void carry_out(Pool& pool, const Taker& taker, Beneficiary who, const MovePlan& moves, const Plan& plan) {
  who.first_boundary = true;  // each as the plan says
  const ClaimId id = make_claim(pool, taker, who, plan).id;
  for (const Move& move : moves.moves) keep_target(pool, move.mover, move.target, id, plan.due_ms);
}

// Could the guard be placed as before once all is where the plan puts it?
bool guard_stands(const Pool& pool, const MovePlan& moves) {
  std::vector<Placement> taken = moves.places;
  std::vector<Placement> freed;
  for (const Move& move : moves.moves) {
    taken.push_back(move.target);
    freed.push_back(move.mover.place);
  }
  return guard_allows(pool, taken, freed);
}

QueueKey order_of(const Pool& pool, const JobRec& job) { return full_key(pool, pool.queue.classes[job.cls], job.key); }

// What is reserved for work ahead is no target.
class Ahead {
 public:
  Ahead(Pool& pool, const JobRec& job) : pool_(pool) {
    const QueueKey own = order_of(pool, job);
    for (const Reservation& r : pool.reservations) {
      if (r.job != job.spec.id && r.key < own) places_.insert(places_.end(), r.places.begin(), r.places.end());
    }
    for (const Placement& place : places_) keep(pool_, place);
  }
  ~Ahead() {
    for (const Placement& place : places_) unkeep(pool_, place);
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

 private:
  Pool& pool_;
  std::vector<Placement> places_;
};

// By when it gets its cards if nothing moves; kNever = nobody knows.
TimeMs promised_to(const Pool& pool, JobId job) {
  const auto r = std::find_if(pool.reservations.begin(), pool.reservations.end(),
                              [&](const Reservation& reservation) { return reservation.job == job; });
  return r == pool.reservations.end() || r->places.empty() ? kNever : r->due_ms;
}

// Card time won by the waiter over card time lost by those that move.
bool pays(const Pool& pool, const JobRec& job, const Variant& variant, const MovePlan& moves, TimeMs due_ms) {
  const TimeMs promised = promised_to(pool, job.spec.id);
  if (promised >= kNever) return true;
  return promised > due_ms && variant.milli * (promised - due_ms) / kMilliPerCard > moves.cost;
}

bool help(Pool& pool, JobRec& job) {
  const Demand& demand = pool.demands[job.demand];
  const auto v = static_cast<Index>(demand.variants.size() - 1);
  const Variant& variant = demand.variants[v];
  if (demand.within != GangScope::any || demand.min_workers > 0) return false;
  if (!where_of(pool, job, variant).free() || job.past_deadline) return false;
  std::optional<MovePlan> moves;
  {
    const Ahead ahead(pool, job);
    moves = moves_for(pool, demand, variant, rank_of(pool, job));
  }
  if (!moves || !guard_stands(pool, *moves)) return false;
  const std::int32_t speed = speed_on(pool, demand, variant, moves->places);
  if (!pledge_allows(pool, {-variant.cards, lendable(pool, job.spec.ckpt, speed) ? variant.cards : 0})) return false;
  const Plan plan = plan_of(pool, *moves);
  if (!pays(pool, job, variant, *moves, plan.due_ms)) return false;
  if (job.promoted && !charge_budget(pool, job)) return false;
  carry_out(pool, taker_of(pool, job, variant), {ClaimFor::job, job.spec.id, {}, v, false}, *moves, plan);
  return true;
}

void help_waiters(Pool& pool, const std::vector<JobId>& fragmented) {
  const bool large = pool.nodes.size() > kSmallPool;
  if (large && pool.now_ms < pool.move_again_ms) return;
  std::size_t tried = 0;
  std::size_t helped = 0;
  for (const JobId id : fragmented) {
    JobRec* job = job_of(pool, id);
    if (job == nullptr || !job->queued || job->claim.valid()) continue;
    helped += help(pool, *job) ? 1 : 0;
    if (++tried >= kWaitersTried || helped >= kWaitersHelped) break;
  }
  if (!large || tried == helped) return;
  pool.move_again_ms = pool.now_ms + kVain;
  wake_at(pool, pool.move_again_ms, Timer::eligible, 0);
}

bool quiet(const Pool& pool) {
  if (pool.queue.waiting > 0 || !pool.claims.empty()) return false;
  return std::all_of(pool.services.begin(), pool.services.end(), [](const auto& entry) {
    return !entry.second.replacing && static_cast<std::int32_t>(entry.second.live.size()) >= entry.second.target;
  });
}

// Moves to nobody's order, but for what they leave whole.
void merge(Pool& pool) {
  const auto done = static_cast<std::int32_t>(pool.moves.size());
  const std::int32_t left = pool.settings->moves_per_hour - done;
  if (left <= 0 || pool.now_ms < pool.merge_again_ms || !quiet(pool)) return;
  const auto best = best_merge(pool, left);
  if (!best) {
    pool.merge_again_ms = pool.now_ms + pool.settings->heartbeat_ms;
    return;
  }
  if (best->replica.valid()) {
    move_replica(pool, best->replica, best->target);
    pool.moves.push_back(pool.now_ms);
    return;
  }
  if (!guard_stands(pool, best->runs)) return;
  Taker taker;
  taker.rank = kNoRank;
  taker.need_by_ms = pool.now_ms;
  carry_out(pool, taker, {ClaimFor::guard_floor, {}, {}, 0, false}, best->runs, plan_of(pool, best->runs));
  pool.moves.insert(pool.moves.end(), best->runs.moves.size(), pool.now_ms);
}

// --- while moves are under way ---

bool recallable(const Pool& pool, const RunRec& run) {
  return !run.writing && !run.stopping && run.ask.boundary_ms > pool.now_ms;
}

// Nobody has left yet, and nobody is past recall.
bool untouched(const Pool& pool, const ClaimRec& claim) {
  return std::all_of(claim.victims.begin(), claim.victims.end(), [&](const Victim& victim) {
    const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
    return run != nullptr && recallable(pool, *run);
  });
}

// Its run stays after all, or its job is held, backs off or waits for others.
bool pointless(const Pool& pool, const ClaimRec& claim) {
  const JobRec* job = job_of(pool, claim.job);
  if (job == nullptr) return true;
  const RunRec* run = run_of(pool, job->run);
  return run == nullptr ? !job->queued : run->ask.state == AskState::none && !run->stopping;
}

// Free cards belong to those that were there first.
bool somebody_ahead(const Pool& pool, const ClaimRec& plan) {
  const JobRec* job = job_of(pool, plan.job);
  const bool waits = job != nullptr && job->queued;
  for (const auto& [key, cls] : pool.queue.heads) {
    if (waits && key >= order_of(pool, *job)) return false;
    const JobRec* other = job_of(pool, JobId(key.id));
    if (other != nullptr && !other->claim.valid()) return true;
  }
  return false;
}

// Another target for a run of the plan that has none any more.
bool has_target(Pool& pool, const ClaimRec& plan, const RunRec& run) {
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr || job->cancelled || run.stopping) return true;  // it does not come back
  const ClaimRec* own = claim_of(pool, job->claim);
  if (own != nullptr) return true;
  if (!may_move(pool) || run.places.size() != 1 || somebody_ahead(pool, plan)) return false;
  Sketch sketch(pool);
  const Movable mover = mover_of(pool, run);
  Ground ground;
  if (is_merge(plan)) ground = {.not_node = pool.node_index.at(mover.place.node.value), .in_use = true};
  const auto target = sketch.target(mover, ground);
  if (!target || !guard_allows(pool, {*target}, {mover.place})) return false;
  keep_target(pool, mover, *target, plan.id, std::max(plan.due_ms, pool.now_ms));
  return true;
}

// Can the plan go on? A run that is past recall without a target waits by its
// order.
bool stands(Pool& pool, ClaimId id) {
  const std::vector<Victim> victims = claim_of(pool, id)->victims;
  for (const Victim& victim : victims) {
    const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
    if (run == nullptr || run->ask.claim != id) continue;
    if (!has_target(pool, *claim_of(pool, id), *run) && recallable(pool, *run)) return false;
  }
  return true;
}

}  // namespace

void review_moves(Pool& pool) {
  std::erase_if(pool.moves, [&](TimeMs at) { return at + kHour <= pool.now_ms; });
  std::vector<ClaimId> plans;
  std::vector<ClaimId> idle;
  std::vector<ClaimId> over;
  for (const auto& [id, claim] : pool.claims) {
    if (is_target(claim) && pointless(pool, claim)) idle.push_back(claim.id);
    if (is_plan(claim)) plans.push_back(claim.id);
  }
  for (const ClaimId id : idle) end_claim(pool, id, ClaimEnd::withdrawn);
  bool called_off = false;
  for (const ClaimId id : plans) {
    const ClaimRec* claim = claim_of(pool, id);
    if (claim == nullptr) continue;
    if (is_merge(*claim) && all_free(pool, *claim)) {
      end_claim(pool, id, ClaimEnd::started);  // on behalf of the pool itself:
                                               // free is all that was wanted
      continue;
    }
    const bool in_the_way = is_merge(*claim) && pool.queue.waiting > 0 && untouched(pool, *claim);
    if (!in_the_way && stands(pool, id)) continue;
    end_claim(pool, id, ClaimEnd::withdrawn);
    called_off = true;
  }
  if (called_off) wake_at(pool, pool.now_ms + 1, Timer::eligible,
                          0);  // others may have counted on who stays
}

void mend(Pool& pool, const std::vector<JobId>& fragmented) {
  if (!may_move(pool)) return;
  help_waiters(pool, fragmented);
  if (pool.settings->defrag == DefragMode::background) merge(pool);
}

}  // namespace weir::engine
