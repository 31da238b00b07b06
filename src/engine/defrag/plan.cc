#include "engine/defrag/plan.h"

#include <algorithm>
#include <bit>

#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/leavers.h"

namespace weir::engine {

namespace {

constexpr std::size_t kNodesTried = 16;    // places looked at for one waiter, those with most room first
constexpr std::size_t kRunsOfNode = 8;     // runs of a node that are considered
constexpr std::size_t kTargetsTried = 64;  // nodes looked at as targets behind another move

struct Movable {
  RunId run;
  Placement place;
  std::int32_t cards = 0;
  GpuMs cost = 0;
  TimeMs boundary_ms = 0;
};

// One worker on whole cards, free to restart anywhere, at a boundary that is not far
// into another's protection.
std::optional<Movable> movable(const Pool& pool, const RunRec& run, Rank rank) {
  if (!run.listed || run.loan || run.start_ms == pool.now_ms || run.rank > rank || run.places.size() != 1)
    return std::nullopt;
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr || job->claim.valid() || run.ckpt.scope == CheckpointScope::node) return std::nullopt;
  if (pool.now_ms < eligible_from(pool, run)) return std::nullopt;  // inside min_run
  const TimeMs boundary = boundary_from(pool, run, pool.now_ms);
  if (boundary >= kNever || boundary + run.ckpt.write_ms >= run.limit_end_ms) return std::nullopt;
  Movable m{.run = run.id, .place = run.places.front(), .cards = static_cast<std::int32_t>(run.cards)};
  m.cost = run.milli * (run.ckpt.restart_ms + run.ckpt.write_ms + 1) / kMilliPerCard;
  m.boundary_ms = boundary;
  return m;
}

std::vector<Movable> movable_on(const Pool& pool, const Node& node, Rank rank) {
  std::vector<Movable> out;
  for (const Lease& lease : node.leases) {
    if (lease.replica || lease.place.share || out.size() >= kRunsOfNode) continue;
    if (const auto m = movable(pool, pool.runs.at(lease.holder), rank)) out.push_back(*m);
  }
  std::stable_sort(out.begin(), out.end(), [](const Movable& a, const Movable& b) { return a.cost < b.cost; });
  return out;
}

// Free cards as the plan under way leaves them.
class Sketch {
 public:
  Sketch(Pool& pool, Rank rank, Index home) : pool_(pool), rank_(rank), home_(home), free_(pool.nodes.size()) {
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = pool.nodes[i].free_whole();
  }

  // A target for the run, straight or behind one more move.
  bool move(const Movable& m, MovePlan& plan) { return straight(m, plan) || behind_another(m, plan); }

 private:
  [[nodiscard]] bool fits(const Movable& m, Index i) const {
    const Node& node = pool_.nodes[i];
    const JobRec& job = *job_of(pool_, pool_.runs.at(m.run.value).job);
    const FitEntry& entry = pool_.fit.entries[pool_.demands[job.demand].variants.front().fits.front()];
    return i != home_ && node.takes_work() && allowed_on(pool_, entry, node) &&
           m.place.cpu_milli <= node.spec.cpu_milli - node.cpu_used - node.cpu_kept &&
           m.place.ram_mib <= node.spec.ram_mib - node.ram_used - node.ram_kept;
  }

  void settle(const Movable& m, Index i, MovePlan& plan) {
    Placement target = m.place;
    target.node = pool_.nodes[i].spec.id;
    target.cards = 0;
    for (std::int32_t c = 0; c < m.cards; ++c) {
      const Mask bit = free_[i] & (~free_[i] + 1);
      target.cards |= bit;
      free_[i] &= ~bit;
    }
    plan.moves.push_back({m.run, target, m.boundary_ms});
    plan.cost += m.cost;
  }

  bool straight(const Movable& m, MovePlan& plan) {
    Index best = kNoIndex;
    for (Index i = 0; i < free_.size(); ++i) {
      const int room = std::popcount(free_[i]);
      if (room < m.cards || (best != kNoIndex && room >= std::popcount(free_[best])) || !fits(m, i)) continue;
      best = i;
    }
    if (best == kNoIndex) return false;
    settle(m, best, plan);
    return true;
  }

