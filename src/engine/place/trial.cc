#include "engine/place/trial.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

constexpr std::int32_t kSearchStepsMax = 2'000;  // places tried for a gang of several shapes: under a millisecond

// Nodes between which nobody could choose.
bool alike(const Node& a, const Node& b) {
  return a.model == b.model && a.spec.card_mem_mib == b.spec.card_mem_mib && (a.shared | b.shared) == 0 &&
         a.kept_in_part == 0 && b.kept_in_part == 0 && std::popcount(a.free_whole()) == std::popcount(b.free_whole()) &&
         a.spec.cpu_milli - a.cpu_used - a.cpu_kept == b.spec.cpu_milli - b.cpu_used - b.cpu_kept &&
         a.spec.ram_mib - a.ram_used - a.ram_kept == b.spec.ram_mib - b.ram_used - b.ram_kept &&
         a.takes_work() == b.takes_work();
}

}  // namespace

Trial::Trial(Pool& pool, const Demand& demand, const Variant& variant, bool on_shared)
    : pool_(pool), demand_(demand), variant_(variant), on_shared_(on_shared) {
  places_.resize(static_cast<std::size_t>(variant.workers));
  placed_.assign(places_.size(), false);
}

Trial::~Trial() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (placed_[i]) unkeep(pool_, places_[i]);
  }
}

bool Trial::fill() {
  if (demand_.one_per_node) {
    std::vector<Index> all(pool_.nodes.size());
    std::iota(all.begin(), all.end(), Index{0});
    return fill(all, ~Mask{0});
  }
  for (std::size_t g = 0; g < variant_.groups.size(); ++g) {
    for (std::int32_t i = 0; i < variant_.groups[g].count; ++i) {
      const Index best = best_node(pool_, variant_.fits[g]);
      if (best == kNoIndex || !put(g, i, best, ~Mask{0})) return enough();
    }
  }
  return true;
}

bool Trial::fill(const std::vector<Index>& nodes, Mask allowed) {
  for (std::size_t g = 0; g < variant_.groups.size(); ++g) {
    for (std::int32_t i = 0; i < variant_.groups[g].count; ++i) {
      const Index best = best_of(nodes, g, allowed);
      if (best == kNoIndex || !put(g, i, best, allowed)) return enough();
    }
  }
  return true;
}

bool Trial::search(const std::vector<Index>& nodes, Mask allowed) {
  if (variant_.groups.size() < 2 || demand_.min_workers > 0) return false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (placed_[i]) give_up(i);
  }
  order_.resize(variant_.groups.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    const Shape& x = variant_.groups[a].shape;
    const Shape& y = variant_.groups[b].shape;
    return x.cards != y.cards ? x.cards > y.cards : x.milli > y.milli;
  });
  steps_ = kSearchStepsMax;
  return search_from(nodes, allowed, 0, 0, 0);
}

bool Trial::search_from(const std::vector<Index>& nodes, Mask allowed, std::size_t turn, std::int32_t i,
                        std::size_t from) {
  if (turn == order_.size()) return true;
  const std::size_t group = order_[turn];
  const WorkerGroup& workers = variant_.groups[group];
  if (i == workers.count) return search_from(nodes, allowed, turn + 1, 0, 0);
  const auto worker = worker_of(group, i);
  const FitEntry& entry = refreshed(pool_, variant_.fits[group]);
  for (std::size_t n = from; n < nodes.size(); ++n) {  // workers of a group are alike: never back
    const Node& node = pool_.nodes[nodes[n]];
    if (!allowed_on(pool_, entry, node) || count_on(node, workers.shape) == 0) continue;
    if (demand_.one_per_node && used(nodes[n])) continue;
    const bool tried =
        n > from && allowed == ~Mask{0} && !demand_.one_per_node && alike(node, pool_.nodes[nodes[n - 1]]);
    if (tried) continue;
    if (--steps_ < 0) return false;
    if (!put(group, i, nodes[n], allowed)) continue;
    if (search_from(nodes, allowed, turn, i + 1, n)) return true;
    give_up(worker);
  }
  return false;
}

bool Trial::put_at(std::size_t worker, const Placement& place) {
  const Node* node = node_of(pool_, place.node);
  if (node == nullptr || !fits_now(*node, place)) return false;
  accept(worker, place);
  return true;
}

std::vector<Placement> Trial::result() const {
  std::vector<Placement> out;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (placed_[i]) out.push_back(places_[i]);
  }
  return out;
}

std::size_t Trial::worker_of(std::size_t group, std::int32_t i) const {
  return static_cast<std::size_t>(variant_.first_worker[group]) + static_cast<std::size_t>(i);
}

bool Trial::enough() const { return demand_.min_workers > 0 && count_ >= demand_.min_workers; }

void Trial::accept(std::size_t worker, const Placement& place) {
  places_[worker] = place;
  placed_[worker] = true;
  ++count_;
  keep(pool_, place);
}

void Trial::give_up(std::size_t worker) {
  placed_[worker] = false;
  --count_;
  unkeep(pool_, places_[worker]);
}

bool Trial::put(std::size_t group, std::int32_t i, Index at, Mask allowed) {
  Placement place;
  if (!place_on(pool_, pool_.nodes[at], variant_.groups[group].shape, cards_of(at, allowed), place)) return false;
  accept(worker_of(group, i), place);
  return true;
}

Mask Trial::cards_of(Index at, Mask allowed) const { return on_shared_ ? allowed & pool_.nodes[at].shared : allowed; }

bool Trial::used(Index at) const {
  const NodeId id = pool_.nodes[at].spec.id;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (placed_[i] && places_[i].node == id) return true;
  }
  return false;
}

Index Trial::best_of(const std::vector<Index>& nodes, std::size_t group, Mask allowed) {
  const FitEntry& entry = refreshed(pool_, variant_.fits[group]);
  Index best = kNoIndex;
  std::uint64_t best_key = kNoFit;
  for (const Index i : nodes) {
    if (entry.count[i] == 0 || (demand_.one_per_node && used(i))) continue;
    const std::uint64_t key = entry.tree[entry.leaves + i];
    if (key > best_key || (key == best_key && best != kNoIndex)) continue;
    Placement place;
    const Mask cards = cards_of(i, allowed);
    if (cards != ~Mask{0} && !place_on(pool_, pool_.nodes[i], entry.shape, cards, place)) continue;
    best = i;
    best_key = key;
  }
  return best;
}

}  // namespace weir::engine
