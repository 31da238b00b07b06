#include "engine/place/fragments.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/state.h"

namespace weir::engine {

namespace {

constexpr std::size_t kMixShapesMax = 128;
constexpr std::int64_t kMixRefresh = 50;  // starts between two tables

// 1000 x ln(i / (100 - i)): where a logistic curve of the increase, in milli-GPU
// over a thousand, passes i of 100 steps.
constexpr std::array<std::int64_t, 99> kSteps = {
    -4595, -3892, -3476, -3178, -2944, -2752, -2587, -2442, -2314, -2197, -2091, -1992, -1901, -1815, -1735,
    -1658, -1586, -1516, -1450, -1386, -1325, -1266, -1208, -1153, -1099, -1046, -995,  -944,  -895,  -847,
    -800,  -754,  -708,  -663,  -619,  -575,  -532,  -490,  -447,  -405,  -364,  -323,  -282,  -241,  -201,
    -160,  -120,  -80,   -40,   0,     40,    80,    120,   160,   201,   241,   282,   323,   364,   405,
    447,   490,   532,   575,   619,   663,   708,   754,   800,   847,   895,   944,   995,   1046,  1099,
    1153,  1208,  1266,  1325,  1386,  1450,  1516,  1586,  1658,  1735,  1815,  1901,  1992,  2091,  2197,
    2314,  2442,  2587,  2752,  2944,  3178,  3476,  3892,  4595,
};

// What is free of a node, in the terms that decide what it is good for.
struct FreeView {
  std::int32_t whole = 0;
  std::array<std::int64_t, kCardsPerNodeMax> part{};      // milli free of cards in part
  std::array<std::int64_t, kCardsPerNodeMax> part_mem{};  // and MiB
  std::int32_t parts = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  std::int64_t card_mem_mib = 0;
  Index model = 0;
};

FreeView view_of(const Node& node) {
  FreeView view;
  view.whole = std::popcount(node.free_whole());
  view.cpu_milli = node.spec.cpu_milli - node.cpu_used - node.cpu_kept;
  view.ram_mib = node.spec.ram_mib - node.ram_used - node.ram_kept;
  view.card_mem_mib = node.spec.card_mem_mib;
  view.model = node.model;
  if (!node.takes_work()) return view;
  for (Mask left = node.healthy() & (node.shared | node.kept_in_part) & ~node.kept; left != 0; left &= left - 1) {
    const Card& card = node.cards[static_cast<std::size_t>(std::countr_zero(left))];
    const std::int64_t milli = kMilliPerCard - card.milli - card.kept_milli;
    if (milli <= 0) continue;
    const auto i = static_cast<std::size_t>(view.parts++);
    view.part[i] = milli;
    view.part_mem[i] = node.spec.card_mem_mib - card.mem_mib - card.kept_mem_mib;
  }
  return view;
}

std::int64_t total_of(const FreeView& view) {
  std::int64_t total = std::int64_t{view.whole} * kMilliPerCard;
  for (std::int32_t i = 0; i < view.parts; ++i) total += view.part[static_cast<std::size_t>(i)];
  return total;
}

// Milli-GPU that work of this shape cannot use.
std::int64_t unusable_for(const FreeView& view, std::int64_t total, const MixShape& mixed) {
  const Shape& shape = mixed.shape;
  if (!shape.whole() && !shape.share()) return total;
  if (view.model < mixed.barred.size() && mixed.barred[view.model]) return total;
  if (shape.cpu_milli > view.cpu_milli || shape.ram_mib > view.ram_mib || shape.card_mem_mib > view.card_mem_mib) {
    return total;
  }
  if (shape.whole()) return view.whole >= shape.cards ? total - std::int64_t{view.whole} * kMilliPerCard : total;
  std::int64_t unusable = 0;
  std::int64_t fitting = view.whole;
  for (std::int32_t i = 0; i < view.parts; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (view.part[at] >= shape.milli && view.part_mem[at] >= shape.card_mem_mib) {
      ++fitting;
    } else {
      unusable += view.part[at];
    }
  }
  return fitting > 0 ? unusable : total;
}

// Summed over the mix; divide by its total.
std::int64_t unusable_sum(const Mix& mix, const FreeView& view) {
  const std::int64_t total = total_of(view);
  if (total == 0) return 0;
  std::int64_t sum = 0;
  for (const MixShape& m : mix.table) sum += m.count * unusable_for(view, total, m);
  return sum;
}

FreeView after(const Node& node, FreeView view, const Shape& shape, int card) {
  view.cpu_milli -= shape.cpu_milli;
  view.ram_mib -= shape.ram_mib;
  if (shape.whole()) {
    view.whole -= shape.cards;
    return view;
  }
  const Card& c = node.cards[static_cast<std::size_t>(card)];
  const std::int64_t milli = kMilliPerCard - c.milli - c.kept_milli;
  const std::int64_t mem = node.spec.card_mem_mib - c.mem_mib - c.kept_mem_mib;
  const std::int64_t taken_mem = shape.card_mem_mib > 0
                                     ? shape.card_mem_mib
                                     : std::max<std::int64_t>(1, node.spec.card_mem_mib * shape.milli / kMilliPerCard);
  if ((node.free_whole() >> card & 1U) != 0) {
    --view.whole;
    const auto i = static_cast<std::size_t>(view.parts++);
    view.part[i] = milli - shape.milli;
    view.part_mem[i] = mem - taken_mem;
    return view;
  }
  for (std::int32_t i = 0; i < view.parts; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (view.part[at] != milli || view.part_mem[at] != mem) continue;
    view.part[at] -= shape.milli;
    view.part_mem[at] -= taken_mem;
    break;
  }
  return view;
}

}  // namespace

std::int64_t fragmentation_step(const Pool& pool, const Node& node, const Shape& shape, int card) {
  const Mix& mix = pool.fit.mix;
  if (mix.total == 0) return 0;
  const FreeView before = view_of(node);
  const std::int64_t rise = unusable_sum(mix, after(node, before, shape, card)) - unusable_sum(mix, before);
  // Rounded towards minus infinity, so that the same rise always falls into the same step.
  std::int64_t milli = rise / mix.total;
  if (rise % mix.total != 0 && rise < 0) --milli;
  return std::upper_bound(kSteps.begin(), kSteps.end(), milli) - kSteps.begin();
}

std::int64_t unusable_on(const Pool& pool, const Node& node) {
  const Mix& mix = pool.fit.mix;
  return mix.total == 0 ? 0 : unusable_sum(mix, view_of(node)) / mix.total;
}

std::int64_t free_milli_on(const Node& node) { return total_of(view_of(node)); }

void note_asked(Pool& pool, Index fit) {
  Mix& mix = pool.fit.mix;
  const auto window = static_cast<std::size_t>(std::max(1, pool.settings->mix_starts));
  if (mix.starts.size() < window) {
    mix.starts.emplace_back(pool.now_ms, fit);
  } else {
    mix.starts[mix.next % window] = {pool.now_ms, fit};
  }
  ++mix.next;
  ++mix.starts_since;
}

namespace {

// Less than a twentieth of the starts are of other shapes than before: not worth
// scoring every node anew.
bool alike(const Mix& mix, const std::vector<MixShape>& table) {
  std::int64_t total = 0;
  for (const MixShape& m : table) total += m.count;
  std::int64_t apart = 0;  // in units of 1 / (total x mix.total)
  for (const MixShape& m : table) {
    const auto old =
        std::find_if(mix.table.begin(), mix.table.end(), [&](const MixShape& o) { return o.fit == m.fit; });
    const std::int64_t before = old == mix.table.end() ? 0 : old->count;
    apart += std::max<std::int64_t>(0, m.count * mix.total - before * total);
  }
  return apart * 20 < total * mix.total;
}

MixShape mixed(const Pool& pool, Index fit, std::int64_t count) {
  const FitEntry& entry = pool.fit.entries[fit];
  MixShape mixed{.fit = fit, .shape = entry.shape, .barred = {}, .count = count};
  if (entry.models.empty()) return mixed;
  for (Index m = 0; m < pool.models.size(); ++m) {
    mixed.barred.push_back(!model_allowed(entry.models, pool.models.name(m)));
  }
  return mixed;
}

}  // namespace

void refresh_mix(Pool& pool) {
  Mix& mix = pool.fit.mix;
  const bool young = mix.starts.size() < static_cast<std::size_t>(kMixRefresh);
  if (mix.starts_since == 0 || (!young && mix.starts_since < kMixRefresh)) return;
  mix.starts_since = 0;
  std::map<Index, std::int64_t> counts;
  for (const auto& [at, fit] : mix.starts) {
    if (pool.now_ms - at <= pool.settings->mix_window_ms) ++counts[fit];
  }
  std::vector<MixShape> table;
  for (const auto& [fit, count] : counts) table.push_back(mixed(pool, fit, count));
  std::stable_sort(table.begin(), table.end(), [](const MixShape& a, const MixShape& b) { return a.count > b.count; });
  if (table.size() > kMixShapesMax) table.resize(kMixShapesMax);
  if (table == mix.table || (!young && alike(mix, table))) return;
  mix.total = 0;
  for (const MixShape& m : table) mix.total += m.count;
  mix.table = std::move(table);
  ++mix.version;
}

}  // namespace weir::engine
