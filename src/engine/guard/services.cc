#include "engine/guard/services.h"

#include <algorithm>
#include <bit>

#include "engine/guard/floor.h"
#include "engine/place/leases.h"
#include "engine/place/place.h"
#include "engine/preempt/claims.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

DurationMs hold_down_of(const Pool& pool, const ServiceRec& service) {
  if (service.spec.hold_down_ms >= 0) return service.spec.hold_down_ms;
  return std::max(pool.settings->hold_down_ms, 2 * service.spec.start_ms);
}

std::int32_t wanted_now(Pool& pool, ServiceRec& service) {
  if (service.stopped) return 0;
  std::int32_t want = service.need;
  if (pool.now_ms > service.valid_until_ms) {
    want = std::max(want, service.target);
    if (!service.stale_said) {
      alarm(pool,
            {.kind = change::AlarmKind::stale_need, .node = {}, .job = {}, .service = service.spec.id, .run = {}});
    }
    service.stale_said = true;
  }
  const DurationMs lead = service.spec.start_ms + pool.settings->lead_time_ms;
  for (const PlannedNeed& plan : service.planned) {
    if (plan.from_ms - lead <= pool.now_ms && pool.now_ms < plan.until_ms) want = std::max(want, plan.replicas);
  }
  if (service.spec.idle_ms > 0 && pool.now_ms < service.awake_until_ms) want = std::max(want, 1);
  return std::clamp(std::max(want, service.guard), service.guard, std::max(service.spec.max, service.guard));
}

// The most that was wanted within the hold-down.
std::int32_t held_target(Pool& pool, ServiceRec& service) {
  const DurationMs hold = hold_down_of(pool, service);
  std::erase_if(service.wanted, [&](const auto& past) { return past.first + hold <= pool.now_ms; });
  std::int32_t most = service.target;
  for (const auto& [until, target] : service.wanted) most = std::max(most, target);
  return service.stopped ? 0 : most;
}

std::int64_t parts_open(const Pool& pool, const ServiceRec& service) {
  std::int64_t open = 0;
  for (const ClaimId id : service.claims) {
    const ClaimRec* claim = claim_of(pool, id);
    open += std::count_if(claim->parts.begin(), claim->parts.end(), [](const ClaimPart& p) { return !p.started; });
  }
  return open;
}

void start_replica(Pool& pool, ServiceRec& service, const Placement& place, ClaimId claim) {
  const ReplicaId id(pool.next_replica++);
  ReplicaRec& replica = pool.replicas[id.value];
  replica = {.id = id, .service = service.spec.id, .place = place, .version = service.spec.version};
  replica.start_ms = pool.now_ms;
  replica.team = service.team;
  service.live.push_back(id);
  occupy(pool, true, id.value, 0, place);
  level_guard(pool, service);
  decide(pool, decision::StartReplica{id, service.spec.id, place, service.spec.version, claim});
  tell(pool, change::ReplicaStateSet{id, service.spec.id, ReplicaState::starting});
  ++pool.epoch;
}

// Parts of claims whose cards have come free.
void start_claimed(Pool& pool, ServiceRec& service, std::int64_t missing) {
  for (const ClaimId id : std::vector<ClaimId>(service.claims)) {
    ClaimRec* claim = claim_of(pool, id);
    if (claim == nullptr) continue;
    bool open = false;
    for (std::size_t i = 0; i < claim->parts.size(); ++i) {
      if (claim->parts[i].started) continue;
      if (missing <= 0 || !part_free(pool, claim->parts[i])) {
        open = true;
        continue;
      }
      const Placement place = claim->parts[i].place;
      claim->parts[i].started = true;
      unkeep(pool, place);
      const bool more = std::any_of(claim->parts.begin(), claim->parts.end(),
                                    [&](const ClaimPart& p) { return !p.started && p.place.node == place.node; });
      if (!more) std::erase(node_of(pool, place.node)->claims, id.value);
      start_replica(pool, service, place, id);
      --missing;
    }
    if (!open) end_claim(pool, id, ClaimEnd::started);
  }
}

