#include "engine/place/leases.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace weir::engine {

namespace {

template <class F>
void each_card(Mask cards, F&& f) {
  for (; cards != 0; cards &= cards - 1) f(std::countr_zero(cards));
}

Node& node_at(Pool& pool, NodeId id) {
  Node* node = node_of(pool, id);
  WEIR_CHECK(node != nullptr);
  return *node;
}

Index index_of(const Pool& pool, const Node& node) { return static_cast<Index>(&node - pool.nodes.data()); }

// Cards declared but not reported: free ones vanish first, then leased ones.
void settle_missing(Node& node) {
  std::int32_t lack = node.spec.cards - std::min(node.reported, node.spec.cards);
  Mask missing = 0;
  const auto take = [&](Mask from) {
    for (std::int32_t card = node.spec.cards - 1; card >= 0 && lack > 0; --card) {
      const Mask bit = Mask{1} << card;
      if ((from & bit) == 0 || (missing & bit) != 0) continue;
      missing |= bit;
      --lack;
    }
  };
  const Mask held = node.whole | node.shared;
  const Mask kept = node.kept | node.kept_in_part;
  take(node.declared() & ~held & node.faulty);
  take(node.declared() & ~held & ~kept);
  take(node.declared() & ~held);
  take(node.declared());
  node.missing = missing;
  node.short_of_held = std::popcount(held) > node.reported;
}

void subtract(CardCount& from, const CardCount& c) {
  from.free -= c.free;
  from.claimed -= c.claimed;
  from.whole -= c.whole;
  from.shared -= c.shared;
  from.quarantined -= c.quarantined;
  from.missing -= c.missing;
  from.down -= c.down;
}

void add(CardCount& to, const CardCount& c) {
  to.free += c.free;
  to.claimed += c.claimed;
  to.whole += c.whole;
  to.shared += c.shared;
  to.quarantined += c.quarantined;
  to.missing += c.missing;
  to.down += c.down;
}

std::int64_t& slot(std::vector<std::int64_t>& of_model, Index model) {
  if (of_model.size() <= model) of_model.resize(model + 1, 0);
  return of_model[model];
}

// Brings a node's share of the pool's counts up to date; called after each change.
void recount(Pool& pool, Node& node) {
  if (node.known) settle_missing(node);
  subtract(pool.cards, node.counted);
  node.counted = count_cards(pool, node);
  add(pool.cards, node.counted);
  const std::int64_t open = std::popcount(open_for_guard(pool, node));
  slot(pool.guard_open_of_model, node.model) += open - node.open_counted;
  node.open_counted = open;
  const std::int64_t healthy = node.known && !node.down ? std::popcount(node.healthy()) : 0;
  slot(pool.healthy_of_model, node.model) += healthy - node.healthy_counted;
  node.healthy_counted = healthy;
  log_change(pool, index_of(pool, node));
}

void count_holder(Pool& pool, bool replica, std::uint32_t holder, const Node& node, const Placement& place, int sign) {
  const std::int64_t milli = sign * milli_of(place);
  Index team = 0;
  if (replica) {
    const ReplicaRec& rec = pool.replicas.at(holder);
    team = rec.team;
  } else {
    const RunRec& run = pool.runs.at(holder);
    team = run.team;
    const std::int64_t cards = std::int64_t{sign} * std::popcount(place.cards);
    pool.training_cards += cards;
    if (!run.preemptible) pool.nonpreemptible_cards += cards;
  }
  pool.teams[team].held_milli += milli;
  slot(pool.teams[team].held_milli_of_model, node.model) += milli;
}

}  // namespace

std::int64_t milli_of(const Placement& place) {
  return place.share ? place.milli : std::int64_t{std::popcount(place.cards)} * kMilliPerCard;
}

std::int64_t milli_of(const Shape& shape) {
  return shape.whole() ? std::int64_t{shape.cards} * kMilliPerCard : shape.milli;
}

CardCount count_cards(const Pool& pool, const Node& node) {
  CardCount c;
  if (!node.known) return c;
  if (node.down) {
    c.down = node.cards_ever;
    return c;
  }
  Mask stale = 0;
  for (const Lease& lease : node.leases) {
    const bool old = lease.replica ? pool.replicas.at(lease.holder).stale : pool.runs.at(lease.holder).stale;
    if (old && node.silent) stale |= lease.place.cards;  // once it is heard they are held like any other
  }
  const Mask held = node.whole | node.shared;
  Mask left = node.declared();
  const auto take = [&](Mask mask) {
    const Mask here = left & mask;
    left &= ~mask;
    return std::int64_t{std::popcount(here)};
  };
  c.missing = take(node.missing) + node.cards_ever - node.spec.cards;
  c.quarantined = take(stale | (node.faulty & ~held));
  c.whole = take(node.whole);
  c.shared = take(node.shared);
  c.claimed = take(node.kept | node.kept_in_part);
  c.free = take(~Mask{0});
  return c;
}

Mask open_for_guard(const Pool& pool, const Node& node) {
  if (!node.takes_work()) return 0;
  Mask blocked = 0;
  for (const Lease& lease : node.leases) {
    if (!lease.replica || pool.replicas.at(lease.holder).guard) blocked |= lease.place.cards;
  }
  return node.healthy() & ~blocked;
}

