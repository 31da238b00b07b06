#include "engine/defrag/plan.h"

#include <algorithm>
#include <bit>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

constexpr std::size_t kSpotsLooked = 48;  // spots whose runs are looked at for one worker
constexpr std::size_t kSpotsTried = 16;   // of them those that could be made: targets are sought
constexpr std::size_t kBundlesMax = 8;    // of a spot
constexpr std::size_t kSetsTried = 6;     // sets of bundles of a spot, cheapest first
constexpr std::size_t kOthersTried = 4;   // runs of a node that might make way for another
constexpr std::int32_t kWorkersMax = 64;  // of a gang that is helped

// What a worker lacks somewhere, and what a run gives when it leaves: cards or
// milli.
struct Amount {
  std::int64_t units = 0, mem_mib = 0, cpu_milli = 0, ram_mib = 0;

  void add(const Amount& o) {
    units += o.units;
    mem_mib += o.mem_mib;
    cpu_milli += o.cpu_milli;
    ram_mib += o.ram_mib;
  }
  [[nodiscard]] Amount less(const Amount& o) const {
    return {units - o.units, mem_mib - o.mem_mib, cpu_milli - o.cpu_milli, ram_mib - o.ram_mib};
  }
  [[nodiscard]] bool covers(const Amount& lack) const {
    return units >= lack.units && mem_mib >= lack.mem_mib && cpu_milli >= lack.cpu_milli && ram_mib >= lack.ram_mib;
  }
};

// Where a worker could sit if some left: a node, or one card of it.
struct Spot {
  Amount lack;
  Index node = 0;
  Mask allowed = ~Mask{0};
  auto key() const { return std::pair(lack.units, node); }
};

// Runs that must leave together to free anything: one, or all shares of a card.
struct Bundle {
  std::vector<Movable> runs;
  Amount gives;
  GpuMs cost = 0;
};

struct Choice {
  GpuMs cost = 0;
  std::uint32_t set = 0;  // bits of the bundles
};

Amount given_by(const Movable& m, bool as_share) {
  const Placement& p = m.place;
  Amount a{.cpu_milli = p.cpu_milli, .ram_mib = p.ram_mib};
  if (as_share) {
    a.units = p.milli;
    a.mem_mib = p.card_mem_mib;
  } else if (!p.share) {
    a.units = std::popcount(p.cards);
  }
  return a;
}

Bundle bundle_of(std::vector<Movable> runs, bool as_share) {
  Bundle b{.runs = std::move(runs)};
  for (const Movable& m : b.runs) {
    b.gives.add(given_by(m, as_share));
    b.cost += m.cost;
  }
  if (b.runs.size() > 1 || (b.runs.front().place.share && !as_share)) b.gives.units = 1;  // the card that they share
  return b;
}