bool team_may(const Pool& pool, const ServiceRec& service) {
  const Team& team = pool.teams[service.team];
  const std::int64_t milli = milli_of(service.spec.shape);
  if (static_cast<std::int32_t>(service.live.size()) < service.guard) return true;
  return cap_left_milli(pool, team) >= milli;
}

bool outdated(const Pool& pool, const ServiceRec& service, const ReplicaRec& replica) {
  return replica.moving || replica.version != service.spec.version || node_of(pool, replica.place.node)->draining;
}

std::vector<ReplicaId> drain_order(const Pool& pool, const ServiceRec& service) {
  std::vector<ReplicaId> order(service.live.rbegin(), service.live.rend());
  // Those to be replaced first, then those on the emptiest nodes, the newest first.
  std::stable_sort(order.begin(), order.end(), [&](ReplicaId a, ReplicaId b) {
    const ReplicaRec& x = pool.replicas.at(a.value);
    const ReplicaRec& y = pool.replicas.at(b.value);
    const bool old = outdated(pool, service, x);
    if (old != outdated(pool, service, y)) return old;
    return node_of(pool, x.place.node)->leases.size() < node_of(pool, y.place.node)->leases.size();
  });
  return order;
}

// So many stay ready while others are replaced: never fewer than the guard.
std::int32_t least_ready(const ServiceRec& service) {
  return std::max({0, service.guard, service.target - std::max(0, service.spec.max_missing)});
}

// Would the guard be placeable as before, if this replica were live no more?
bool guard_stands_without(Pool& pool, ServiceRec& service, ReplicaId id) {
  const std::int64_t before = guard_shortfall(pool, {}, {});
  const std::vector<ReplicaId> live = service.live;
  leave_live(pool, service, pool.replicas.at(id.value));
  const std::int64_t after = guard_shortfall(pool, {}, {});
  // Back as it was: the oldest of them are the guard's.
  service.live = live;
  service.guard_live = 0;
  for (const ReplicaId other : live) {
    ReplicaRec& replica = pool.replicas.at(other.value);
    replica.guard = false;
    holder_changed(pool, {replica.place});
  }
  level_guard(pool, service);
  return after <= before;
}

// The one that was started in its place is gone again: it stays.
void give_up_moves(Pool& pool, ServiceRec& service) {
  if (static_cast<std::int32_t>(service.live.size()) > service.target) return;
  for (const ReplicaId id : service.live) pool.replicas.at(id.value).moving = false;
}

// Old versions, and replicas on nodes that are being emptied, go as others are ready.
void replace_outdated(Pool& pool, ServiceRec& service) {
  if (!service.replacing) return;
  give_up_moves(pool, service);
  std::int32_t old = 0;
  std::int32_t ready = 0;
  for (const ReplicaId id : service.live) {
    const ReplicaRec& replica = pool.replicas.at(id.value);
    old += outdated(pool, service, replica) ? 1 : 0;
    ready += replica.state == ReplicaState::ready ? 1 : 0;
  }
  service.replacing = old > 0;
  if (old == 0) return;
  const std::int32_t least = least_ready(service);
  for (const ReplicaId id : drain_order(pool, service)) {
    const ReplicaRec& replica = pool.replicas.at(id.value);
    if (!outdated(pool, service, replica)) continue;
    const bool is_ready = replica.state == ReplicaState::ready;
    if (is_ready && ready - 1 < least) continue;
    if (static_cast<std::int32_t>(service.live.size()) - 1 < service.guard) continue;
    if (!guard_stands_without(pool, service, id)) continue;
    if (is_ready) --ready;
    const bool version = replica.version != service.spec.version;
    const auto other = replica.moving ? decision::DrainCause::move : decision::DrainCause::drain;
    drain_replica(pool, id, version ? decision::DrainCause::update : other, ClaimId());
  }
  // With the last of them gone nothing more than the target is wanted.
  service.replacing = std::any_of(service.live.begin(), service.live.end(),
                                  [&](ReplicaId id) { return outdated(pool, service, pool.replicas.at(id.value)); });
}

