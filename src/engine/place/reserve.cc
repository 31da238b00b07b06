#include "engine/place/reserve.h"

#include <algorithm>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

constexpr std::size_t kSmallPool = 256;  // nodes
constexpr std::int32_t kSearchesMax = 1;

bool overlap(const Placement& a, const Placement& b) { return a.node == b.node && (a.cards & b.cards) != 0; }

// Can these places still be had: nodes at work, cards kept for nobody else?
bool standing(const Pool& pool, const Reservation& r) {
  return std::all_of(r.places.begin(), r.places.end(), [&](const Placement& place) {
    const Node* node = node_of(pool, place.node);
    if (node == nullptr || !node->takes_work() || (place.cards & ~node->healthy()) != 0) return false;
    if ((place.cards & node->kept) != 0 || (!place.share && (place.cards & node->kept_in_part) != 0)) return false;
    for (const Lease& lease : node->leases) {
      // Taken by somebody who stays: a higher tier, or the guard.
      if (lease.replica && (lease.place.cards & place.cards) != 0 && !place.share &&
          pool.replicas.at(lease.holder).state != ReplicaState::draining) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace

void Reservations::count(const Demand& demand) {
  used_.resize(pool_.models.size(), 0);
  for (Index m = 0; m < pool_.models.size(); ++m) {
    if (model_allowed(demand.models, pool_.models.name(m))) ++used_[m];
  }
}

bool Reservations::full_for(const Demand& demand) const {
  for (Index m = 0; m < pool_.models.size(); ++m) {
    const std::int32_t used = m < used_.size() ? used_[m] : 0;
    if (model_allowed(demand.models, pool_.models.name(m)) && used < pool_.settings->backfill_depth) return false;
  }
  return true;
}

const Reservation* Reservations::first_for(const Demand& demand) const {
  for (const Reservation& r : active_) {
    for (const Placement& place : r.places) {
      const Node* node = node_of(pool_, place.node);
      if (node != nullptr && model_allowed(demand.models, node->spec.model)) return &r;
    }
  }
  return nullptr;
}

Reservation Reservations::renewed(const JobRec& job, const Variant& variant, const QueueKey& key) {
  const auto before = std::find_if(pool_.reservations.begin(), pool_.reservations.end(),
                                   [&](const Reservation& r) { return r.job == job.spec.id; });
  const bool had = before != pool_.reservations.end() && !before->places.empty() && standing(pool_, *before);
  // Something earlier counts from a tenth of the wait on: no need to look every time.
  const bool known = before != pool_.reservations.end();
  const DurationMs left = known && before->due_ms < kNever ? before->due_ms - before->looked_ms : 0;
  const DurationMs pause = std::max(pool_.settings->heartbeat_ms, left / 16);
  const bool nothing_yet = known && before->places.empty() && before->looked_ms + pause > pool_.now_ms;
  if (nothing_yet) return *before;
  const bool look = !had || before->looked_ms + pause <= pool_.now_ms;
  // A large pool is not searched for many of them in one step.
  const bool too_many = pool_.nodes.size() > kSmallPool && searches_ >= kSearchesMax;
  if (!had && too_many) {
    return Reservation{.job = job.spec.id,
                       .key = key,
                       .places = {},
                       .due_ms = kNever,
                       .made_ms = pool_.now_ms,
                       .looked_ms = pool_.now_ms - pause};
  }
  if (had && (!look || too_many)) {
    Reservation same = *before;
    same.key = key;
    return same;
  }
  ++searches_;
  Taker taker = taker_of(pool_, job, variant);
  taker.promised = true;
  const Where where = where_of(pool_, job, variant);
  const auto plan = search(pool_, pool_.demands[job.demand], variant, taker, where.only_nodes, where.barred_models);
  if (!plan || plan->due_ms >= kNever) {
    return Reservation{.job = job.spec.id,
                       .key = key,
                       .places = {},
                       .due_ms = kNever,
                       .made_ms = pool_.now_ms,
                       .looked_ms = pool_.now_ms};
  }
  Reservation fresh{.job = job.spec.id,
                    .key = key,
                    .places = plan->places,
                    .due_ms = plan->due_ms,
                    .made_ms = pool_.now_ms,
                    .looked_ms = pool_.now_ms};
  if (!had || before->due_ms <= pool_.now_ms) return fresh;
  const DurationMs wait = before->due_ms - pool_.now_ms;
  if (fresh.due_ms < before->due_ms - wait / 10) return fresh;
  Reservation same = *before;
  same.key = key;
  same.looked_ms = pool_.now_ms;
  return same;
}

void Reservations::reserve(const JobRec& job, const Variant& variant, const QueueKey& key) {
  const Demand& demand = pool_.demands[job.demand];
  if (!pool_.settings->backfill || full_for(demand)) return;
  Reservation reservation = renewed(job, variant, key);
  for (const Placement& place : reservation.places) keep(pool_, place);
  if (!reservation.places.empty()) count(demand);
  active_.push_back(std::move(reservation));
}

std::optional<Reservations::Loan> Reservations::borrowed(const Demand& demand, const Variant& variant,
                                                         const Where& where) {
  if (pool_.cards.claimed == 0) return std::nullopt;
  // Only where something kept is free: elsewhere there is nothing to lend.
  std::vector<Placement> lent;
  const auto lend = [&](const Placement& place) {
    if (node_of(pool_, place.node)->counted.claimed > 0) lent.push_back(place);
  };
  for (const Reservation& r : active_) std::for_each(r.places.begin(), r.places.end(), lend);
  for (const auto& [id, claim] : pool_.claims) {
    for (const ClaimPart& part : claim.parts) {
      if (!part.started) lend(part.place);
    }
  }
  if (lent.empty()) return std::nullopt;
  for (const Placement& place : lent) unkeep(pool_, place);
  auto places = place(pool_, demand, variant, where);
  for (const Placement& place : lent) keep(pool_, place);
  if (!places) return std::nullopt;
  Loan loan{.places = std::move(*places), .due_ms = kNever, .owner = {}};
  const auto consider = [&](const Placement& kept, TimeMs due, JobId owner) {
    const bool hit = std::any_of(loan.places.begin(), loan.places.end(),
                                 [&](const Placement& place) { return overlap(place, kept); });
    if (!hit || due >= loan.due_ms) return;
    loan.due_ms = due;
    loan.owner = owner;
  };
  for (const Reservation& r : active_) {
    for (const Placement& kept : r.places) consider(kept, r.due_ms, r.job);
  }
  for (const auto& [id, claim] : pool_.claims) {
    for (const ClaimPart& part : claim.parts) {
      if (!part.started) consider(part.place, claim.due_ms, claim.job);
    }
  }
  return loan;
}

void Reservations::lift() {
  if (lifted_) return;
  lifted_ = true;
  for (const Reservation& r : active_) {
    for (const Placement& place : r.places) unkeep(pool_, place);
  }
}

void Reservations::finish() {
  lift();
  pool_.reservations = std::move(active_);
  active_.clear();
}

}  // namespace weir::engine
