#include "engine/place/fit.h"

#include <algorithm>
#include <bit>

#include "engine/place/fragments.h"
#include "engine/state.h"

namespace weir::engine {

namespace {

constexpr std::size_t kLogMax = 1U << 16;

void add_text(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

std::string key_text(const Shape& s, const std::vector<std::string>& models, bool in_order, const std::string& type) {
  std::string key;
  for (const std::int64_t v : {std::int64_t{s.cards}, std::int64_t{s.milli}, s.card_mem_mib, s.cpu_milli, s.ram_mib}) {
    key += std::to_string(v);
    key += ',';
  }
  key += in_order ? 'o' : 'a';
  add_text(key, type);
  for (const std::string& model : models) add_text(key, model);
  return key;
}

// Place of a model in the order of wish; -1 = not allowed.
std::int32_t order_of(const Pool& pool, const FitEntry& entry, const std::string& model) {
  const auto listed = std::find(entry.models.begin(), entry.models.end(), model);
  if (!entry.models.empty() && listed == entry.models.end()) return -1;
  if (entry.models_in_order) return static_cast<std::int32_t>(listed - entry.models.begin());
  for (const ProfileSpec& profile : pool.settings->profiles) {
    if (profile.type != entry.type || entry.type.empty()) continue;
    const auto speed = std::find_if(profile.models.begin(), profile.models.end(),
                                    [&](const ModelSpeed& s) { return s.model == model; });
    return static_cast<std::int32_t>(speed - profile.models.begin());
  }
  return 0;
}

bool ordered_by_wish(const Pool& pool, const FitEntry& entry) {
  if (entry.models_in_order) return true;
  return !entry.type.empty() && std::any_of(pool.settings->profiles.begin(), pool.settings->profiles.end(),
                                            [&](const ProfileSpec& p) { return p.type == entry.type; });
}

std::int64_t memory_of_share(const Shape& shape, const Node& node) {
  if (shape.card_mem_mib > 0) return shape.card_mem_mib;
  return std::max<std::int64_t>(1, node.spec.card_mem_mib * shape.milli / kMilliPerCard);
}

// Cards that may take shares, with what is free of them.
struct CardRoom {
  std::int64_t milli = 0;
  std::int64_t mem_mib = 0;
};

CardRoom room_of(const Node& node, int card) {
  const Card& c = node.cards[static_cast<std::size_t>(card)];
  return {kMilliPerCard - c.milli - c.kept_milli, node.spec.card_mem_mib - c.mem_mib - c.kept_mem_mib};
}

Mask share_cards(const Node& node) {
  if (!node.takes_work()) return 0;
  return node.healthy() & ~node.whole & ~node.kept;
}

std::int32_t cpu_bound(const Node& node, const Shape& shape) {
  std::int64_t bound = std::int64_t{1} << 20;
  if (shape.cpu_milli > 0)
    bound = std::min(bound, (node.spec.cpu_milli - node.cpu_used - node.cpu_kept) / shape.cpu_milli);
  if (shape.ram_mib > 0) bound = std::min(bound, (node.spec.ram_mib - node.ram_used - node.ram_kept) / shape.ram_mib);
  return static_cast<std::int32_t>(std::max<std::int64_t>(0, bound));
}

// Islands that `cards` free cards must span at least.
std::uint64_t islands_spanned(const Node& node, std::int32_t cards) {
  if (node.spec.islands.empty() || cards <= 1) return 0;
  std::array<std::int32_t, 256> free{};
  for (Mask left = node.free_whole(); left != 0; left &= left - 1) {
    ++free[node.spec.islands[static_cast<std::size_t>(std::countr_zero(left))]];
  }
  std::sort(free.begin(), free.end(), std::greater<>());
  std::uint64_t spanned = 0;
  for (std::int32_t need = cards; need > 0 && spanned < 15; ++spanned) need -= free[spanned];
  return spanned;
}

void set_leaf(FitEntry& entry, std::size_t node, std::uint64_t key) {
  std::size_t at = entry.leaves + node;
  entry.tree[at] = key;
  for (at /= 2; at > 0; at /= 2) {
    const std::uint64_t best = std::min(entry.tree[2 * at], entry.tree[2 * at + 1]);
    if (entry.tree[at] == best) break;
    entry.tree[at] = best;
  }
}

void refresh_node(const Pool& pool, FitEntry& entry, std::size_t i) {
  const Node& node = pool.nodes[i];
  if (entry.version[i] == node.version + 1) return;
  entry.version[i] = node.version + 1;
  const std::int32_t count = allowed_on(pool, entry, node) ? count_on(node, entry.shape) : 0;
  entry.total += count - entry.count[i];
  entry.count[i] = count;
  set_leaf(entry, i, count > 0 ? key_on(pool, entry, node) : kNoFit);
}

void rebuild(const Pool& pool, FitEntry& entry) {
  const std::size_t n = pool.nodes.size();
  entry.leaves = std::bit_ceil(std::max<std::size_t>(1, n));
  entry.tree.assign(2 * entry.leaves, kNoFit);
  entry.count.assign(n, 0);
  entry.version.assign(n, 0);
  entry.total = 0;
  entry.model_order.clear();
  for (Index m = 0; m < pool.models.size(); ++m)
    entry.model_order.push_back(order_of(pool, entry, pool.models.name(m)));
  for (std::size_t i = 0; i < n; ++i) {
    const Node& node = pool.nodes[i];
    entry.version[i] = node.version + 1;
    entry.count[i] = allowed_on(pool, entry, node) ? count_on(node, entry.shape) : 0;
    entry.total += entry.count[i];
    entry.tree[entry.leaves + i] = entry.count[i] > 0 ? key_on(pool, entry, node) : kNoFit;
  }
  for (std::size_t at = entry.leaves - 1; at > 0; --at) {
    entry.tree[at] = std::min(entry.tree[2 * at], entry.tree[2 * at + 1]);
  }
}

// The fullest card on which the share fits, seen through fragmentation first.
int card_for_share(const Pool& pool, const Node& node, const Shape& shape, Mask allowed, std::int64_t& step) {
  const std::int64_t mem = memory_of_share(shape, node);
  int best = -1;
  std::int64_t best_step = 0;
  std::int64_t best_left = 0;
  std::array<std::int64_t, 8> seen_room{};  // cards alike score alike
  std::array<std::int64_t, 8> seen_step{};
  std::size_t seen = 0;
  for (Mask left = share_cards(node) & allowed; left != 0; left &= left - 1) {
    const int card = std::countr_zero(left);
    const CardRoom room = room_of(node, card);
    if (room.milli < shape.milli || room.mem_mib < mem) continue;
    std::int64_t card_step = -1;
    for (std::size_t i = 0; i < seen; ++i) {
      if (seen_room[i] == room.milli) card_step = seen_step[i];
    }
    if (card_step < 0) {
      card_step = fragmentation_step(pool, node, shape, card);
      if (seen < seen_room.size()) {
        seen_room[seen] = room.milli;
        seen_step[seen++] = card_step;
      }
    }
    const std::int64_t left_over = room.milli < kMilliPerCard || room.mem_mib < node.spec.card_mem_mib
                                       ? room.milli
                                       : kMilliPerCard + 1;  // a whole card is opened last
    if (best < 0 || card_step < best_step || (card_step == best_step && left_over < best_left)) {
      best = card;
      best_step = card_step;
      best_left = left_over;
    }
  }
  step = best_step;
  return best;
}

Mask choose_whole(const Node& node, std::int32_t cards, Mask allowed) {
  const Mask free = node.free_whole() & allowed;
  Mask chosen = 0;
  if (node.spec.islands.empty()) {
    Mask left = free;
    for (std::int32_t i = 0; i < cards && left != 0; ++i, left &= left - 1) chosen |= left & (~left + 1);
    return std::popcount(chosen) == cards ? chosen : 0;
  }
  std::array<Mask, 256> of_island{};
  for (Mask left = free; left != 0; left &= left - 1) {
    const int card = std::countr_zero(left);
    of_island[node.spec.islands[static_cast<std::size_t>(card)]] |= Mask{1} << card;
  }
  // The fullest island that holds all of them; else the largest ones, one after the other.
  std::int32_t need = cards;
  while (need > 0) {
    std::size_t best = of_island.size();
    for (std::size_t i = 0; i < of_island.size(); ++i) {
      const int have = std::popcount(of_island[i]);
      if (have == 0) continue;
      if (best == of_island.size()) {
        best = i;
        continue;
      }
      const int other = std::popcount(of_island[best]);
      const bool fits = have >= need;
      const bool other_fits = other >= need;
      if (fits != other_fits ? fits : (fits ? have < other : have > other)) best = i;
    }
    if (best == of_island.size()) return 0;
    for (; need > 0 && of_island[best] != 0; --need) {
      const Mask bit = of_island[best] & (~of_island[best] + 1);
      chosen |= bit;
      of_island[best] &= ~bit;
    }
  }
  return chosen;
}

}  // namespace

Index fit_of(Pool& pool, const Shape& shape, const std::vector<std::string>& models, bool in_order,
             const std::string& type) {
  const std::string key = key_text(shape, models, in_order, type);
  const auto it = pool.fit.index.find(key);
  if (it != pool.fit.index.end()) return it->second;
  const auto index = static_cast<Index>(pool.fit.entries.size());
  FitEntry entry;
  entry.shape = shape;
  entry.models = models;
  entry.models_in_order = in_order;
  entry.type = type;
  pool.fit.entries.push_back(std::move(entry));
  pool.fit.index.emplace(key, index);
  return index;
}

bool model_allowed(const std::vector<std::string>& models, const std::string& model) {
  return models.empty() || std::find(models.begin(), models.end(), model) != models.end();
}

bool allowed_on(const Pool& pool, const FitEntry& entry, const Node& node) {
  if (!node.known) return false;
  if (node.model < entry.model_order.size() ? entry.model_order[node.model] < 0
                                            : order_of(pool, entry, node.spec.model) < 0) {
    return false;
  }
  return entry.shape.card_mem_mib <= node.spec.card_mem_mib;
}

std::int32_t count_on(const Node& node, const Shape& shape) {
  const std::int32_t bound = cpu_bound(node, shape);
  if (bound == 0) return 0;
  if (shape.whole()) {
    const std::int32_t free = std::popcount(node.free_whole());
    return std::min(bound, free / shape.cards);
  }
  if (!shape.share()) return node.takes_work() ? bound : 0;
  const std::int64_t mem = memory_of_share(shape, node);
  std::int64_t count = 0;
  for (Mask left = share_cards(node); left != 0; left &= left - 1) {
    const CardRoom room = room_of(node, std::countr_zero(left));
    std::int64_t here = room.mem_mib / mem;
    if (shape.milli > 0) here = std::min(here, room.milli / shape.milli);
    count += std::max<std::int64_t>(0, here);
  }
  return static_cast<std::int32_t>(std::min<std::int64_t>(bound, count));
}

std::uint64_t key_on(const Pool& pool, const FitEntry& entry, const Node& node) {
  std::uint64_t wish = static_cast<std::uint64_t>(std::max(0, node.model < entry.model_order.size()
                                                                  ? entry.model_order[node.model]
                                                                  : order_of(pool, entry, node.spec.model)));
  if (!ordered_by_wish(pool, entry)) wish = static_cast<std::uint64_t>(node.mem_order);
  std::int64_t step = 0;
  std::uint64_t packing = 0;
  std::uint64_t islands = 0;
  if (entry.shape.share()) {
    const int card = card_for_share(pool, node, entry.shape, ~Mask{0}, step);
    if (card < 0) return kNoFit;
    const CardRoom room = room_of(node, card);
    packing = static_cast<std::uint64_t>(std::clamp<std::int64_t>(room.milli, 0, kMilliPerCard)) +
              ((node.shared >> card & 1U) != 0 ? 0U : 4096U);
  } else if (entry.shape.whole()) {
    step = fragmentation_step(pool, node, entry.shape, -1);
    islands = islands_spanned(node, entry.shape.cards);
    packing = static_cast<std::uint64_t>(std::popcount(node.free_whole()) - entry.shape.cards);
  } else {
    // Work without cards goes where cards are least.
    packing = static_cast<std::uint64_t>(std::popcount(node.free_whole()));
  }
  // Where the mix is known its steps say it all, and ties go to one fixed order (docs/decisions/0002).
  if (pool.fit.mix.total > 0 && (entry.shape.share() || entry.shape.whole())) packing = 0;
  return (wish & 0xffffU) << 40 | static_cast<std::uint64_t>(step & 0xff) << 32 | (islands & 0xfU) << 28 |
         (packing & 0xffffffU);
}

const FitEntry& refreshed(Pool& pool, Index fit) {
  FitEntry& entry = pool.fit.entries[fit];
  FitTable& table = pool.fit;
  const std::uint64_t end = table.log_from + table.log.size();
  if (entry.pool_version != table.pool_version || entry.mix_version != table.mix.version ||
      entry.log_at < table.log_from) {
    rebuild(pool, entry);
  } else {
    for (std::uint64_t at = entry.log_at; at < end; ++at) {
      refresh_node(pool, entry, table.log[static_cast<std::size_t>(at - table.log_from)]);
    }
  }
  entry.pool_version = table.pool_version;
  entry.mix_version = table.mix.version;
  entry.log_at = end;
  return entry;
}

Index best_node(Pool& pool, Index fit) {
  const FitEntry& entry = refreshed(pool, fit);
  if (entry.tree[1] == kNoFit) return kNoIndex;
  std::size_t at = 1;
  while (at < entry.leaves) at = entry.tree[2 * at] == entry.tree[at] ? 2 * at : 2 * at + 1;
  return static_cast<Index>(at - entry.leaves);
}

bool place_on(const Pool& pool, const Node& node, const Shape& shape, Mask allowed, Placement& out) {
  if (cpu_bound(node, shape) < 1 || !node.takes_work()) return false;
  out = Placement{.node = node.spec.id, .cpu_milli = shape.cpu_milli, .ram_mib = shape.ram_mib};
  if (shape.whole()) {
    out.cards = choose_whole(node, shape.cards, allowed);
    return out.cards != 0;
  }
  if (!shape.share()) return true;
  std::int64_t step = 0;
  const int card = card_for_share(pool, node, shape, allowed, step);
  if (card < 0) return false;
  out.cards = Mask{1} << card;
  out.share = true;
  out.milli = shape.milli;
  out.card_mem_mib = memory_of_share(shape, node);
  return true;
}

void log_change(Pool& pool, Index node) {
  FitTable& table = pool.fit;
  ++pool.nodes[node].version;
  if (table.log.size() >= kLogMax) {
    table.log_from += table.log.size();
    table.log.clear();
  }
  table.log.push_back(node);
}

}  // namespace weir::engine