std::int32_t wanted_live(const ServiceRec& service) {
  if (!service.replacing || service.stopped) return service.target;
  // Where none may be missing one more is needed to begin with, whatever was declared.
  const std::int32_t least = least_ready(service) >= service.target ? 1 : 0;
  return service.target + std::max(least, service.spec.max_extra);
}

void say_reasons(Pool& pool, ServiceRec& service, std::int64_t missing) {
  service.reasons.clear();
  if (missing <= 0) return;
  const FitEntry& entry = refreshed(pool, service.fit);
  bool model = false;
  for (const Node& node : pool.nodes) {
    model = model || (allowed_on(pool, entry, node) && node.spec.cards >= service.spec.shape.cards);
  }
  if (!model) service.reasons.push_back({.code = ReasonCode::no_such_model});
  if (!service.claims.empty()) {
    const ClaimRec* claim = claim_of(pool, service.claims.front());
    Reason reason{.code = ReasonCode::waiting_checkpoint, .at = claim->due_ms};
    if (!claim->victims.empty()) reason.run = claim->victims.back().run;
    service.reasons.push_back(reason);
  }
  if (!team_may(pool, service)) service.reasons.push_back({.code = ReasonCode::team_quota});
  if (pool.now_ms < service.backoff_until_ms) {
    service.reasons.push_back({.code = ReasonCode::backoff, .at = service.backoff_until_ms});
  }
  if (pool.frozen && service.claims.empty()) service.reasons.push_back({.code = ReasonCode::frozen});
  if (service.reasons.empty()) {
    service.reasons.push_back({.code = ReasonCode::capacity,
                               .amount = missing * std::max(1, service.spec.shape.cards),
                               .of = entry.total * std::max(1, service.spec.shape.cards)});
  }
}

// Training that was asked to make room for inference and still holds its cards.
std::int64_t leaving_cards(const Pool& pool) {
  std::int64_t cards = 0;
  for (const auto& [id, claim] : pool.claims) {
    if (claim.beneficiary == ClaimFor::job) continue;
    for (const Victim& victim : claim.victims) {
      const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
      if (run != nullptr) cards += run->cards;
    }
  }
  return cards;
}

// A planned need is due when its replicas have to start; what the load asks for is due now.
TimeMs needed_by(const Pool& pool, const ServiceRec& service) {
  if (static_cast<std::int32_t>(service.live.size()) < std::max(service.need, service.guard)) return pool.now_ms;
  TimeMs first = kNever;
  for (const PlannedNeed& plan : service.planned) {
    if (plan.replicas >= service.target) first = std::min(first, plan.from_ms - service.spec.start_ms);
  }
  return first >= kNever ? pool.now_ms : first;
}

// A replica of the guard stands where the rest of the guard still has room: there, or
// on the next best node.
Placement beside_the_guard(Pool& pool, const ServiceRec& service, const Placement& best) {
  const ServiceId id = service.spec.id;
  if (guard_has_room_beside(pool, id, best)) return best;
  const std::vector<Placement> places = places_of_replica(pool, service);
  const auto other = std::find_if(places.begin(), places.end(),
                                  [&](const Placement& p) { return guard_has_room_beside(pool, id, p); });
  return other == places.end() ? best : *other;
}

void claim_missing(Pool& pool, ServiceRec& service, Rank rank, std::int64_t missing) {
  Taker taker = taker_of(pool, service, rank);
  taker.need_by_ms = std::max(pool.now_ms, needed_by(pool, service));
  if (missing <= 0 || pool.frozen || !pool.settings->preempt_enabled || !anybody_for(pool, taker)) return;
  if (service.searched_at == pool.epoch && pool.now_ms < service.search_again_ms) return;
  const bool guard = rank == kGuardRank;
  const std::int64_t floor = guard ? 0 : pool.settings->training_floor_cards;
  const std::int64_t most = std::max<std::int64_t>(0, pool.training_cards - leaving_cards(pool) - floor);
  const auto plan = search_units(pool, service.fit, taker, missing, guard ? kUnlimited : most);
  if (plan) make_claim(pool, taker, {ClaimFor::service, {}, service.spec.id, 0, true}, *plan);
  service.searched_at = pool.epoch;
  service.search_again_ms = pool.now_ms + pool.settings->heartbeat_ms;
}

}  // namespace