void occupy(Pool& pool, bool replica, std::uint32_t holder, std::int32_t worker, const Placement& place) {
  Node& node = node_at(pool, place.node);
  WEIR_CHECK((place.cards & node.whole) == 0);
  node.leases.push_back({replica, holder, worker, place});
  if (place.share) {
    each_card(place.cards, [&](int i) {
      Card& card = node.cards[static_cast<std::size_t>(i)];
      ++card.shares;
      card.milli += place.milli;
      card.mem_mib += place.card_mem_mib;
    });
    node.shared |= place.cards;
  } else {
    WEIR_CHECK((place.cards & node.shared) == 0);
    node.whole |= place.cards;
  }
  node.cpu_used += place.cpu_milli;
  node.ram_used += place.ram_mib;
  count_holder(pool, replica, holder, node, place, 1);
  recount(pool, node);
}

void vacate(Pool& pool, bool replica, std::uint32_t holder, const Placement& place, std::int32_t worker) {
  Node& node = node_at(pool, place.node);
  const auto lease = std::find_if(node.leases.begin(), node.leases.end(), [&](const Lease& l) {
    return l.replica == replica && l.holder == holder && l.worker == worker;
  });
  if (lease == node.leases.end()) return;
  node.leases.erase(lease);
  if (place.share) {
    each_card(place.cards, [&](int i) {
      Card& card = node.cards[static_cast<std::size_t>(i)];
      --card.shares;
      card.milli -= place.milli;
      card.mem_mib -= place.card_mem_mib;
      if (card.shares == 0) node.shared &= ~(Mask{1} << i);
    });
  } else {
    node.whole &= ~place.cards;
  }
  node.cpu_used -= place.cpu_milli;
  node.ram_used -= place.ram_mib;
  count_holder(pool, replica, holder, node, place, -1);
  recount(pool, node);
}

namespace {

void keep_by(Pool& pool, const Placement& place, std::int32_t sign) {
  Node& node = node_at(pool, place.node);
  each_card(place.cards, [&](int i) {
    Card& card = node.cards[static_cast<std::size_t>(i)];
    const Mask bit = Mask{1} << i;
    if (place.share) {
      card.kept_shares += sign;
      card.kept_milli += sign * place.milli;
      card.kept_mem_mib += sign * place.card_mem_mib;
      card.kept_shares > 0 ? node.kept_in_part |= bit : node.kept_in_part &= ~bit;
    } else {
      card.kept_whole += sign;
      card.kept_whole > 0 ? node.kept |= bit : node.kept &= ~bit;
    }
  });
  node.cpu_kept += sign * place.cpu_milli;
  node.ram_kept += sign * place.ram_mib;
  recount(pool, node);
}

}  // namespace

void keep(Pool& pool, const Placement& place) { keep_by(pool, place, 1); }
void unkeep(Pool& pool, const Placement& place) { keep_by(pool, place, -1); }

void node_changed(Pool& pool, Node& node) { recount(pool, node); }

void uncount(Pool& pool, Node& node) {
  subtract(pool.cards, node.counted);
  slot(pool.guard_open_of_model, node.model) -= node.open_counted;
  slot(pool.healthy_of_model, node.model) -= node.healthy_counted;
  node.counted = {};
  node.open_counted = node.healthy_counted = 0;
}

void change_model(Pool& pool, Node& node, Index model) {
  for (const Lease& lease : node.leases) {
    const Index team = lease.replica ? pool.replicas.at(lease.holder).team : pool.runs.at(lease.holder).team;
    slot(pool.teams[team].held_milli_of_model, node.model) -= milli_of(lease.place);
    slot(pool.teams[team].held_milli_of_model, model) += milli_of(lease.place);
  }
  node.model = model;
}

void holder_changed(Pool& pool, const std::vector<Placement>& places) {
  for (const Placement& place : places) recount(pool, node_at(pool, place.node));
}

bool free_of_holders(const Node& node, const Placement& place) {
  if (!node.takes_work() || (place.cards & ~node.healthy()) != 0 || (place.cards & node.whole) != 0) return false;
  // A node declared smaller may hold more than it has; who asks for none does not mind.
  if (place.cpu_milli > 0 && place.cpu_milli > node.spec.cpu_milli - node.cpu_used) return false;
  if (place.ram_mib > 0 && place.ram_mib > node.spec.ram_mib - node.ram_used) return false;
  if (!place.share) return (place.cards & node.shared) == 0;
  bool fits = true;
  each_card(place.cards, [&](int i) {
    const Card& card = node.cards[static_cast<std::size_t>(i)];
    fits = fits && card.milli + place.milli <= kMilliPerCard &&
           card.mem_mib + place.card_mem_mib <= node.spec.card_mem_mib;
  });
  return fits;
}

bool fits_now(const Node& node, const Placement& place) {
  if (!free_of_holders(node, place)) return false;
  if (place.cpu_milli > 0 && place.cpu_milli > node.spec.cpu_milli - node.cpu_used - node.cpu_kept) return false;
  if (place.ram_mib > 0 && place.ram_mib > node.spec.ram_mib - node.ram_used - node.ram_kept) return false;
  if ((place.cards & node.kept) != 0) return false;
  if (!place.share) return (place.cards & node.kept_in_part) == 0;
  bool fits = true;
  each_card(place.cards, [&](int i) {
    const Card& card = node.cards[static_cast<std::size_t>(i)];
    fits = fits && card.milli + card.kept_milli + place.milli <= kMilliPerCard &&
           card.mem_mib + card.kept_mem_mib + place.card_mem_mib <= node.spec.card_mem_mib;
  });
  return fits;
}

}  // namespace weir::engine