// Sets of bundles that are enough and hold nothing needless, cheapest first.
std::vector<Choice> enough(const std::vector<Bundle>& bundles, const Amount& lack) {
  std::vector<Choice> out;
  for (std::uint32_t set = 1; set < 1U << bundles.size(); ++set) {
    Choice c{.set = set};
    Amount sum;
    const auto in = [&](std::size_t i) { return (set >> i & 1U) != 0; };
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      if (!in(i)) continue;
      sum.add(bundles[i].gives);
      c.cost += bundles[i].cost;
    }
    if (!sum.covers(lack)) continue;
    bool needless = false;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      needless = needless || (in(i) && sum.less(bundles[i].gives).covers(lack));
    }
    if (!needless) out.push_back(c);
  }
  std::stable_sort(out.begin(), out.end(), [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
  if (out.size() > kSetsTried) out.resize(kSetsTried);
  return out;
}

class Maker {
 public:
  Maker(Pool& pool, Rank rank) : pool_(pool), rank_(rank), sketch_(pool) {}

  std::optional<MovePlan> make(const Demand& demand, const Variant& variant) {
    plan_.places.resize(static_cast<std::size_t>(variant.workers));
    std::vector<std::pair<std::size_t, std::size_t>> homeless;  // group, worker
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      const FitEntry& entry = refreshed(pool_, variant.fits[g]);
      if (entry.total + static_cast<std::int64_t>(kMovesMax) < variant.groups[g].count) return std::nullopt;
      std::size_t node = 0;
      for (std::int32_t i = 0; i < variant.groups[g].count; ++i) {
        const auto worker = static_cast<std::size_t>(variant.first_worker[g]) + static_cast<std::size_t>(i);
        if (!seat(entry, demand, worker, node)) homeless.emplace_back(g, worker);
        if (homeless.size() > kMovesMax) return std::nullopt;
      }
    }
    for (const auto& [g, worker] : homeless) {
      if (!make_room(pool_.fit.entries[variant.fits[g]], demand, worker)) return std::nullopt;
    }
    if (plan_.moves.empty() || !in_order()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  // Who waits for whose cards: one behind another at most, nobody for his own.
  bool in_order() {
    for (std::size_t i = 0; i < plan_.moves.size(); ++i) {
      Move& move = plan_.moves[i];
      for (std::size_t j = 0; j < plan_.moves.size(); ++j) {
        const Placement& left = plan_.moves[j].mover.place;
        if (left.node != move.target.node || (left.cards & move.target.cards) == 0) continue;
        if (left.share && move.target.share) continue;  // side by side
        if (i == j) return false;
        move.behind = j;
      }
    }
    return std::all_of(plan_.moves.begin(), plan_.moves.end(), [&](const Move& move) {
      return move.behind == kNoMove || plan_.moves[move.behind].behind == kNoMove;
    });
  }

  [[nodiscard]] bool has_worker(Index node) const {
    return std::any_of(plan_.places.begin(), plan_.places.end(),
                       [&](const Placement& p) { return p.node == pool_.nodes[node].spec.id; });
  }

  // A worker that fits as it is. `from`: nodes before it are full for its like.
  bool seat(const FitEntry& entry, const Demand& demand, std::size_t worker, std::size_t& from) {
    for (; from < entry.count.size(); ++from) {
      if (entry.count[from] <= 0) continue;
      const auto node = static_cast<Index>(from);
      if (demand.one_per_node && has_worker(node)) continue;
      const auto place = sketch_.fit(node, entry.shape, ~Mask{0});
      if (!place) continue;
      sketch_.put(*place);
      plan_.places[worker] = *place;
      return true;
    }
    return false;
  }

  // The spot whose making costs least; what it takes goes into the plan.
  bool make_room(const FitEntry& entry, const Demand& demand, std::size_t worker) {
    const MovePlan before = plan_;
    std::optional<MovePlan> best;
    std::size_t tried = 0;
    for (const Spot& spot : spots(entry, demand)) {
      if (tried >= kSpotsTried || sketch_.tired()) break;
      const std::vector<Bundle> bundles = bundles_of(spot, entry.shape);
      bool any = false;
      for (const Choice& choice : enough(bundles, spot.lack)) {
        const GpuMs cost = before.cost + choice.cost;
        if (best && cost >= best->cost) break;
        any = true;
        const std::size_t mark = sketch_.mark();
        plan_ = before;
        const bool made = carry(bundles, choice, spot, entry.shape, worker);
        if (made && (!best || plan_.cost < best->cost)) best = plan_;
        sketch_.undo(mark);
        if (made) break;  // dearer sets of the same spot are no better
      }
      tried += any ? 1 : 0;
    }
    if (!best) return false;
    plan_ = std::move(*best);
    redo(before);
    return true;
  }

  // Puts what the plan has beyond `before` into the sketch.
  void redo(const MovePlan& before) {
    for (std::size_t i = before.moves.size(); i < plan_.moves.size(); ++i) sketch_.lift(plan_.moves[i].mover.place);
    for (std::size_t i = before.moves.size(); i < plan_.moves.size(); ++i) sketch_.put(plan_.moves[i].target);
    for (std::size_t i = 0; i < plan_.places.size(); ++i) {
      if (!before.places[i].node.valid() && plan_.places[i].node.valid()) sketch_.put(plan_.places[i]);
    }
  }

  // Where least is lacking comes first.
  std::vector<Spot> spots(const FitEntry& entry, const Demand& demand) {
    const Shape& shape = entry.shape;
    std::vector<Spot> out;
    for (Index i = 0; i < pool_.nodes.size(); ++i) {
      const Node& node = sketch_.see(i);
      if (!node.takes_work() || node.leases.empty() || !allowed_on(pool_, entry, node)) continue;
      if (demand.one_per_node && has_worker(i)) continue;
      const Amount lack{.units = shape.cards - std::popcount(node.free_whole()),
                        .mem_mib = 0,
                        .cpu_milli = shape.cpu_milli - (node.spec.cpu_milli - node.cpu_used - node.cpu_kept),
                        .ram_mib = shape.ram_mib - (node.spec.ram_mib - node.ram_used - node.ram_kept)};
      if (shape.whole()) {
        if (std::popcount(node.healthy()) >= shape.cards) out.push_back({.lack = lack, .node = i});
        continue;
      }
      const std::int64_t mem = shape.card_mem_mib > 0
                                   ? shape.card_mem_mib
                                   : std::max<std::int64_t>(1, node.spec.card_mem_mib * shape.milli / kMilliPerCard);
      for (Mask left = node.shared & node.healthy() & ~node.kept; left != 0; left &= left - 1) {
        const Card& card = node.cards[static_cast<std::size_t>(std::countr_zero(left))];
        Spot spot{.lack = lack, .node = i, .allowed = left & (~left + 1)};
        spot.lack.units = shape.milli - (kMilliPerCard - card.milli - card.kept_milli);
        spot.lack.mem_mib = mem - (node.spec.card_mem_mib - card.mem_mib - card.kept_mem_mib);
        out.push_back(spot);
      }
    }
    const std::size_t most = std::min(out.size(), kSpotsLooked);
    std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(most), out.end(),
                      [](const Spot& a, const Spot& b) { return a.key() < b.key(); });
    out.resize(most);
    return out;
  }

  [[nodiscard]] bool in_plan(RunId run) const {
    return std::any_of(plan_.moves.begin(), plan_.moves.end(), [&](const Move& m) { return m.mover.run == run; });
  }

  std::vector<Bundle> bundles_of(const Spot& spot, const Shape& shape) {
    const Node& node = pool_.nodes[spot.node];
    std::vector<Movable> runs = movable_on(pool_, node, spot.allowed & ~node.kept, rank_);
    std::erase_if(runs, [&](const Movable& m) { return in_plan(m.run); });
    sketch_.look(static_cast<std::int32_t>(node.leases.size()));
    std::vector<Bundle> out;
    Mask seen = 0;
    for (const Movable& m : runs) {
      if (out.size() >= kBundlesMax || (m.place.cards & seen) != 0) continue;
      if (!m.place.share || shape.share()) {
        out.push_back(bundle_of({m}, shape.share()));
        continue;
      }
      seen |= m.place.cards;
      std::vector<Movable> of_card;
      for (const Movable& other : runs) {
        if (other.place.cards == m.place.cards) of_card.push_back(other);
      }
      const auto card = static_cast<std::size_t>(std::countr_zero(m.place.cards));
      if (static_cast<std::int32_t>(of_card.size()) < node.cards[card].shares) continue;  // somebody stays
      out.push_back(bundle_of(std::move(of_card), false));
    }
    return out;
  }

  bool carry(const std::vector<Bundle>& bundles, const Choice& choice, const Spot& spot, const Shape& shape,
             std::size_t worker) {
    std::vector<Movable> leaving;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      if ((choice.set >> i & 1U) == 0) continue;
      leaving.insert(leaving.end(), bundles[i].runs.begin(), bundles[i].runs.end());
    }
    if (plan_.moves.size() + leaving.size() > kMovesMax) return false;
    for (const Movable& m : leaving) sketch_.lift(m.place);
    const auto place = sketch_.fit(spot.node, shape, spot.allowed);
    if (!place) return false;
    sketch_.put(*place);
    plan_.places[worker] = *place;
    // The largest first: it has the fewest places to go to.
    std::stable_sort(leaving.begin(), leaving.end(), [](const Movable& a, const Movable& b) {
      return std::popcount(a.place.cards) > std::popcount(b.place.cards);
    });
    return std::all_of(leaving.begin(), leaving.end(),
                       [&](const Movable& m) { return straight(m) || behind_another(m, spot.node); });
  }

  void settle(const Movable& m, const Placement& target) {
    sketch_.put(target);
    plan_.moves.push_back({m, target});
    plan_.cost += m.cost;
  }

  bool straight(const Movable& m) {
    const auto target = sketch_.target(m, {});
    if (target) settle(m, *target);
    return target.has_value();
  }

  // Another run makes way, if it has a place to go to itself.
  bool behind_another(const Movable& m, Index home) {
    const std::int32_t cards = std::popcount(m.place.cards);
    if (m.place.share || plan_.moves.size() + 2 > kMovesMax) return false;
    for (const Index i : sketch_.short_of(cards)) {
      if (sketch_.tired()) return false;
      if (i == home) continue;
      const std::int32_t room = std::popcount(sketch_.see(i).free_whole());
      sketch_.look(static_cast<std::int32_t>(pool_.nodes[i].leases.size()));
      std::size_t tried = 0;
      for (const Movable& other : movable_on(pool_, pool_.nodes[i], ~Mask{0}, rank_)) {
        const bool helps = !other.place.share && std::popcount(other.place.cards) + room >= cards;
        if (!helps || in_plan(other.run) || other.run == m.run) continue;
        if (++tried > kOthersTried) break;
        if (displace(m, other, i)) return true;
      }
    }
    return false;
  }

  bool displace(const Movable& m, const Movable& other, Index node) {
    const std::size_t mark = sketch_.mark();
    sketch_.lift(other.place);
    const auto here = sketch_.on_node(m, node);
    if (here) {
      sketch_.put(*here);
      const auto there = sketch_.target(other, {});
      if (there) {
        settle(other, *there);
        plan_.moves.push_back({m, *here});
        plan_.cost += m.cost;
        return true;
      }
    }
    sketch_.undo(mark);
    return false;
  }

  Pool& pool_;
  Rank rank_;
  Sketch sketch_;
  MovePlan plan_;
};

bool enough_in_total(Pool& pool, const Variant& variant) {
  std::int64_t free = 0;
  const FitEntry& entry = refreshed(pool, variant.fits.front());
  for (const Node& node : pool.nodes) {
    if (!node.takes_work() || !allowed_on(pool, entry, node)) continue;
    free += entry.shape.share() ? free_milli_on(node) : std::int64_t{std::popcount(node.free_whole())} * kMilliPerCard;
    if (free >= variant.milli) return true;
  }
  return false;
}

}  // namespace

std::optional<MovePlan> moves_for(Pool& pool, const Demand& demand, const Variant& variant, Rank rank) {
  const bool cards = std::all_of(variant.groups.begin(), variant.groups.end(),
                                 [](const WorkerGroup& g) { return g.shape.whole() || g.shape.share(); });
  if (!cards || variant.workers > kWorkersMax || !enough_in_total(pool, variant)) return std::nullopt;
  return Maker(pool, rank).make(demand, variant);
}

}  // namespace weir::engine
