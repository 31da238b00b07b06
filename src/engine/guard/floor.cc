#include "engine/guard/floor.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"

namespace weir::engine {

namespace {

constexpr std::int64_t kRoomsMax = 20'000;  // nodes x needs up to which each replica of the guard is placed with care

std::int64_t cards_of(const Shape& shape) { return std::max(1, shape.cards); }

bool plain(const GuardNeed& need) {
  const Shape& s = need.shape;
  return s.cards == 1 && s.card_mem_mib == 0 && s.cpu_milli == 0 && s.ram_mib == 0;
}

// Cards per model that the guard may have, after a start.
std::vector<std::int64_t> open_by_model(const Pool& pool, const std::vector<Placement>& taken,
                                        const std::vector<Placement>& freed) {
  std::vector<std::int64_t> open = pool.guard_open_of_model;
  open.resize(std::max<std::size_t>(open.size(), pool.models.size()), 0);
  for (const Placement& place : taken) {
    const Node* node = node_of(pool, place.node);
    const Mask lost = place.cards & open_for_guard(pool, *node);
    open[node->model] -= std::popcount(lost);
  }
  for (const Placement& place : freed) {
    const Node* node = node_of(pool, place.node);
    Mask gained = place.cards & node->healthy() & ~open_for_guard(pool, *node);
    for (const Placement& t : taken) {
      if (t.node == place.node) gained &= ~t.cards;
    }
    open[node->model] += std::popcount(gained);
  }
  return open;
}

void order_needs(std::vector<GuardNeed>& needs) {
  std::stable_sort(needs.begin(), needs.end(), [](const GuardNeed& a, const GuardNeed& b) {
    if (a.shape.cards != b.shape.cards) return a.shape.cards > b.shape.cards;
    if (a.shape.milli != b.shape.milli) return a.shape.milli > b.shape.milli;
    return !a.models.empty() && (b.models.empty() || a.models.size() < b.models.size());
  });
}

// Single cards of several models: a flow from needs to models. What a need cannot have
// of its models another one may make way for.
class CardFlow {
 public:
  CardFlow(const Pool& pool, const std::vector<GuardNeed>& needs, std::vector<std::int64_t> open)
      : pool_(pool), needs_(needs), open_(std::move(open)) {
    open_.resize(pool.models.size(), 0);
    given_.assign(needs.size(), std::vector<std::int64_t>(open_.size(), 0));
  }

  std::int64_t shortfall() {
    std::int64_t short_of = 0;
    for (std::size_t n = 0; n < needs_.size(); ++n) {
      std::int64_t missing = needs_[n].count;
      while (missing > 0) {
        seen_.assign(open_.size(), false);
        const std::int64_t got = give(n, missing);
        if (got == 0) break;
        missing -= got;
      }
      short_of += missing;
    }
    return short_of;
  }

 private:
  // Up to `wanted` more cards for the need; 0 when no chain of exchanges has one.
  std::int64_t give(std::size_t need, std::int64_t wanted) {
    for (Index m = 0; m < open_.size(); ++m) {
      if (seen_[m] || !model_allowed(needs_[need].models, pool_.models.name(m))) continue;
      seen_[m] = true;
      std::int64_t got = std::clamp<std::int64_t>(open_[m], 0, wanted);
      open_[m] -= got;
      for (std::size_t other = 0; other < needs_.size() && got == 0; ++other) {
        if (other == need || given_[other][m] == 0) continue;
        got = give(other, std::min(wanted, given_[other][m]));
        given_[other][m] -= got;
      }
      given_[need][m] += got;
      if (got > 0) return got;
    }
    return 0;
  }

