#include "engine/defrag/sketch.h"

#include <algorithm>
#include <bit>

#include "engine/estimate/history.h"
#include "engine/place/leases.h"
#include "engine/place/place.h"
#include "engine/preempt/boundary.h"

namespace weir::engine {

namespace {

constexpr std::size_t kRunsOfNode = 8;     // that are considered
constexpr std::size_t kTargetsTried = 24;  // nodes with enough free cards looked at for one run

const Demand& demand_of(const Pool& pool, const Movable& m) {
  return pool.demands[job_of(pool, pool.runs.at(m.run.value).job)->demand];
}

// A restart would cost more than what is left, or the deadline.
bool too_late(const Pool& pool, const RunRec& run, const JobRec& job, const Movable& m) {
  const DurationMs pause = run.ckpt.restart_ms + run.ckpt.write_ms;
  if (m.ends_ms < kNever && m.ends_ms <= m.free_ms + pause) return true;
  if (!run.has_deadline || job.past_deadline) return false;
  const DurationMs remaining = remaining_of(pool, job);
  return remaining >= 0 && pool.now_ms + pause + remaining > job.spec.deadline_ms;
}

bool one_island(const Node& node, Mask cards) {
  if (node.spec.islands.empty() || cards == 0) return true;
  const std::uint8_t first = node.spec.islands[static_cast<std::size_t>(std::countr_zero(cards))];
  for (; cards != 0; cards &= cards - 1) {
    if (node.spec.islands[static_cast<std::size_t>(std::countr_zero(cards))] != first) return false;
  }
  return true;
}

}  // namespace

Movable mover_of(const Pool& pool, const RunRec& run) {
  Movable m{.run = run.id, .place = run.places.front()};
  const auto& variants = pool.demands[job_of(pool, run.job)->demand].variants;
  while (m.variant + 1 < variants.size() && variants[m.variant].milli != run.milli) ++m.variant;
  const auto lately = std::count_if(run.yields.begin(), run.yields.end(),
                                    [&](TimeMs at) { return at < kNever && at + kDay > pool.now_ms; });
  const DurationMs pause = run.ckpt.restart_ms + run.ckpt.write_ms + 1;  // something, even where both are nothing
  m.cost = run.milli * pause / kMilliPerCard * (1 + lately) + 1;
  m.boundary_ms = boundary_from(pool, run, pool.now_ms);
  if (m.boundary_ms < kNever) m.free_ms = m.boundary_ms + write_time(pool, run);
  m.ends_ms = promised_end(pool, run);
  return m;
}

std::optional<Movable> movable(const Pool& pool, const RunRec& run, Rank highest) {
  if (!run.listed || run.loan || run.start_ms == pool.now_ms || run.rank > highest || run.places.size() != 1)
    return std::nullopt;
  const JobRec* job = job_of(pool, run.job);
  if (job == nullptr || job->claim.valid() || job->cancelled || job->operator_held) return std::nullopt;
  if (run.ckpt.scope == CheckpointScope::node || run.places.front().cards == 0) return std::nullopt;
  if (pool.now_ms < eligible_from(pool, run)) return std::nullopt;
  const Movable m = mover_of(pool, run);
  if (m.boundary_ms >= kNever || too_late(pool, run, *job, m)) return std::nullopt;
  return m;
}

std::vector<Movable> movable_on(const Pool& pool, const Node& node, Mask cards, Rank highest) {
  std::vector<Movable> out;
  for (const Lease& lease : node.leases) {
    if (lease.replica || (lease.place.cards & cards) == 0) continue;
    if (const auto m = movable(pool, pool.runs.at(lease.holder), highest)) out.push_back(*m);
    if (out.size() >= kRunsOfNode) break;
  }
  std::stable_sort(out.begin(), out.end(), [](const Movable& a, const Movable& b) { return a.cost < b.cost; });
  return out;
}

const Node& Sketch::see(Index node) const {
  const auto it = touched_.find(node);
  return it == touched_.end() ? pool_.nodes[node] : it->second;
}

void Sketch::change(const Placement& place, std::int32_t sign) {
  done_.emplace_back(place, sign);
  const Index i = pool_.node_index.at(place.node.value);
  Node& node = touched_.try_emplace(i, pool_.nodes[i]).first->second;
  node.cpu_used += sign * place.cpu_milli;
  node.ram_used += sign * place.ram_mib;
  if (!place.share) {
    sign > 0 ? node.whole |= place.cards : node.whole &= ~place.cards;
    return;
  }
  Card& card = node.cards[static_cast<std::size_t>(std::countr_zero(place.cards))];
  card.shares += sign;
  card.milli += sign * place.milli;
  card.mem_mib += sign * place.card_mem_mib;
  card.shares > 0 ? node.shared |= place.cards : node.shared &= ~place.cards;
}

void Sketch::undo(std::size_t mark) {
  while (done_.size() > mark) {
    const auto [place, sign] = done_.back();
    change(place, -sign);
    done_.resize(done_.size() - 2);
  }
}

std::optional<Placement> Sketch::fit(Index node, const Shape& shape, Mask allowed) const {
  Placement place;
  if (!place_on(pool_, see(node), shape, allowed, place)) return std::nullopt;
  return place;
}

void Sketch::collect() {
  if (collected_) return;
  collected_ = true;
  for (Index i = 0; i < pool_.nodes.size(); ++i) {
    const Node& node = pool_.nodes[i];
    if (!node.takes_work()) continue;
    const std::int32_t free = std::popcount(node.free_whole());
    if (free > 0) roomy_.emplace_back(free, i);
    if (node.shared != 0) cut_.push_back(i);
  }
  std::sort(roomy_.begin(), roomy_.end());
}

std::vector<Index> Sketch::short_of(std::int32_t cards) {
  collect();
  std::vector<Index> out;
  for (std::size_t at = roomy_.size(); at-- > 0;) {
    if (roomy_[at].first < cards) out.push_back(roomy_[at].second);
    if (out.size() >= kTargetsTried) break;
  }
  return out;
}

std::optional<Placement> Sketch::on(const Movable& m, const Ground& ground, Index i) {
  look(1);
  const Node& node = see(i);
  if (i == ground.not_node || (ground.in_use && pool_.nodes[i].leases.empty())) return std::nullopt;
  const RunRec& run = pool_.runs.at(m.run.value);
  const Demand& demand = demand_of(pool_, m);
  const Variant& variant = demand.variants[m.variant];
  if (!allowed_on(pool_, pool_.fit.entries[variant.fits.front()], node)) return std::nullopt;
  // Quotas of a model, and what it costs to run slower, are no matter of a
  // move.
  if (node.spec.model != node_of(pool_, m.place.node)->spec.model &&
      (pool_.teams[run.team].spec.quota_by_model ||
       speed_on(pool_, demand, variant, {{.node = node.spec.id}}) < run.speed_milli))
    return std::nullopt;
  Mask allowed = ground.shared_only ? node.shared : ~Mask{0};
  if (i == ground.of_card) allowed &= ~ground.card;
  const auto place = fit(i, variant.groups.front().shape, allowed);
  if (!place || (demand.within == GangScope::island && !one_island(node, place->cards))) return std::nullopt;
  return place;
}

std::optional<Placement> Sketch::target(const Movable& m, const Ground& ground) {
  collect();
  if (m.place.share) {
    std::optional<Placement> best;
    std::int32_t best_left = 0;
    for (std::size_t at = 0, tried = 0; at < cut_.size() && tried < kTargetsTried && !tired(); ++at) {
      const auto place = on(m, ground, cut_[at]);
      if (!place || (see(cut_[at]).shared & place->cards) == 0) continue;
      ++tried;
      const auto card = static_cast<std::size_t>(std::countr_zero(place->cards));
      const std::int32_t left = kMilliPerCard - see(cut_[at]).cards[card].milli;
      if (best && left >= best_left) continue;
      best = place;
      best_left = left;
    }
    if (best || ground.shared_only) return best;
  }
  const std::int32_t cards = std::popcount(m.place.cards);
  auto at = std::lower_bound(roomy_.begin(), roomy_.end(), std::pair<std::int32_t, Index>(cards, 0));
  for (std::size_t tried = 0; at != roomy_.end() && tried < kTargetsTried && !tired(); ++at, ++tried) {
    if (const auto place = on(m, ground, at->second)) return place;
  }
  return std::nullopt;
}

}  // namespace weir::engine
