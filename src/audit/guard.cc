#include "audit/guard.h"

#include <algorithm>
#include <bit>

namespace weir::audit {

namespace {

constexpr std::int64_t kSearchStepsMax = 20'000;  // some milliseconds; reached by contrived pools only

// What the guard may have of one node.
struct Room {
  const NodeBook* node = nullptr;
  std::uint64_t cards = 0;   // healthy, and not held whole by training or guard
  std::vector<CardUse> use;  // shares that stay, by card
  std::uint64_t shared = 0;
  std::int64_t cards_left = 0;  // bound by the count reported
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
};

std::uint64_t healthy_cards(const NodeBook& node) {
  return node.takes_work() ? node.declared_mask() & ~node.faulty : 0;
}

std::int64_t whole_cards_of(const NodeBook& node) {
  const std::uint64_t blocked = node.blocked_whole | node.blocked_shared;
  const std::int64_t open = std::popcount(healthy_cards(node) & ~blocked);
  return std::clamp<std::int64_t>(node.cards_reported - std::popcount(blocked), 0, open);
}

bool model_allowed(const std::vector<std::string>& models, const std::string& model) {
  return models.empty() || std::find(models.begin(), models.end(), model) != models.end();
}

std::int64_t memory_of_share(const Shape& shape, std::int64_t card_mem_mib) {
  if (shape.card_mem_mib > 0) return shape.card_mem_mib;
  return std::max<std::int64_t>(1, card_mem_mib * shape.milli / kMilliPerCard);
}

void sort_largest_first(std::vector<GuardNeed>& needs) {
  std::stable_sort(needs.begin(), needs.end(), [](const GuardNeed& a, const GuardNeed& b) {
    if (a.shape.cards != b.shape.cards) return a.shape.cards > b.shape.cards;
    if (a.shape.milli != b.shape.milli) return a.shape.milli > b.shape.milli;
    // Among equals the one that may go to fewer models first.
    return !a.models.empty() && (b.models.empty() || a.models.size() < b.models.size());
  });
}

std::vector<Room> rooms_of(const Ledger& ledger) {
  std::vector<Room> rooms;
  rooms.reserve(ledger.nodes().size());
  for (const NodeBook& node : ledger.nodes()) {
    if (!node.takes_work()) continue;
    Room room{.node = &node,
              .cards = healthy_cards(node) & ~node.blocked_whole,
              .use = node.blocked_use,
              .shared = node.blocked_shared};
    room.cards_left = node.cards_reported - std::popcount(node.blocked_whole | node.blocked_shared);
    room.cpu_milli = node.spec.cpu_milli - node.blocked_cpu_milli;
    room.ram_mib = node.spec.ram_mib - node.blocked_ram_mib;
    rooms.push_back(std::move(room));
  }
  return rooms;
}

// Card for a share in this room: the fullest one that has room; -1 = none.
std::int32_t card_for_share(const Room& room, const Shape& shape) {
  std::int32_t best = -1;
  std::int32_t best_milli = -1;
  const std::int64_t memory = memory_of_share(shape, room.node->spec.card_mem_mib);
  for (std::uint64_t left = room.cards; left != 0; left &= left - 1) {
    const std::int32_t card = std::countr_zero(left);
    const CardUse& use = room.use[static_cast<std::size_t>(card)];
    const bool opens = use.shares == 0;
    if (opens && room.cards_left <= 0) continue;
    if (use.milli + shape.milli > kMilliPerCard) continue;
    if (memory > room.node->spec.card_mem_mib - use.mem_mib) continue;
    const std::int32_t filled = opens ? 0 : 1 + use.milli;
    if (filled > best_milli) {
      best_milli = filled;
      best = card;
    }
  }
  return best;
}

// Puts one worker of `need` into the room; false, and nothing changed, when it does not fit.
bool put(Room& room, const GuardNeed& need) {
  const Shape& shape = need.shape;
  if (!model_allowed(need.models, room.node->spec.model)) return false;
  if (shape.cpu_milli > room.cpu_milli || shape.ram_mib > room.ram_mib) return false;
  if (shape.whole()) {
    const std::uint64_t open = room.cards & ~room.shared;
    if (shape.card_mem_mib > room.node->spec.card_mem_mib) return false;
    if (std::min<std::int64_t>(std::popcount(open), room.cards_left) < shape.cards) return false;
    std::uint64_t left = open;
    for (std::int32_t i = 0; i < shape.cards; ++i) left &= left - 1;
    room.cards &= ~(open & ~left);
    room.cards_left -= shape.cards;
  } else if (shape.share()) {
    const std::int32_t card = card_for_share(room, shape);
    if (card < 0) return false;
    CardUse& use = room.use[static_cast<std::size_t>(card)];
    if (use.shares == 0) room.cards_left -= 1;
    use.shares += 1;
    use.milli += shape.milli;
    use.mem_mib += memory_of_share(shape, room.node->spec.card_mem_mib);
    room.shared |= std::uint64_t{1} << card;
  }
  room.cpu_milli -= shape.cpu_milli;
  room.ram_mib -= shape.ram_mib;
  return true;
}

std::int64_t open_whole(const Room& room) {
  return std::min<std::int64_t>(std::popcount(room.cards & ~room.shared), room.cards_left);
}

// Depth-first over "which node takes the next one"; steps is what is left of the bound.
Placeable search(std::vector<Room>& rooms, const std::vector<GuardNeed>& needs, std::size_t need, std::int64_t placed,
                 std::size_t from, std::int64_t& steps) {
  while (need < needs.size() && placed >= needs[need].count) {
    ++need;
    placed = 0;
    from = 0;
  }
  if (need == needs.size()) return Placeable::yes;
  bool gave_up = false;
  // Workers of one need are alike: only non-decreasing node indexes are tried.
  for (std::size_t i = from; i < rooms.size(); ++i) {
    if (--steps < 0) return Placeable::unknown;
    const Room before = rooms[i];
    if (!put(rooms[i], needs[need])) continue;
    const Placeable found = search(rooms, needs, need, placed + 1, i, steps);
    if (found == Placeable::yes) return found;
    gave_up = gave_up || found == Placeable::unknown;
    rooms[i] = before;
  }
  return gave_up ? Placeable::unknown : Placeable::no;
}

}  // namespace

bool best_fit_places(const Ledger& ledger, const std::vector<GuardNeed>& needs) {
  std::vector<Room> rooms = rooms_of(ledger);
  for (const GuardNeed& need : needs) {
    for (std::int64_t i = 0; i < need.count; ++i) {
      std::size_t best = rooms.size();
      std::int64_t best_open = 0;
      for (std::size_t r = 0; r < rooms.size(); ++r) {
        Room trial = rooms[r];
        if (!put(trial, need)) continue;
        const std::int64_t open = open_whole(trial);
        if (best == rooms.size() || open < best_open) {
          best = r;
          best_open = open;
        }
      }
      if (best == rooms.size()) return false;
      (void)put(rooms[best], need);
    }
  }
  return true;
}

Placeable search_places(const Ledger& ledger, const std::vector<GuardNeed>& needs) {
  std::vector<Room> rooms = rooms_of(ledger);
  std::int64_t steps = kSearchStepsMax;
  return search(rooms, needs, 0, 0, 0, steps);
}

std::int32_t GuardIndex::class_of(const NodeSpec& spec) {
  const bool limited = spec.cpu_milli < kUnlimited || spec.ram_mib < kUnlimited;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const Class& known = classes_[i];
    if (known.model == spec.model && known.card_mem_mib == spec.card_mem_mib && known.limited == limited) {
      return static_cast<std::int32_t>(i);
    }
  }
  classes_.push_back(Class{.model = spec.model, .card_mem_mib = spec.card_mem_mib, .limited = limited});
  return static_cast<std::int32_t>(classes_.size()) - 1;
}

