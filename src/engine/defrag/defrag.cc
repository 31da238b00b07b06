#include "engine/defrag/defrag.h"

#include <algorithm>
#include <bit>

#include "engine/defrag/plan.h"
#include "engine/guard/floor.h"
#include "engine/place/leases.h"
#include "engine/place/place.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/claims.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::size_t kWaitersMax = 2;  // helped in one step

// The target of a move is its job's own claim: kept from now on, taken when the run has left.
void keep_target(Pool& pool, const Move& move, ClaimId parent, TimeMs due_ms) {
  RunRec& run = pool.runs.at(move.run.value);
  const JobRec& job = *job_of(pool, run.job);
  const auto& variants = pool.demands[job.demand].variants;
  Index variant = 0;
  while (variant + 1 < variants.size() && variants[variant].milli != run.milli) ++variant;
  Taker taker = taker_of(pool, job, variants[variant]);
  Plan plan;
  plan.places = {move.target};
  plan.due_ms = due_ms;
  plan.move = true;
  ClaimRec& claim = make_claim(pool, taker, {ClaimFor::job, job.spec.id, {}, variant, false}, plan);
  claim.parent = parent;
}

Leaver leaver_for(const Pool& pool, const Move& move) {
  const RunRec& run = pool.runs.at(move.run.value);
  Leaver leaver{.kind = LeaverKind::run, .id = run.id.value};
  leaver.boundary_ms = move.boundary_ms;
  leaver.free_ms = move.boundary_ms + write_time(pool, run);
  leaver.cause = YieldCause::move;
  leaver.milli = run.milli;
  return leaver;
}

Plan plan_of(const Pool& pool, const MovePlan& moves) {
  Plan plan;
  plan.places = {moves.place};
  plan.due_ms = pool.now_ms;
  plan.move = true;
  for (const Move& move : moves.moves) {
    plan.victims.push_back(leaver_for(pool, move));
    plan.due_ms = std::max(plan.due_ms, plan.victims.back().free_ms);
  }
  return plan;
}

void carry_out(Pool& pool, const Taker& taker, const Beneficiary& who, const MovePlan& moves) {
  const Plan plan = plan_of(pool, moves);
  const ClaimId id = make_claim(pool, taker, who, plan).id;
  for (const Move& move : moves.moves) keep_target(pool, move, id, plan.due_ms);
  for (std::size_t i = 0; i < moves.moves.size(); ++i) pool.moves.push_back(pool.now_ms);
}

bool may_move(const Pool& pool) {
  return pool.settings->defrag != DefragMode::off && pool.settings->preempt_enabled &&
         pool.settings->only_at_checkpoint && !pool.frozen;
}

void help(Pool& pool, const JobRec& job) {
  const Demand& demand = pool.demands[job.demand];
  const Variant& variant = demand.variants.back();
  const bool plain = variant.workers == 1 && variant.groups.front().shape.whole() && demand.within == GangScope::any;
  if (!plain || !where_of(pool, job, variant).free() || job.past_deadline) return;
  const auto moves = moves_for(pool, variant, rank_of(pool, job));
  if (!moves || !guard_allows(pool, {moves->place}, {})) return;
  const bool soft = lendable(pool, job.spec.ckpt, variant.speed_milli);
  if (!pledge_allows(pool, variant.cards, soft)) return;
  const Taker taker = taker_of(pool, job, variant);
  const auto v = static_cast<Index>(demand.variants.size() - 1);
  carry_out(pool, taker, {ClaimFor::job, job.spec.id, {}, v, false}, *moves);
}

// Moves to nobody's order, but for what they leave whole.
void merge(Pool& pool) {
  std::erase_if(pool.moves, [&](TimeMs at) { return at + kHour <= pool.now_ms; });
  const auto done = static_cast<std::int32_t>(pool.moves.size());
  if (pool.queue.waiting > 0 || !pool.claims.empty() || done >= pool.settings->moves_per_hour) return;
  const auto move = merging_move(pool);
  if (!move) return;
  Taker taker;
  taker.rank = kNoRank;
  taker.need_by_ms = pool.now_ms;
  carry_out(pool, taker, {ClaimFor::guard_floor, {}, {}, 0, false}, *move);
}

// Claims on behalf of the pool itself are over once their cards are free.
void end_merges(Pool& pool) {
  std::vector<ClaimId> over;
  for (const auto& [id, claim] : pool.claims) {
    if (claim.beneficiary == ClaimFor::guard_floor && claim.moves && all_free(pool, claim)) over.push_back(claim.id);
  }
  for (const ClaimId id : over) end_claim(pool, id, ClaimEnd::started);
}

}  // namespace

void mend(Pool& pool, const std::vector<JobId>& fragmented) {
  end_merges(pool);
  if (!may_move(pool)) return;
  for (std::size_t i = 0; i < fragmented.size() && i < kWaitersMax; ++i) {
    const JobRec* job = job_of(pool, fragmented[i]);
    if (job != nullptr && job->queued && !job->claim.valid()) help(pool, *job);
  }
  if (pool.settings->defrag == DefragMode::background) merge(pool);
}

}  // namespace weir::engine
