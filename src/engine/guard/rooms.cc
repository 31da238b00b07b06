#include "engine/guard/rooms.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

constexpr std::int64_t kSearchStepsMax = 20'000;  // places tried, some milliseconds; reached by contrived pools only

// What the guard may have of one node.
struct Room {
  const Node* node = nullptr;
  Mask cards = 0;
  std::vector<std::int64_t> milli;  // free of shares that stay, by card
  std::vector<std::int64_t> mem;
  Mask cut = 0;  // cards in shares
  std::int64_t cpu = 0, ram = 0;

  [[nodiscard]] Mask uncut() const { return cards & ~cut; }
};

Room room_of(const Pool& pool, const Node& node) {
  Room room{.node = &node, .cards = node.healthy(), .milli = {}, .mem = {}};
  const std::size_t n = node.cards.size();  // a node declared smaller may hold more
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

void give_back(Room& room, const Placement& place, Mask cut_before) {
  room.cpu += place.cpu_milli;
  room.ram += place.ram_mib;
  if (!place.share) {
    room.cards |= place.cards;
    return;
  }
  const auto card = static_cast<std::size_t>(std::countr_zero(place.cards));
  room.cut = cut_before;
  room.milli[card] += place.milli;
  room.mem[card] += place.card_mem_mib;
}

bool place_share(const Room& room, const Shape& shape, Placement& place) {
  const std::int64_t whole_mem = room.node->spec.card_mem_mib;
  const std::int64_t mem =
      shape.card_mem_mib > 0 ? shape.card_mem_mib : std::max<std::int64_t>(1, whole_mem * shape.milli / kMilliPerCard);
  int best = -1;
  for (Mask left = room.cards; left != 0; left &= left - 1) {
    const auto card = static_cast<std::size_t>(std::countr_zero(left));
    if (room.milli[card] < shape.milli || room.mem[card] < mem) continue;
    if (best < 0 || room.milli[card] < room.milli[static_cast<std::size_t>(best)]) best = static_cast<int>(card);
  }
  if (best < 0) return false;
  place.cards = Mask{1} << best;
  place.share = true;
  place.milli = shape.milli;
  place.card_mem_mib = mem;
  return true;
}

// Where one worker of the need would stand in the room.
std::optional<Placement> place_in(const Room& room, const GuardNeed& need) {
  const Shape& s = need.shape;
  if (s.cpu_milli > room.cpu || s.ram_mib > room.ram || !model_allowed(need.models, room.node->spec.model)) return {};
  Placement place{.node = room.node->spec.id, .cpu_milli = s.cpu_milli, .ram_mib = s.ram_mib};
  if (s.whole()) {
    Mask open = room.uncut();
    if (s.card_mem_mib > room.node->spec.card_mem_mib || std::popcount(open) < s.cards) return {};
    for (std::int32_t i = 0; i < s.cards; ++i, open &= open - 1) place.cards |= open & (~open + 1);
  } else if (s.share() && !place_share(room, s, place)) {
    return {};
  }
  return place;
}

std::vector<Room> rooms_after(const Pool& pool, const std::vector<Placement>& taken,
                              const std::vector<Placement>& freed) {
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
  return rooms;
}

std::int64_t best_fit_shortfall(std::vector<Room> rooms, const std::vector<GuardNeed>& needs) {
  std::int64_t short_of = 0;
  for (const GuardNeed& need : needs) {
    for (std::int64_t i = 0; i < need.count; ++i) {
      Room* best = nullptr;
      Placement best_place;
      int best_open = 0;
      for (Room& room : rooms) {
        const std::optional<Placement> place = place_in(room, need);
        if (!place) continue;
        const int open = std::popcount(room.uncut() & ~place->cards);
        if (best != nullptr && open >= best_open) continue;
        best = &room;
        best_place = *place;
        best_open = open;
      }
      if (best == nullptr) {
        short_of += need.count - i;  // nor will those alike
        break;
      }
      take_from(*best, best_place);
    }
  }
  return short_of;
}

// Less of something than is owed in all: no search can help.
bool too_small(const std::vector<Room>& rooms, const std::vector<GuardNeed>& needs) {
  std::int64_t milli = 0, cpu = 0, ram = 0;
  for (const Room& room : rooms) {
    for (Mask left = room.cards; left != 0; left &= left - 1) {
      milli += room.milli[static_cast<std::size_t>(std::countr_zero(left))];
    }
    cpu = std::min(kUnlimited, cpu + std::max<std::int64_t>(0, room.cpu));
    ram = std::min(kUnlimited, ram + std::max<std::int64_t>(0, room.ram));
  }
  for (const GuardNeed& need : needs) {
    milli -= need.count * (need.shape.whole() ? std::int64_t{kMilliPerCard} * need.shape.cards : need.shape.milli);
    if (cpu < kUnlimited) cpu -= need.count * need.shape.cpu_milli;
    if (ram < kUnlimited) ram -= need.count * need.shape.ram_mib;
  }
  return milli < 0 || cpu < 0 || ram < 0;
}

bool alike(const Room& a, const Room& b) {
  return a.cpu == b.cpu && a.ram == b.ram && a.cards == b.cards && a.cut == b.cut && a.milli == b.milli &&
         a.mem == b.mem && a.node->model == b.node->model && a.node->spec.card_mem_mib == b.node->spec.card_mem_mib;
}

// Depth first over "which room takes the next one". Those of one need are alike, so
// that only rooms from the last one's on are tried.
class Search {
 public:
  Search(std::vector<Room> rooms, const std::vector<GuardNeed>& needs) : rooms_(std::move(rooms)), needs_(needs) {}

  bool places(std::size_t need, std::int64_t placed, std::size_t from) {
    while (need < needs_.size() && placed >= needs_[need].count) {
      ++need;
      placed = 0;
      from = 0;
    }
    if (need == needs_.size()) return true;
    for (std::size_t i = from; i < rooms_.size(); ++i) {
      if (i > from && alike(rooms_[i], rooms_[i - 1])) continue;  // the one before was tried, in vain
      if (--steps_ < 0) return false;
      const std::optional<Placement> place = place_in(rooms_[i], needs_[need]);
      if (!place) continue;
      const Mask cut = rooms_[i].cut;
      take_from(rooms_[i], *place);
      if (places(need, placed + 1, i)) return true;
      give_back(rooms_[i], *place, cut);
    }
    return false;
  }

 private:
  std::vector<Room> rooms_;
  const std::vector<GuardNeed>& needs_;
  std::int64_t steps_ = kSearchStepsMax;
};

}  // namespace

std::int64_t shortfall_by_rooms(const Pool& pool, const std::vector<GuardNeed>& needs,
                                const std::vector<Placement>& taken, const std::vector<Placement>& freed) {
  const std::vector<Room> rooms = rooms_after(pool, taken, freed);
  const std::int64_t short_of = best_fit_shortfall(rooms, needs);
  if (short_of == 0 || too_small(rooms, needs)) return short_of;
  return Search(rooms, needs).places(0, 0, 0) ? 0 : short_of;
}

}  // namespace weir::engine