void level_guard(Pool& pool, ServiceRec& service) {
  const auto owed = std::min<std::int32_t>(service.guard, static_cast<std::int32_t>(service.live.size()));
  const auto set = [&](std::int32_t i, bool guard) {
    ReplicaRec& replica = pool.replicas.at(service.live[static_cast<std::size_t>(i)].value);
    replica.guard = guard;
    holder_changed(pool, {replica.place});
  };
  while (service.guard_live < owed) set(service.guard_live++, true);
  while (service.guard_live > owed) set(--service.guard_live, false);
}

void leave_live(Pool& pool, ServiceRec& service, ReplicaRec& replica) {
  if (std::erase(service.live, replica.id) == 0) return;
  if (replica.guard) --service.guard_live;
  replica.guard = false;
  holder_changed(pool, {replica.place});
  level_guard(pool, service);
}

void refresh_target(Pool& pool, ServiceRec& service) {
  const std::int32_t target = wanted_now(pool, service);
  std::erase_if(service.planned, [&](const PlannedNeed& plan) { return plan.until_ms <= pool.now_ms; });
  if (target < service.target) {
    service.wanted.emplace_back(pool.now_ms, service.target);
    wake_at(pool, pool.now_ms + hold_down_of(pool, service), Timer::service, service.spec.id.value);
  }
  service.target = target;
  const DurationMs lead = service.spec.start_ms + pool.settings->lead_time_ms;
  for (const PlannedNeed& plan : service.planned) {
    if (plan.from_ms - lead > pool.now_ms) wake_at(pool, plan.from_ms - lead, Timer::service, service.spec.id.value);
    wake_at(pool, plan.until_ms, Timer::service, service.spec.id.value);
  }
  if (target == service.target_said && service.guard == service.guard_said) return;
  service.target_said = target;
  service.guard_said = service.guard;
  tell(pool, change::TargetSet{service.spec.id, target, service.guard});
}

void release_replicas(Pool& pool, ServiceRec& service) {
  const std::int64_t missing = service.target - static_cast<std::int64_t>(service.live.size());
  std::int64_t extra = parts_open(pool, service) - std::max<std::int64_t>(0, missing);
  for (std::size_t i = service.claims.size(); i-- > 0 && extra > 0;) {
    const ClaimId id = service.claims[i];
    const ClaimRec* claim = claim_of(pool, id);
    const auto open =
        std::count_if(claim->parts.begin(), claim->parts.end(), [](const ClaimPart& p) { return !p.started; });
    const std::int64_t drop = std::min<std::int64_t>(open, extra);
    extra -= drop;
    shrink_claim(pool, id, open - drop);
  }
  replace_outdated(pool, service);
  const std::int32_t keep_live = std::max(held_target(pool, service), wanted_live(service));
  auto more = static_cast<std::int32_t>(service.live.size()) - keep_live;
  if (more <= 0) return;
  const auto cause = service.stopped ? decision::DrainCause::stopped : decision::DrainCause::load_fell;
  for (const ReplicaId id : drain_order(pool, service)) {
    if (more <= 0) break;
    if (!service.stopped && pool.replicas.at(id.value).guard) continue;
    drain_replica(pool, id, cause, ClaimId());
    --more;
  }
}

void serve(Pool& pool, ServiceRec& service, bool guard_only) {
  const auto live = [&] { return static_cast<std::int64_t>(service.live.size()); };
  const std::int64_t want = guard_only ? service.guard : wanted_live(service);
  start_claimed(pool, service, want - live());
  if (!service.stopped && pool.now_ms >= service.backoff_until_ms) {
    while (live() + (guard_only ? 0 : parts_open(pool, service)) < want && team_may(pool, service)) {
      auto place = place_replica(pool, service);
      if (!place) break;
      if (live() < service.guard) place = beside_the_guard(pool, service, *place);
      start_replica(pool, service, *place, ClaimId());
    }
    const std::int64_t short_of = std::min<std::int64_t>(want, service.target) - live() - parts_open(pool, service);
    if (team_may(pool, service)) claim_missing(pool, service, guard_only ? kGuardRank : service.rank, short_of);
    start_claimed(pool, service, want - live());
  }
  const std::int64_t missing = service.target - live();
  say_reasons(pool, service, missing);
}

