#include "audit/ledger.h"

#include <algorithm>
#include <bit>

#include "audit/text.h"

namespace weir::audit {

namespace {

std::int32_t count_bits(std::uint64_t mask) { return std::popcount(mask); }

void add_share(std::vector<CardUse>& use, std::uint64_t& shared, const Placement& place, std::int32_t sign) {
  const auto card = static_cast<std::size_t>(std::countr_zero(place.cards));
  if (card >= use.size()) return;
  CardUse& part = use[card];
  part.shares += sign;
  part.milli += sign * place.milli;
  part.mem_mib += sign * place.card_mem_mib;
  if (part.shares > 0) {
    shared |= place.cards;
  } else {
    shared &= ~place.cards;
  }
}

void add_counts(CardCount& into, const CardCount& other, std::int64_t sign) {
  into.free += sign * other.free;
  into.claimed += sign * other.claimed;
  into.whole += sign * other.whole;
  into.shared += sign * other.shared;
  into.quarantined += sign * other.quarantined;
  into.missing += sign * other.missing;
  into.down += sign * other.down;
}

}  // namespace

std::uint64_t low_bits(std::int32_t count) {
  if (count <= 0) return 0;
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::int64_t milli_of(const Placement& place) {
  return place.share ? place.milli : std::int64_t{kMilliPerCard} * count_bits(place.cards);
}

std::uint64_t NodeBook::declared_mask() const { return low_bits(spec.cards); }

CardCount NodeBook::count() const {
  CardCount out;
  if (down) {
    out.down = cards_ever;
    return out;
  }
  out.missing = cards_ever - std::min(cards_reported, cards_ever);
  std::int64_t room = cards_ever - out.missing;
  const auto take = [&room](std::uint64_t mask) {
    const std::int64_t taken = std::min<std::int64_t>(count_bits(mask), room);
    room -= taken;
    return taken;
  };
  const std::uint64_t held = whole | shared;
  const std::uint64_t stale = silent ? held : 0;
  out.whole = take(whole & ~faulty & ~stale);
  out.shared = take(shared & ~faulty & ~stale);
  out.quarantined = take(faulty | stale);
  std::uint64_t claimed = 0;
  for (const ClaimPart& part : claims) claimed |= part.place.cards;
  out.claimed = take(claimed & ~held & ~faulty & declared_mask());
  out.free = room;
  return out;
}

NodeBook* Ledger::find(NodeId id) {
  const auto it = index_.find(id.value);
  return it == index_.end() ? nullptr : &nodes_[it->second];
}

const NodeBook* Ledger::find(NodeId id) const {
  const auto it = index_.find(id.value);
  return it == index_.end() ? nullptr : &nodes_[it->second];
}

NodeBook& Ledger::declare(const NodeSpec& spec) {
  const auto [it, is_new] = index_.try_emplace(spec.id.value, nodes_.size());
  if (is_new) {
    nodes_.emplace_back();
    counted_.emplace_back();
  }
  NodeBook& node = nodes_[it->second];
  node.spec = spec;
  node.cards_ever = std::max(node.cards_ever, spec.cards);
  node.cards_reported = spec.cards;
  const auto cards = static_cast<std::size_t>(node.cards_ever);
  node.use.resize(cards);
  node.blocked_use.resize(cards);
  touch(spec.id);
  return node;
}

std::int32_t Ledger::team_index(std::string_view team) {
  if (const auto it = teams_.find(team); it != teams_.end()) return it->second;
  const auto index = static_cast<std::int32_t>(team_milli_.size());
  teams_.emplace(std::string(team), index);
  team_milli_.push_back(0);
  return index;
}

std::optional<std::string> Ledger::fault_of(const Placement& place) const {
  const NodeBook* node = find(place.node);
  if (node == nullptr) return say("node ", place.node, " is not known");
  if (node->down) return say("node ", place.node, " is down");
  if (node->silent) return say("node ", place.node, " is silent");
  if (node->draining) return say("node ", place.node, " is draining");
  if ((place.cards & ~node->declared_mask()) != 0) return say("node ", place.node, " has no such card");
  if ((place.cards & node->faulty) != 0) return say("a card of node ", place.node, " is faulty");
  if ((place.cards & node->whole) != 0) return say("a card of node ", place.node, " is held whole already");
  if (place.share) {
    if (count_bits(place.cards) != 1) return std::string("a share is not on exactly one card");
    const CardUse& use = node->use[static_cast<std::size_t>(std::countr_zero(place.cards))];
    if (use.milli + place.milli > kMilliPerCard) {
      return say("card of node ", place.node, " would hold ", use.milli + place.milli, " milli");
    }
    if (place.card_mem_mib > node->spec.card_mem_mib - use.mem_mib) {
      return say("card of node ", place.node, " would hold ", use.mem_mib + place.card_mem_mib, " MiB of ",
                 node->spec.card_mem_mib);
    }
  } else if ((place.cards & node->shared) != 0) {
    return say("a card of node ", place.node, " is shared and cannot be had whole");
  }
  if (place.cards != 0 && count_bits(node->whole | node->shared | place.cards) > node->cards_reported) {
    return say("node ", place.node, " reports only ", node->cards_reported, " cards");
  }
  if (place.cpu_milli > 0 && place.cpu_milli > node->spec.cpu_milli - node->cpu_milli) {
    return say("node ", place.node, " has too little CPU: ", node->spec.cpu_milli - node->cpu_milli, " milli of ",
               place.cpu_milli);
  }
  if (place.ram_mib > 0 && place.ram_mib > node->spec.ram_mib - node->ram_mib) {
    return say("node ", place.node, " has too little memory: ", node->spec.ram_mib - node->ram_mib, " MiB of ",
               place.ram_mib);
  }
  return std::nullopt;
}

void Ledger::apply_blocking(NodeBook& node, const Lease& lease, std::int32_t sign) {
  const Placement& place = lease.place;
  if (place.share) {
    add_share(node.blocked_use, node.blocked_shared, place, sign);
  } else if (sign > 0) {
    node.blocked_whole |= place.cards;
  } else {
    node.blocked_whole &= ~place.cards;
  }
  node.blocked_cpu_milli += sign * place.cpu_milli;
  node.blocked_ram_mib += sign * place.ram_mib;
}

void Ledger::apply(NodeBook& node, const Lease& lease, std::int32_t sign) {
  const Placement& place = lease.place;
  if (place.share) {
    add_share(node.use, node.shared, place, sign);
  } else if (sign > 0) {
    node.whole |= place.cards;
  } else {
    node.whole &= ~place.cards;
  }
  node.cpu_milli += sign * place.cpu_milli;
  node.ram_mib += sign * place.ram_mib;
  if (lease.blocks_guard) apply_blocking(node, lease, sign);

  const std::int64_t milli = sign * milli_of(place);
  node.milli += milli;
  team_milli_[static_cast<std::size_t>(lease.team)] += milli;
  model_milli_[node.spec.model] += milli;
  if (lease.service.valid()) service_milli_[lease.service.value] += milli;
  touch(node.spec.id);
}

void Ledger::add(const Lease& lease) {
  NodeBook* node = find(lease.place.node);
  if (node == nullptr) return;
  node->leases.push_back(lease);
  apply(*node, lease, 1);
}

void Ledger::remove(NodeBook& node, const Holder& holder, std::int32_t worker) {
  for (std::size_t i = 0; i < node.leases.size();) {
    const Lease& lease = node.leases[i];
    if (lease.holder != holder || (worker >= 0 && lease.worker != worker)) {
      ++i;
      continue;
    }
    const Lease gone = lease;
    node.leases[i] = node.leases.back();
    node.leases.pop_back();
    apply(node, gone, -1);
  }
}

void Ledger::set_blocks_guard(NodeBook& node, const Holder& holder, bool blocks) {
  for (Lease& lease : node.leases) {
    if (lease.holder != holder || lease.blocks_guard == blocks) continue;
    lease.blocks_guard = blocks;
    apply_blocking(node, lease, blocks ? 1 : -1);
    touch(node.spec.id);
  }
}

void Ledger::touch(NodeId id) {
  const auto it = index_.find(id.value);
  if (it == index_.end()) return;
  Counted& counted = counted_[it->second];
  if (!counted.dirty) {
    counted.dirty = true;
    dirty_.push_back(it->second);
  }
  if (!counted.listed) {
    counted.listed = true;
    touched_.push_back(id);
  }
}

std::vector<NodeId> Ledger::take_touched() {
  for (const NodeId id : touched_) counted_[index_.at(id.value)].listed = false;
  std::vector<NodeId> out;
  out.swap(touched_);
  return out;
}

void Ledger::recount() const {
  for (const std::size_t i : dirty_) {
    Counted& counted = counted_[i];
    counted.dirty = false;
    add_counts(total_, counted.cards, -1);
    anomalous_ -= counted.anomalous ? 1 : 0;
    counted.cards = nodes_[i].count();
    counted.anomalous = nodes_[i].anomalous();
    add_counts(total_, counted.cards, 1);
    anomalous_ += counted.anomalous ? 1 : 0;
  }
  dirty_.clear();
}

CardCount Ledger::cards() const {
  recount();
  return total_;
}

std::int64_t Ledger::anomalous_nodes() const {
  recount();
  return anomalous_;
}

std::int64_t Ledger::milli_of_team(std::string_view team) const {
  const auto it = teams_.find(team);
  return it == teams_.end() ? 0 : team_milli_[static_cast<std::size_t>(it->second)];
}

std::int64_t Ledger::milli_of_model(std::string_view model) const {
  const auto it = model_milli_.find(model);
  return it == model_milli_.end() ? 0 : it->second;
}

std::int64_t Ledger::milli_of_service(ServiceId service) const {
  const auto it = service_milli_.find(service.value);
  return it == service_milli_.end() ? 0 : it->second;
}

}  // namespace weir::audit