void GuardIndex::refresh(const Ledger& ledger, const std::vector<NodeId>& touched) {
  for (const NodeId id : touched) {
    const NodeBook* node = ledger.find(id);
    if (node == nullptr) continue;
    Where& where = where_[id.value];
    if (where.node_class >= 0) {
      classes_[static_cast<std::size_t>(where.node_class)].nodes_by_cards[static_cast<std::size_t>(where.cards)] -= 1;
    }
    where.node_class = class_of(node->spec);
    where.cards = static_cast<std::int32_t>(whole_cards_of(*node));
    classes_[static_cast<std::size_t>(where.node_class)].nodes_by_cards[static_cast<std::size_t>(where.cards)] += 1;
  }
}

// Shares are taken for whole cards, so a "yes" is safe. A "no" is exact when every
// need is for one whole card, may use every class and asks for nothing else.
Placeable GuardIndex::by_counts(const std::vector<GuardNeed>& needs) const {
  std::vector<Class> left = classes_;
  bool exact = true;
  for (const GuardNeed& need : needs) {
    const Shape& shape = need.shape;
    exact = exact && shape.cards == 1 && need.models.empty() && shape.card_mem_mib == 0 && shape.cpu_milli == 0 &&
            shape.ram_mib == 0;
    const auto cards = static_cast<std::size_t>(std::max(1, shape.cards));
    std::int64_t missing = need.count;
    for (std::size_t open = cards; open < kBuckets && missing > 0; ++open) {
      for (Class& nodes : left) {
        if (!model_allowed(need.models, nodes.model) || shape.card_mem_mib > nodes.card_mem_mib) continue;
        if (nodes.limited && (shape.cpu_milli > 0 || shape.ram_mib > 0)) continue;
        const std::int64_t each = static_cast<std::int64_t>(open / cards);
        while (missing > 0 && nodes.nodes_by_cards[open] > 0) {
          // The best fit stays on the node it has begun: it has the fewest cards left.
          const std::int64_t here = std::min(each, missing);
          const std::int64_t full =
              here == each ? std::min<std::int64_t>(nodes.nodes_by_cards[open], missing / each) : 1;
          missing -= here * full;
          nodes.nodes_by_cards[open] -= static_cast<std::int32_t>(full);
          nodes.nodes_by_cards[open - static_cast<std::size_t>(here) * cards] += static_cast<std::int32_t>(full);
        }
      }
    }
    if (missing > 0) return exact ? Placeable::no : Placeable::unknown;
  }
  return Placeable::yes;
}

Placeable GuardIndex::test(const Ledger& ledger, std::vector<GuardNeed> needs) const {
  std::erase_if(needs, [](const GuardNeed& need) { return need.count <= 0; });
  if (needs.empty()) return Placeable::yes;
  sort_largest_first(needs);
  const Placeable quick = by_counts(needs);
  if (quick != Placeable::unknown) return quick;
  if (best_fit_places(ledger, needs)) return Placeable::yes;
  return search_places(ledger, needs);
}

}  // namespace weir::audit