void restore_floor(Pool& pool) {
  const std::int64_t short_of = guard_shortfall(pool, {}, {});
  std::vector<ClaimId> open;
  for (const auto& [id, claim] : pool.claims) {
    if (claim.beneficiary != ClaimFor::guard_floor || claim.moves) continue;
    if (short_of == 0 || all_free(pool, claim)) open.push_back(claim.id);
  }
  for (const ClaimId id : open) {
    end_claim(pool, id, all_free(pool, *claim_of(pool, id)) ? ClaimEnd::started : ClaimEnd::withdrawn);
  }
  if (short_of == 0) {
    pool.guard_alarm = false;
    return;
  }
  if (!pool.guard_alarm)
    alarm(pool, {.kind = change::AlarmKind::guard_unplaceable, .node = {}, .job = {}, .service = {}, .run = {}});
  pool.guard_alarm = true;
  if (pool.frozen || !pool.settings->preempt_enabled) return;
  std::int64_t asked = 0;
  for (const auto& [id, claim] : pool.claims) {
    if (claim.rank == kGuardRank) asked += static_cast<std::int64_t>(claim.parts.size());
  }
  Taker taker;
  taker.rank = kGuardRank;
  taker.need_by_ms = pool.now_ms;
  const Index fit = fit_of(pool, Shape{.cards = 1}, {}, false, "");
  if (short_of <= asked || !anybody_for(pool, taker)) return;
  const auto plan = search_units(pool, fit, taker, short_of - asked, kUnlimited);
  std::vector<Placement> freed;
  for (std::size_t i = 0; plan && i < plan->victims.size(); ++i) {
    if (plan->victims[i].kind != LeaverKind::run) continue;
    const RunRec& run = pool.runs.at(plan->victims[i].id);
    freed.insert(freed.end(), run.places.begin(), run.places.end());
  }
  // Nobody leaves for a guard that could be placed no better without it.
  const bool frees = !freed.empty() && guard_shortfall(pool, {}, freed) < short_of;
  if (frees) make_claim(pool, taker, {ClaimFor::guard_floor, {}, {}, 0, true}, *plan);
}

void move_replica(Pool& pool, ReplicaId id, const Placement& target) {
  ReplicaRec& replica = pool.replicas.at(id.value);
  ServiceRec& service = pool.services.at(replica.service.value);
  replica.moving = true;
  service.replacing = true;
  start_replica(pool, service, target, ClaimId());
}

void drain_replica(Pool& pool, ReplicaId id, decision::DrainCause cause, ClaimId claim) {
  ReplicaRec* replica = replica_of(pool, id);
  if (replica == nullptr || replica->state == ReplicaState::draining) return;
  ServiceRec& service = pool.services.at(replica->service.value);
  replica->drained_at_ms = pool.now_ms + (replica->state == ReplicaState::ready ? service.spec.drain_ms : 0);
  replica->state = ReplicaState::draining;
  leave_live(pool, service, *replica);
  service.draining.push_back(id);
  decide(pool, decision::StopReplica{id, cause, claim});
  tell(pool, change::ReplicaStateSet{id, service.spec.id, ReplicaState::draining});
  ++pool.epoch;
}

void forget_replica(Pool& pool, ReplicaId id) {
  ReplicaRec* replica = replica_of(pool, id);
  if (replica == nullptr) return;
  ServiceRec& service = pool.services.at(replica->service.value);
  leave_live(pool, service, *replica);
  std::erase(service.draining, id);
  vacate(pool, true, id.value, replica->place, 0);
  tell(pool, change::ReplicaStateSet{id, service.spec.id, ReplicaState::gone});
  pool.replicas.erase(id.value);
  ++pool.epoch;
}

}  // namespace weir::engine