  const Pool& pool_;
  const std::vector<GuardNeed>& needs_;
  std::vector<std::int64_t> open_;                // by model
  std::vector<std::vector<std::int64_t>> given_;  // by need and model
  std::vector<bool> seen_;
};

}  // namespace

std::vector<GuardNeed> guard_needs(const Pool& pool) {
  std::vector<GuardNeed> needs;
  std::int64_t assigned = 0;
  for (const auto& [id, service] : pool.services) {
    if (service.stopped || service.guard <= 0) continue;
    assigned += cards_of(service.spec.shape) * service.guard;
    const std::int64_t missing =
        service.guard - std::min<std::int64_t>(service.guard, static_cast<std::int64_t>(service.live.size()));
    if (missing > 0) needs.push_back({service.spec.id, service.spec.shape, service.spec.models, missing});
  }
  std::int64_t left = pool.settings->guard_min_cards - assigned;
  if (left > 0 && pool.settings->guard_shapes.empty()) {
    needs.push_back({{}, Shape{.cards = 1}, {}, left});
  } else if (left > 0) {
    std::vector<Shape> shapes = pool.settings->guard_shapes;
    std::stable_sort(shapes.begin(), shapes.end(),
                     [](const Shape& a, const Shape& b) { return cards_of(a) > cards_of(b); });
    for (const Shape& shape : shapes) {
      if (cards_of(shape) > left) continue;
      needs.push_back({{}, shape, {}, 1});
      left -= cards_of(shape);
    }
    if (left > 0) needs.push_back({{}, Shape{.cards = 1}, {}, left});  // what no shape is small enough for
  }
  order_needs(needs);
  return needs;
}

std::int64_t guard_cards_owed(const Pool& pool) {
  std::int64_t cards = 0;
  for (const GuardNeed& need : guard_needs(pool)) cards += cards_of(need.shape) * need.count;
  return cards;
}

namespace {

std::int64_t shortfall_of(const Pool& pool, const std::vector<GuardNeed>& needs, const std::vector<Placement>& taken,
                          const std::vector<Placement>& freed) {
  if (needs.empty()) return 0;
  if (std::all_of(needs.begin(), needs.end(), plain)) {
    return CardFlow(pool, needs, open_by_model(pool, taken, freed)).shortfall();
  }
  return shortfall_by_rooms(pool, needs, taken, freed);
}

}  // namespace

std::int64_t guard_shortfall(const Pool& pool, const std::vector<Placement>& taken,
                             const std::vector<Placement>& freed) {
  return shortfall_of(pool, guard_needs(pool), taken, freed);
}

bool guard_has_room_beside(const Pool& pool, ServiceId service, const Placement& place) {
  std::vector<GuardNeed> needs = guard_needs(pool);
  std::int64_t count = 0;
  for (const GuardNeed& need : needs) count += need.count;
  if (count < 2 || count * static_cast<std::int64_t>(pool.nodes.size()) > kRoomsMax) return true;
  const std::int64_t before = shortfall_of(pool, needs, {}, {});
  for (GuardNeed& need : needs) {
    if (need.service == service && need.count > 0) --need.count;
  }
  std::erase_if(needs, [](const GuardNeed& need) { return need.count == 0; });
  return shortfall_of(pool, needs, {place}, {}) <= before;
}

bool guard_allows(const Pool& pool, const std::vector<Placement>& places, const std::vector<Placement>& freed) {
  const std::int64_t after = guard_shortfall(pool, places, freed);
  return after == 0 || after <= guard_shortfall(pool, {}, {});
}

bool lendable(const Pool& pool, const CheckpointContract& ckpt, std::int32_t speed_milli) {
  return worst_yield(ckpt, speed_milli) <= pool.settings->lead_time_ms;
}

namespace {

// What open claims of jobs will change once their victims have left and they have started.
CardChange still_to_come(const Pool& pool) {
  CardChange change;
  for (const auto& [id, claim] : pool.claims) {
    const JobRec* job = claim.beneficiary == ClaimFor::job ? job_of(pool, claim.job) : nullptr;
    if (job == nullptr) continue;
    for (const ClaimPart& part : claim.parts) {
      if (part.started || part.place.share) continue;
      const std::int64_t cards = std::popcount(part.place.cards);
      change.free -= cards;
      if (lendable(pool, job->spec.ckpt, kMilliPerCard)) change.lent += cards;
    }
    for (const Victim& victim : claim.victims) {
      const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
      if (run == nullptr) continue;
      change.free += run->cards;
      if (run->lent) change.lent -= run->cards;
    }
  }
  return change;
}

}  // namespace

bool pledge_allows(const Pool& pool, const CardChange& change) {
  const std::int64_t buffer = pool.settings->buffer_cards;
  if (buffer <= 0) return true;
  const CardChange coming = still_to_come(pool);
  const bool lends = pool.settings->buffer_mode == BufferMode::lend;
  const std::int64_t before = pool.cards.free + pool.cards.claimed - guard_cards_owed(pool) + coming.free +
                              (lends ? pool.lent_cards + coming.lent : 0);
  const std::int64_t rise = change.free + (lends ? change.lent : 0);
  return rise >= 0 || before + rise >= buffer;
}

}  // namespace weir::engine
