#include "engine/guard/floor.h"

#include <algorithm>
#include <bit>

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

bool listed(const std::vector<std::string>& models, const std::string& model) {
  return models.empty() || std::find(models.begin(), models.end(), model) != models.end();
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

std::int64_t shortfall_by_model(const Pool& pool, const std::vector<GuardNeed>& needs, std::vector<std::int64_t> open) {
  std::int64_t short_of = 0;
  for (const GuardNeed& need : needs) {
    std::int64_t missing = need.count;
    for (Index m = 0; m < open.size() && m < pool.models.size() && missing > 0; ++m) {
      if (open[m] <= 0 || !listed(need.models, pool.models.name(m))) continue;
      const std::int64_t here = std::min(missing, open[m]);
      open[m] -= here;
      missing -= here;
    }
    short_of += missing;
  }
  return short_of;
}

// What the guard may have of one node, for shapes beyond single cards.
struct Room {
  const Node* node = nullptr;
  Mask cards = 0;
  std::vector<std::int64_t> milli;  // free of shares that stay, by card
  std::vector<std::int64_t> mem;
  Mask cut = 0;  // cards in shares
  std::int64_t cpu = 0, ram = 0;
};

Room room_of(const Pool& pool, const Node& node) {
  Room room{.node = &node, .cards = node.healthy(), .milli = {}, .mem = {}};
  const auto n = static_cast<std::size_t>(node.spec.cards);
  room.milli.assign(n, kMilliPerCard);
  room.mem.assign(n, node.spec.card_mem_mib);
  room.cpu = node.spec.cpu_milli;
  room.ram = node.spec.ram_mib;
  for (const Lease& lease : node.leases) {
    if (lease.replica && !pool.replicas.at(lease.holder).guard) continue;
    room.cpu -= lease.place.cpu_milli;
    room.ram -= lease.place.ram_mib;
    if (!lease.place.share) {
      room.cards &= ~lease.place.cards;
      continue;
    }
    const auto card = static_cast<std::size_t>(std::countr_zero(lease.place.cards));
    room.cut |= lease.place.cards;
    room.milli[card] -= lease.place.milli;
    room.mem[card] -= lease.place.card_mem_mib;
  }
  return room;
}

void take_from(Room& room, const Placement& place) {
  room.cpu -= place.cpu_milli;
  room.ram -= place.ram_mib;
  if (!place.share) {
    room.cards &= ~place.cards;
    return;
  }
  const auto card = static_cast<std::size_t>(std::countr_zero(place.cards));
  room.cut |= place.cards;
  room.milli[card] -= place.milli;
  room.mem[card] -= place.card_mem_mib;
}

bool put(Room& room, const GuardNeed& need) {
  const Shape& s = need.shape;
  if (!listed(need.models, room.node->spec.model) || s.cpu_milli > room.cpu || s.ram_mib > room.ram) return false;
  Placement place{.node = room.node->spec.id, .cpu_milli = s.cpu_milli, .ram_mib = s.ram_mib};
  if (s.whole()) {
    Mask open = room.cards & ~room.cut;
    if (s.card_mem_mib > room.node->spec.card_mem_mib || std::popcount(open) < s.cards) return false;
    for (std::int32_t i = 0; i < s.cards; ++i, open &= open - 1) place.cards |= open & (~open + 1);
  } else if (s.share()) {
    const std::int64_t mem = s.card_mem_mib > 0
                                 ? s.card_mem_mib
                                 : std::max<std::int64_t>(1, room.node->spec.card_mem_mib * s.milli / kMilliPerCard);
    int best = -1;
    for (Mask left = room.cards; left != 0; left &= left - 1) {
      const auto card = static_cast<std::size_t>(std::countr_zero(left));
      if (room.milli[card] < s.milli || room.mem[card] < mem) continue;
      if (best < 0 || room.milli[card] < room.milli[static_cast<std::size_t>(best)]) best = static_cast<int>(card);
    }
    if (best < 0) return false;
    place.cards = Mask{1} << best;
    place.share = true;
    place.milli = s.milli;
    place.card_mem_mib = mem;
  }
  take_from(room, place);
  return true;
}

std::int64_t shortfall_by_rooms(const Pool& pool, const std::vector<GuardNeed>& needs,
                                const std::vector<Placement>& taken, const std::vector<Placement>& freed) {
  std::vector<Room> rooms;
  for (const Node& node : pool.nodes) {
    if (!node.takes_work()) continue;
    Room room = room_of(pool, node);
    for (const Placement& place : freed) {
      if (place.node == node.spec.id && !place.share) room.cards |= place.cards & node.healthy();
    }
    for (const Placement& place : taken) {
      if (place.node == node.spec.id) take_from(room, place);
    }
    rooms.push_back(std::move(room));
  }
  std::int64_t short_of = 0;
  for (const GuardNeed& need : needs) {
    for (std::int64_t i = 0; i < need.count; ++i) {
      Room* best = nullptr;
      int best_open = 0;
      for (Room& room : rooms) {
        Room trial = room;
        if (!put(trial, need)) continue;
        const int open = std::popcount(trial.cards & ~trial.cut);
        if (best == nullptr || open < best_open) {
          best = &room;
          best_open = open;
        }
      }
      best == nullptr ? ++short_of : static_cast<std::int64_t>(put(*best, need));
    }
  }
  return short_of;
}

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
    return shortfall_by_model(pool, needs, open_by_model(pool, taken, freed));
  }
  const std::int64_t short_of = shortfall_by_rooms(pool, needs, taken, freed);
  const bool bound =
      std::any_of(needs.begin(), needs.end(), [](const GuardNeed& need) { return !need.models.empty(); });
  if (short_of == 0 || !bound) return short_of;
  // Those that may go to few models first: what is large may have gone to the only one that they can.
  std::vector<GuardNeed> bound_first = needs;
  std::stable_sort(bound_first.begin(), bound_first.end(), [](const GuardNeed& a, const GuardNeed& b) {
    return !a.models.empty() && (b.models.empty() || a.models.size() < b.models.size());
  });
  return std::min(short_of, shortfall_by_rooms(pool, bound_first, taken, freed));
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

bool pledge_allows(const Pool& pool, std::int64_t cards, bool can_be_had_back) {
  const std::int64_t buffer = pool.settings->buffer_cards;
  if (buffer <= 0) return true;
  const std::int64_t free = pool.cards.free + pool.cards.claimed - guard_cards_owed(pool) - cards;
  if (pool.settings->buffer_mode == BufferMode::hold) return free >= buffer;
  return free + pool.lent_cards + (can_be_had_back ? cards : 0) >= buffer;
}

}  // namespace weir::engine
