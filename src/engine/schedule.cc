#include "engine/schedule.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "engine/apply/jobs.h"
#include "engine/defrag/defrag.h"
#include "engine/explain/why.h"
#include "engine/guard/floor.h"
#include "engine/guard/services.h"
#include "engine/place/demand.h"
#include "engine/place/fragments.h"
#include "engine/place/leases.h"
#include "engine/place/reserve.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/claims.h"
#include "engine/tiers/queue.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::int32_t kBehindBlockedMax = 32;  // jobs of a blocked class looked at for a shorter limit
constexpr std::size_t kCostlySearch = 512;      // runs looked at
constexpr std::int32_t kSearchesMax = 64;       // searches for victims in one step

enum class Tried : std::uint8_t { started, claimed, blocked };

// The pass over the queue.
class Pass {
 public:
  explicit Pass(Pool& pool) : pool_(pool), reservations_(pool) {}

  void run() {
    std::vector<std::pair<Rank, ServiceId>> services;
    for (const auto& [id, service] : pool_.services) services.emplace_back(service.rank, service.spec.id);
    std::stable_sort(services.begin(), services.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::size_t served = 0;
    for (const auto& [key, cls] : pool_.queue.heads) cursors_.push({key, cls, pool_.queue.classes[cls].key, 0, false});
    while (!cursors_.empty()) {
      const Cursor cursor = cursors_.top();
      cursors_.pop();
      for (; served < services.size() && services[served].first >= -cursor.key.below; ++served) {
        serve(pool_, pool_.services.at(services[served].second.value), false);
      }
      visit(cursor);
    }
    for (; served < services.size(); ++served) serve(pool_, pool_.services.at(services[served].second.value), false);
    reservations_.finish();
  }

  [[nodiscard]] bool unfinished() const { return searches_ > kSearchesMax; }
  // The first that is blocked for want of a place: whom defragmentation may help.
  [[nodiscard]] const std::vector<JobId>& fragmented() const { return fragmented_; }

 private:
  struct Cursor {
    QueueKey key;
    Index cls = 0;
    ClassKey of;
    std::int32_t behind = 0;  // jobs passed since the class was blocked
    bool blocked = false;
    bool operator<(const Cursor& o) const { return key > o.key; }  // smallest on top
  };

  void visit(const Cursor& cursor) {
    JobRec* job = job_of(pool_, JobId(cursor.key.id));
    if (job == nullptr || !job->queued) return next(cursor, cursor.blocked);
    if (job->claim.valid()) {
      start_beside_claim(*job);
      return next(cursor, cursor.blocked);
    }
    if (halted_) {
      pool_.queue.classes[job->cls].reasons.clear();  // `behind` says it all
      return next(cursor, false);
    }
    if (cursor.blocked) {
      behind_blocked(*job, cursor);
      return;
    }
    const Tried tried = attempt(*job, cursor.key);
    if (tried == Tried::blocked) {
      next(cursor, true);
    } else {
      next(cursor, false);
    }
  }

  // The next of the class; the class may have gone with its last job.
  void next(const Cursor& cursor, bool blocked) {
    const auto it = pool_.queue.index.find(cursor.of);
    if (it == pool_.queue.index.end()) return;
    const JobClass& cls = pool_.queue.classes[it->second];
    QueueKey own = cursor.key;
    if (!cls.jobs.empty()) own.first = cls.jobs.begin()->not_aged == 1 && (cursor.of.flags & 8) == 0 ? 0 : own.first;
    const auto job = cls.jobs.upper_bound(own);
    if (job == cls.jobs.end()) return;
    cursors_.push({full_key(pool_, cls, *job), it->second, cursor.of, cursor.behind + (blocked ? 1 : 0), blocked});
  }

  // Its class cannot start now; it may still reserve, or be short enough to pass.
  void behind_blocked(JobRec& job, const Cursor& cursor) {
    const Demand& demand = pool_.demands[job.demand];
    const bool can_reserve = reserving_.contains(cursor.of) && !reservations_.full_for(demand);
    if (can_reserve) reservations_.reserve(job, demand.variants.back(), cursor.key);
    const bool shorter = job.spec.limit_ms > 0 && lend_blocked_.contains(cursor.of);
    if (shorter && lend(job)) return next(cursor, true);
    if ((can_reserve || shorter) && cursor.behind < kBehindBlockedMax) next(cursor, true);
  }

  bool lend(JobRec& job) {
    Obstacles obstacles;
    const Demand& demand = pool_.demands[job.demand];
    for (Index v = 0; v < demand.variants.size(); ++v) {
      if (start_borrowed(job, v, obstacles)) return true;
    }
    return false;
  }

  Tried attempt(JobRec& job, const QueueKey& key) {
    const Demand& demand = pool_.demands[job.demand];
    Obstacles o;
    const Variant& smallest = demand.variants.back();
    const bool capped = cap_left_milli(pool_, pool_.teams[job.team]) < smallest.milli;
    const bool nonpreemptible = job.spec.ckpt.mode == CheckpointMode::none;
    o.paused = nonpreemptible && pool_.nonpreemptible_cards + smallest.cards > pool_.settings->nonpreemptible_max_cards;
    o.quota = capped;
    o.pinned = !job.ckpt_nodes.empty();
    if (!o.quota && !o.paused) {
      if (job.promoted && job.charged == 0 && !can_pay(job)) return Tried::started;  // it waits lower now
      for (Index v = 0; v < demand.variants.size(); ++v) {
        if (start_free(job, v, o) || start_borrowed(job, v, o)) return Tried::started;
      }
    }
    if (!o.paused && take(job, o)) return Tried::claimed;
    block(job, key, o);
    return Tried::blocked;
  }

  // Promoted work that its budget does not reach any more is put back into its tier.
  bool can_pay(JobRec& job) {
    if (charge_budget(pool_, job)) {
      refund_budget(pool_, job);
      return true;
    }
    job.promoted = false;
    refresh_tier(pool_, job);
    enqueue(pool_, job);
    cursors_.push(
        {full_key(pool_, pool_.queue.classes[job.cls], job.key), job.cls, pool_.queue.classes[job.cls].key, 0, false});
    return false;
  }

  bool start_free(JobRec& job, Index v, Obstacles& o) {
    const Demand& demand = pool_.demands[job.demand];
    const Variant& variant = demand.variants[v];
    Where where = where_of(pool_, job, variant);
    auto places = place(pool_, demand, variant, where);
    if (!places) return false;
    if (!allowed(job, variant, *places, o)) {
      // What must stay whole for guard or buffer may have room beside other shares.
      const bool whole = std::any_of(variant.groups.begin(), variant.groups.end(),
                                     [](const WorkerGroup& group) { return group.shape.whole(); });
      if (whole || o.quota || where.first != nullptr || demand.within != GangScope::any) return false;
      where.on_shared = true;
      places = place(pool_, demand, variant, where);
      if (!places || !allowed(job, variant, *places, o)) return false;
      o = {};
    }
    start_job(pool_, job, {v, std::move(*places), ClaimId(), kNever});
    return true;
  }

  bool allowed(const JobRec& job, const Variant& variant, const std::vector<Placement>& places, Obstacles& o) {
    if (cap_left_milli(pool_, pool_.teams[job.team]) < variant.milli) {
      o.quota = true;
      return false;
    }
    if (!guard_allows(pool_, places, {})) {
      o.guard = true;
      return false;
    }
    std::int64_t cards = 0;
    for (const Placement& p : places) {
      const Node* node = node_of(pool_, p.node);
      cards += std::popcount(p.cards & ~node->shared);
    }
    const std::int32_t speed = speed_on(pool_, pool_.demands[job.demand], variant, places);
    const bool lends = lendable(pool_, job.spec.ckpt, speed);
    if (cards > 0 && !pledge_allows(pool_, {-cards, lends ? cards : 0})) {
      o.pledge = true;
      return false;
    }
    return true;
  }

  // On cards kept for others, when it is gone by then.
  bool start_borrowed(JobRec& job, Index v, Obstacles& o) {
    const Demand& demand = pool_.demands[job.demand];
    const Variant& variant = demand.variants[v];
    auto loan = reservations_.borrowed(demand, variant, where_of(pool_, job, variant));
    if (!loan || loan->due_ms >= kNever) return false;
    o.reserved_for = loan->owner;
    o.reserved_until_ms = loan->due_ms;
    const std::int32_t speed = speed_on(pool_, demand, variant, loan->places);
    RunRec probe;  // what it would be
    probe.job = job.spec.id;
    probe.ckpt = job.spec.ckpt;
    probe.start_ms = pool_.now_ms;
    probe.speed_milli = speed;
    probe.work_from_ms = pool_.now_ms + (job.incarnation > 0 ? job.spec.ckpt.restart_ms : 0);
    const bool over_by_then =
        job.spec.limit_ms > 0 &&
        std::max(pool_.now_ms + job.spec.limit_ms, instant_of_work(probe, job.spec.limit_ms)) <= loan->due_ms;
    TimeMs called_back = kNever;
    if (!over_by_then) {
      const bool soft = job.spec.ckpt.mode == CheckpointMode::interval && pool_.settings->only_at_checkpoint;
      const TimeMs first = soft ? boundary_from(pool_, probe, pool_.now_ms) : kNever;
      if (first >= kNever || first + job.spec.ckpt.write_ms > loan->due_ms) return false;
      called_back = loan->due_ms;
    }
    if (!allowed(job, variant, loan->places, o)) return false;
    start_job(pool_, job, {v, std::move(loan->places), ClaimId(), called_back});
    return true;
  }

  bool take(JobRec& job, Obstacles& o) {
    const Demand& demand = pool_.demands[job.demand];
    const auto v = static_cast<Index>(demand.variants.size() - 1);
    const Variant& variant = demand.variants[v];
    Taker taker = taker_of(pool_, job, variant);
    const bool may = pool_.settings->preempt_enabled && !job.past_deadline && anybody_for(pool_, taker);
    if (!may) return false;
    if (pool_.frozen) {
      o.frozen = true;
      return false;
    }
    const JobClass& cls = pool_.queue.classes[job.cls];
    const Where where = where_of(pool_, job, variant);
    if (where.first != nullptr) return false;
    if (cls.searched_at == pool_.epoch || pool_.now_ms < cls.search_again_ms || ++searches_ > kSearchesMax) {
      o.guard = o.guard || cls.vain.guard;  // as it was found then
      o.pledge = o.pledge || cls.vain.pledge;
      return false;
    }
    std::size_t cost = 0;
    Vain vain;
    // Free cards may be owed to the guard, and what is lent to the buffer: then others have to leave.
    for (const auto& [no_free, spare_lent] : {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
      if (spare_lent && !vain.pledge) continue;
      taker.no_free = no_free;
      taker.spare_lent = spare_lent;
      Looked looked;
      auto plan = search(pool_, demand, variant, taker, where.only_nodes,
                         o.quota ? std::vector<bool>() : where.barred_models, &looked);
      cost = std::max(cost, looked.leavers);
      if (!plan) continue;
      if (!accept(job, variant, taker, *plan, vain)) continue;
      if (plan->victims.empty() && plan->superseded.empty()) break;  // it only has to wait: a reservation
      if (too_late(job, *plan)) break;
      if (job.promoted && !charge_budget(pool_, job)) return false;
      const ClaimId id = make_claim(pool_, taker, {ClaimFor::job, job.spec.id, {}, v, false}, *plan).id;
      const ClaimRec* claim = claim_of(pool_, id);
      if (claim != nullptr && claim->victims.empty()) start_claimed(pool_, id);
      return true;
    }
    JobClass& failed = pool_.queue.classes[job.cls];
    failed.searched_at = pool_.epoch;
    failed.vain = vain;
    o.guard = o.guard || vain.guard;
    o.pledge = o.pledge || vain.pledge;
    // The more a vain search costs, the longer it is not repeated: a thousand runs, two seconds.
    if (cost >= kCostlySearch) {
      failed.search_again_ms = pool_.now_ms + static_cast<DurationMs>(cost) * 2;
      wake_at(pool_, failed.search_again_ms, Timer::eligible, 0);
    }
    return false;
  }

  // Promoted for a deadline that it would miss all the same.
  bool too_late(const JobRec& job, const Plan& plan) const {
    const DurationMs remaining = remaining_of(pool_, job);
    return job.promoted && remaining > 0 && std::max(pool_.now_ms, plan.due_ms) + remaining > job.spec.deadline_ms;
  }

  // The plan within quota, entitlement, guard and pledge.
  bool accept(const JobRec& job, const Variant& variant, const Taker& taker, Plan& plan, Vain& vain) {
    const std::int64_t lack = variant.milli - cap_left_milli(pool_, pool_.teams[job.team]);
    if (lack > 0 && !add_quota_victims(pool_, taker, lack, plan)) return false;
    std::map<Index, std::int64_t> from_team;
    CardChange change;
    std::vector<Placement> freed;
    for (const Leaver& victim : plan.victims) {
      if (victim.kind != LeaverKind::run) continue;
      const RunRec& run = pool_.runs.at(victim.id);
      freed.insert(freed.end(), run.places.begin(), run.places.end());
      if (victim.over_entitlement) from_team[victim.team] += victim.milli;
      for (const Placement& place : run.places) change.free += place.share ? 0 : std::popcount(place.cards);
      if (run.lent) change.lent -= run.cards;
    }
    for (const auto& [team, milli] : from_team) {
      // Not below what it is entitled to, but for the part of a run that cannot be split.
      std::int64_t largest = 0;
      for (const Leaver& victim : plan.victims) {
        if (victim.over_entitlement && victim.team == team) largest = std::max(largest, victim.milli);
      }
      if (milli - largest >= above_entitlement_milli(pool_, pool_.teams[team])) return false;
    }
    if (!guard_allows(pool_, plan.places, freed)) {
      vain.guard = true;
      return false;
    }
    for (const Placement& place : plan.places) change.free -= place.share ? 0 : std::popcount(place.cards);
    if (lendable(pool_, job.spec.ckpt, variant.speed_milli)) change.lent += variant.cards;
    if (!pledge_allows(pool_, change)) {
      vain.pledge = true;
      return false;
    }
    return true;
  }

  void block(JobRec& job, const QueueKey& key, Obstacles o) {
    const Demand& demand = pool_.demands[job.demand];
    if (const Reservation* ahead = reservations_.first_for(demand)) {
      o.ahead = ahead->job;
      o.ahead_until_ms = ahead->due_ms;
    }
    JobClass& cls = pool_.queue.classes[job.cls];
    o.impossible = !possible(pool_, job.demand);
    cls.reasons = why(pool_, job, demand.variants.back(), o);
    if (o.reserved_for.valid()) lend_blocked_.insert(cls.key);
    const bool cards_only = !o.quota && !o.paused && !o.guard && !o.pledge && !job.over_budget;
    if (!cards_only) return;
    const bool fragmented = std::any_of(cls.reasons.begin(), cls.reasons.end(),
                                        [](const Reason& r) { return r.code == ReasonCode::fragmented; });
    if (fragmented) fragmented_.push_back(job.spec.id);
    if (o.impossible) return;  // nobody waits behind it
    halted_ = halted_ || !pool_.settings->backfill;
    reserving_.insert(cls.key);
    reservations_.reserve(job, demand.variants.back(), key);
  }

  // A claim whose first victim has not left gives way to free cards.
  void start_beside_claim(JobRec& job) {
    const ClaimRec* claim = claim_of(pool_, job.claim);
    if (claim == nullptr || claim->begun) return;
    const bool past_recall = std::any_of(claim->victims.begin(), claim->victims.end(), [&](const Victim& v) {
      const RunRec* run = run_of(pool_, v.run);
      return run == nullptr || run->writing || run->stopping || run->ask.boundary_ms <= pool_.now_ms;
    });
    if (past_recall || !claim->replicas.empty()) return;
    const Demand& demand = pool_.demands[job.demand];
    for (const ClaimPart& part : claim->parts) unkeep(pool_, part.place);
    const std::int64_t counted = claim->quota_milli;
    pool_.teams[job.team].claimed_milli -= counted;
    std::optional<Start> start;
    Obstacles o;
    for (Index v = 0; v < demand.variants.size() && !start; ++v) {
      const Variant& variant = demand.variants[v];
      auto places = place(pool_, demand, variant, where_of(pool_, job, variant));
      if (places && allowed(job, variant, *places, o)) start = Start{v, std::move(*places), ClaimId(), kNever};
    }
    pool_.teams[job.team].claimed_milli += counted;
    for (const ClaimPart& part : claim->parts) keep(pool_, part.place);
    if (!start) return;
    end_claim(pool_, job.claim, ClaimEnd::withdrawn);
    start_job(pool_, job, *start);
  }

 public:
  static bool start_claimed(Pool& pool, ClaimId id) {
    const ClaimRec* claim = claim_of(pool, id);
    if (claim == nullptr || claim->beneficiary != ClaimFor::job || !all_free(pool, *claim)) return false;
    JobRec* job = job_of(pool, claim->job);
    if (job == nullptr || !job->queued) return false;
    std::vector<Placement> places;
    for (const ClaimPart& part : claim->parts) places.push_back(part.place);
    const Variant& variant = pool.demands[job->demand].variants[claim->variant];
    const Team& team = pool.teams[job->team];
    if (cap_left_milli(pool, team) + claim->quota_milli < variant.milli) return false;
    if (!guard_allows(pool, places, {})) return false;
    start_job(pool, *job, {claim->variant, std::move(places), id, kNever});
    return true;
  }

 private:
  Pool& pool_;
  Reservations reservations_;
  std::priority_queue<Cursor> cursors_;
  std::set<ClassKey> reserving_, lend_blocked_;
  std::vector<JobId> fragmented_;
  std::int32_t searches_ = 0;
  bool halted_ = false;  // without backfill nobody passes the first that waits for cards
};

}  // namespace

void start_ready_claims(Pool& pool) {
  std::vector<ClaimId> ids;
  for (const auto& [id, claim] : pool.claims) ids.push_back(claim.id);
  for (const ClaimId id : ids) Pass::start_claimed(pool, id);
}

void schedule(Pool& pool) {
  start_ready_claims(pool);
  review_claims(pool);
  review_moves(pool);
  for (auto& [id, service] : pool.services) {
    refresh_target(pool, service);
    release_replicas(pool, service);
  }
  for (auto& [id, service] : pool.services) serve(pool, service, true);
  restore_floor(pool);
  start_ready_claims(pool);
  Pass pass(pool);
  pass.run();
  mend(pool, pass.fragmented());
  expire_claims(pool);
  refresh_mix(pool);
  if (pass.unfinished()) wake_at(pool, pool.now_ms + 1000, Timer::eligible, 0);
}

}  // namespace weir::engine