  bool behind_another(const Movable& m, MovePlan& plan) {
    std::size_t tried = 0;
    for (Index i = 0; i < free_.size() && tried < kTargetsTried; ++i) {
      const int room = std::popcount(free_[i]);
      if (room == 0 || !fits(m, i)) continue;
      ++tried;
      for (const Movable& other : movable_on(pool_, pool_.nodes[i], rank_)) {
        const bool in_plan =
            std::any_of(plan.moves.begin(), plan.moves.end(), [&](const Move& move) { return move.run == other.run; });
        if (in_plan || room + other.cards < m.cards) continue;
        const Mask before = free_[i];
        free_[i] = 0;  // it does not stay where it is
        const bool placed = straight(other, plan);
        free_[i] = before;
        if (!placed) continue;
        free_[i] |= other.place.cards;
        settle(m, i, plan);
        return true;
      }
    }
    return false;
  }

  Pool& pool_;
  Rank rank_;
  Index home_;
  std::vector<Mask> free_;
};

struct Choice {
  GpuMs cost = 0;
  std::int32_t cards = 0;
  std::uint32_t runs = 0;  // bits of the node's movable runs
};

// Sets of runs whose leaving is enough, cheapest first.
std::vector<Choice> enough(const std::vector<Movable>& runs, std::int32_t lack) {
  std::vector<Choice> out;
  for (std::uint32_t set = 1; set < 1U << runs.size(); ++set) {
    Choice c{.runs = set};
    bool needless = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      c.cost += runs[i].cost;
      c.cards += runs[i].cards;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      needless = needless || ((set >> i & 1U) != 0 && c.cards - runs[i].cards >= lack);
    }
    if (c.cards >= lack && !needless) out.push_back(c);
  }
  std::stable_sort(out.begin(), out.end(), [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
  return out;
}

std::optional<MovePlan> empty_part(Pool& pool, Index home, std::int32_t cards, Rank rank, GpuMs below) {
  const Node& node = pool.nodes[home];
  const std::int32_t lack = cards - std::popcount(node.free_whole());
  const std::vector<Movable> runs = movable_on(pool, node, rank);
  for (const Choice& choice : enough(runs, lack)) {
    if (choice.cost >= below) return std::nullopt;
    MovePlan plan;
    plan.place = Placement{.node = node.spec.id};
    Sketch sketch(pool, rank, home);
    bool all = true;
    Mask open = node.free_whole();
    for (std::size_t i = runs.size(); i-- > 0 && all;) {  // the dearest first: it is the largest
      if ((choice.runs >> i & 1U) == 0) continue;
      all = sketch.move(runs[i], plan);
      open |= runs[i].place.cards;
    }
    if (!all || plan.cost >= below) continue;
    for (std::int32_t c = 0; c < cards; ++c, open &= open - 1) plan.place.cards |= open & (~open + 1);
    return plan;
  }
  return std::nullopt;
}

// --- in the background ---

// Another shared card with room for this share.
std::optional<Placement> shared_target(const Pool& pool, const Placement& from) {
  const Node* home = node_of(pool, from.node);
  std::optional<Placement> best;
  std::int32_t best_left = 0;
  for (const Node& node : pool.nodes) {
    if (!node.takes_work() || node.model != home->model) continue;
    for (Mask left = node.shared & node.healthy() & ~node.kept; left != 0; left &= left - 1) {
      Placement target = from;
      target.node = node.spec.id;
      target.cards = left & (~left + 1);
      if (target.node == from.node && target.cards == from.cards) continue;
      if (!fits_now(node, target)) continue;
      const std::int32_t room = kMilliPerCard - node.cards[static_cast<std::size_t>(std::countr_zero(left))].milli;
      if (best && room >= best_left) continue;
      best = target;
      best_left = room;
    }
  }
  return best;
}

std::optional<MovePlan> merge_share(const Pool& pool, const Node& node, const Lease& lease) {
  const auto card = static_cast<std::size_t>(std::countr_zero(lease.place.cards));
  if (!lease.place.share || lease.replica || node.cards[card].shares != 1) return std::nullopt;
  const auto m = movable(pool, pool.runs.at(lease.holder), kGuardRank);
  if (!m) return std::nullopt;
  const auto target = shared_target(pool, lease.place);
  if (!target) return std::nullopt;
  MovePlan plan;
  plan.place = Placement{.node = node.spec.id, .cards = lease.place.cards};
  plan.moves.push_back({m->run, *target, m->boundary_ms});
  plan.cost = m->cost;
  return plan;
}

// The only run of a node, onto a node that is in use anyway.
std::optional<MovePlan> empty_node(Pool& pool, Index i) {
  const Node& node = pool.nodes[i];
  if (node.leases.size() != 1 || node.leases.front().replica || node.leases.front().place.share) return std::nullopt;
  const auto m = movable(pool, pool.runs.at(node.leases.front().holder), kGuardRank);
  if (!m) return std::nullopt;
  for (const Node& other : pool.nodes) {
    if (&other == &node || other.leases.empty() || other.model != node.model || !other.takes_work()) continue;
    Placement target = m->place;
    target.node = other.spec.id;
    target.cards = 0;
    Mask open = other.free_whole();
    if (std::popcount(open) < m->cards) continue;
    for (std::int32_t c = 0; c < m->cards; ++c, open &= open - 1) target.cards |= open & (~open + 1);
    if (!fits_now(other, target)) continue;
    MovePlan plan;
    plan.place = Placement{.node = node.spec.id, .cards = m->place.cards};
    plan.moves.push_back({m->run, target, m->boundary_ms});
    plan.cost = m->cost;
    return plan;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MovePlan> moves_for(Pool& pool, const Variant& variant, Rank rank) {
  const FitEntry& entry = refreshed(pool, variant.fits.front());
  const Shape shape = entry.shape;
  std::vector<std::pair<std::int32_t, Index>> homes;  // least that is lacking first
  std::int64_t free = 0;
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    const Node& node = pool.nodes[i];
    const std::int32_t room = std::popcount(node.free_whole());
    if (!node.takes_work() || !allowed_on(pool, entry, node) || node.spec.cards < shape.cards) continue;
    free += room;
    const bool beside =
        shape.cpu_milli <= node.spec.cpu_milli - node.cpu_used && shape.ram_mib <= node.spec.ram_mib - node.ram_used;
    if (beside) homes.emplace_back(shape.cards - room, i);
  }
  if (free < shape.cards) return std::nullopt;
  const std::size_t tried = std::min(homes.size(), kNodesTried);
  std::partial_sort(homes.begin(), homes.begin() + static_cast<std::ptrdiff_t>(tried), homes.end());
  std::optional<MovePlan> best;
  for (std::size_t h = 0; h < tried; ++h) {
    auto plan = empty_part(pool, homes[h].second, shape.cards, rank, best ? best->cost : kNever);
    if (!plan) continue;
    plan->place.cpu_milli = shape.cpu_milli;
    plan->place.ram_mib = shape.ram_mib;
    best = std::move(plan);
  }
  return best;
}

std::optional<MovePlan> merging_move(Pool& pool) {
  std::optional<MovePlan> best;
  const auto consider = [&](std::optional<MovePlan> plan) {
    if (!plan) return;
    const auto gain = [](const MovePlan& p) { return std::popcount(p.place.cards); };
    // Freed cards per cost, by cross products.
    if (!best || gain(*plan) * best->cost > gain(*best) * plan->cost) best = std::move(plan);
  };
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    const Node& node = pool.nodes[i];
    if (!node.takes_work()) continue;
    for (const Lease& lease : node.leases) consider(merge_share(pool, node, lease));
    consider(empty_node(pool, i));
  }
  return best;
}

}  // namespace weir::engine
