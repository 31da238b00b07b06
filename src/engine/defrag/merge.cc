#include "engine/defrag/merge.h"

#include <algorithm>
#include <bit>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

constexpr std::size_t kHoldersMax = 4;   // of a card or node that is worth emptying
constexpr std::size_t kTried = 24;       // merges that targets are sought for
constexpr DurationMs kStay = 4 * kHour;  // the longest that a gain is counted
constexpr Rank kAnybody = kGuardRank;

struct Candidate {
  Index node = 0;
  Mask cards = 0;  // in shares: a card that empties; 0: the whole node
  std::vector<Movable> runs;
  ReplicaId replica;
  std::int64_t gain = 0;  // cards that become whole, or free in one piece
  GpuMs cost = 1;
  DurationMs stay_ms = kStay;
};

// All replicas are there and ready: one may be replaced.
bool settled(const Pool& pool, const ServiceRec& service) {
  return !service.stopped && !service.replacing && service.claims.empty() && service.draining.empty() &&
         service.spec.max_extra <= 1 && static_cast<std::int32_t>(service.live.size()) == service.target &&
         pool.now_ms >= service.backoff_until_ms &&
         std::all_of(service.live.begin(), service.live.end(), [&](ReplicaId id) {
           const ReplicaRec& replica = pool.replicas.at(id.value);
           return replica.state == ReplicaState::ready && !replica.stale;
         });
}

bool add_replica(const Pool& pool, const Lease& lease, Candidate& c) {
  const ReplicaRec& replica = pool.replicas.at(lease.holder);
  const ServiceRec& service = pool.services.at(replica.service.value);
  if (!settled(pool, service)) return false;
  c.replica = replica.id;
  c.cost += milli_of(replica.place) * (service.spec.start_ms + service.spec.drain_ms) / kMilliPerCard;
  return true;
}

// Everything on the node, or on one card of it, if all of it may go.
std::optional<Candidate> candidate(const Pool& pool, Index i, Mask cards, std::int64_t gain) {
  const Node& node = pool.nodes[i];
  Candidate c{.node = i, .cards = cards, .runs = {}, .replica = {}, .gain = gain};
  std::size_t holders = 0;
  for (const Lease& lease : node.leases) {
    if (cards != 0 && (lease.place.cards & cards) == 0) continue;
    if (++holders > kHoldersMax) return std::nullopt;
    if (lease.replica) {
      if (!add_replica(pool, lease, c)) return std::nullopt;
      continue;
    }
    const auto m = movable(pool, pool.runs.at(lease.holder), kAnybody);
    if (!m) return std::nullopt;
    c.runs.push_back(*m);
    c.cost += m->cost;
    if (m->ends_ms < kNever) c.stay_ms = std::min(c.stay_ms, m->ends_ms - m->free_ms);
  }
  const bool either = c.replica.valid() ? holders == 1 : holders > 0;
  // By themselves they would be gone before it is worth it.
  if (!either || c.gain * c.stay_ms <= c.cost) return std::nullopt;
  return c;
}

std::vector<Candidate> candidates(const Pool& pool) {
  std::vector<Candidate> out;
  const auto add = [&](std::optional<Candidate> c) {
    if (c) out.push_back(std::move(*c));
  };
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    const Node& node = pool.nodes[i];
    if (!node.takes_work() || node.leases.empty()) continue;
    for (Mask left = node.shared & node.healthy() & ~node.kept; left != 0; left &= left - 1) {
      const auto card = static_cast<std::size_t>(std::countr_zero(left));
      if (node.cards[card].shares <= static_cast<std::int32_t>(kHoldersMax))
        add(candidate(pool, i, left & (~left + 1), 1));
    }
    // Emptied, the node is one block; a card more of it is what a full one has
    // lost.
    if (node.leases.size() <= kHoldersMax) add(candidate(pool, i, 0, std::popcount(node.healthy())));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.gain * b.cost > b.gain * a.cost; });
  if (out.size() > kTried) out.resize(kTried);
  return out;
}

Ground ground_of(const Candidate& c) {
  if (c.cards == 0) return {.not_node = c.node, .in_use = true};
  return {.in_use = true, .shared_only = true, .of_card = c.node, .card = c.cards};
}

std::optional<Merge> move_runs(Pool& pool, const Candidate& c) {
  Sketch sketch(pool);
  Merge merge;
  for (const Movable& m : c.runs) sketch.lift(m.place);
  for (const Movable& m : c.runs) {
    const auto target = sketch.target(m, ground_of(c));
    if (!target) return std::nullopt;
    sketch.put(*target);
    merge.runs.moves.push_back({m, *target});
    merge.runs.cost += m.cost;
    Placement place = m.place;  // what becomes free
    const bool seen = std::any_of(merge.runs.places.begin(), merge.runs.places.end(),
                                  [&](const Placement& p) { return p.cards == place.cards; });
    if (!seen) merge.runs.places.push_back({.node = place.node, .cards = place.cards});
  }
  return merge;
}

std::optional<Merge> move_replica_of(Pool& pool, const Candidate& c) {
  const ReplicaRec& replica = pool.replicas.at(c.replica.value);
  const ServiceRec& service = pool.services.at(replica.service.value);
  const FitEntry& entry = refreshed(pool, service.fit);
  const Node& home = pool.nodes[c.node];
  std::optional<Merge> best;
  std::int32_t least = 0;
  const Ground ground = ground_of(c);
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    const Node& node = pool.nodes[i];
    const bool usable = entry.count[i] > 0 && i != ground.not_node && !node.leases.empty() && node.model == home.model;
    if (!usable) continue;
    Mask allowed = ground.shared_only ? node.shared : ~Mask{0};
    if (i == ground.of_card) allowed &= ~ground.card;
    Placement target;
    if (!place_on(pool, node, service.spec.shape, allowed, target)) continue;
    const std::int32_t room = std::popcount(node.free_whole());
    if (best && room >= least) continue;
    least = room;
    best = Merge{.runs = {}, .replica = c.replica, .target = target};
  }
  return best;
}

}  // namespace

std::optional<Merge> best_merge(Pool& pool, std::int32_t moves_max) {
  for (const Candidate& c : candidates(pool)) {
    const std::size_t moves = c.replica.valid() ? 1 : c.runs.size();
    if (moves > static_cast<std::size_t>(std::max(0, moves_max))) continue;
    auto merge = c.replica.valid() ? move_replica_of(pool, c) : move_runs(pool, c);
    if (merge) return merge;
  }
  return std::nullopt;
}

}  // namespace weir::engine
