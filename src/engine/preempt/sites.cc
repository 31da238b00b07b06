#include "engine/preempt/sites.h"

#include <algorithm>
#include <bit>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

std::uint32_t leaver_index(Scene& scene, Pool& pool, const Taker& taker, LeaverKind kind, std::uint32_t id) {
  const auto key = std::pair(static_cast<int>(kind), id);
  const auto it = scene.index.find(key);
  if (it != scene.index.end()) return it->second;
  Leaver leaver;
  if (kind == LeaverKind::run) {
    leaver = leaver_of(pool, taker, pool.runs.at(id));
  } else if (kind == LeaverKind::replica) {
    leaver = leaver_of(pool, taker, pool.replicas.at(id));
  } else {
    const ClaimRec& claim = pool.claims.at(id);
    leaver = Leaver{.kind = LeaverKind::claim, .id = id};
    leaver.may_take = claim.rank < taker.rank && claim.rank < kGuardRank;
    leaver.tier = claim.rank;
    leaver.boundary_ms = leaver.free_ms = pool.now_ms;
    leaver.submitted_ms = claim.made_ms;
  }
  const auto index = static_cast<std::uint32_t>(scene.leavers.size());
  scene.leavers.push_back(leaver);
  scene.chosen.push_back(false);
  scene.sites_of.emplace_back();
  scene.index.emplace(key, index);
  return index;
}

bool own_claim(const ClaimRec& claim, const Taker& taker) {
  return claim.beneficiary == ClaimFor::job ? claim.job == taker.job && taker.job.valid()
                                            : claim.service == taker.service && taker.service.valid();
}

// Cards kept for claims that the taker may supersede; the others stay barred.
Mask add_claims(Scene& scene, Pool& pool, const Taker& taker, const Node& node,
                std::vector<std::vector<std::uint32_t>>& holders) {
  Mask open = 0;
  Mask barred = 0;
  for (const std::uint32_t id : node.claims) {
    const ClaimRec& claim = pool.claims.at(id);
    for (const ClaimPart& part : claim.parts) {
      if (part.started || part.place.node != node.spec.id || part.place.cards == 0) continue;
      const std::uint32_t index = leaver_index(scene, pool, taker, LeaverKind::claim, id);
      const bool usable = scene.leavers[index].may_take && !own_claim(claim, taker);
      (usable ? open : barred) |= part.place.cards;
      for (Mask left = part.place.cards; usable && left != 0; left &= left - 1) {
        auto& list = holders[static_cast<std::size_t>(std::countr_zero(left))];
        if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
      }
    }
  }
  return open & ~barred;
}

void add_site(Scene& scene, Pool& pool, const Taker& taker, Index i, Index domain, Mask allowed) {
  const Node& node = pool.nodes[i];
  std::vector<std::vector<std::uint32_t>> holders(static_cast<std::size_t>(node.spec.cards));
  const Mask open = add_claims(scene, pool, taker, node, holders);
  const Mask kept = (node.kept | node.kept_in_part) & ~open;  // for somebody that it cannot push aside
  Site site{.node = i, .domain = domain, .allowed = allowed};
  site.parts = node.shared | node.kept_in_part;
  site.cpu_left = node.spec.cpu_milli - node.cpu_used - node.cpu_kept;
  site.ram_left = node.spec.ram_mib - node.ram_used - node.ram_kept;
  Mask usable = node.healthy() & allowed & ~(node.kept & ~open);
  std::vector<std::uint32_t> here;
  for (const Lease& lease : node.leases) {
    const auto kind = lease.replica ? LeaverKind::replica : LeaverKind::run;
    const std::uint32_t index = leaver_index(scene, pool, taker, kind, lease.holder);
    for (Mask left = lease.place.cards; left != 0; left &= left - 1) {
      auto& list = holders[static_cast<std::size_t>(std::countr_zero(left))];
      if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
    }
  }
  site.free = taker.no_free ? 0 : node.free_whole() & allowed;
  usable &= ~node.free_whole() & ~(node.kept_in_part & kept);
  for (; usable != 0;) {
    const auto card = static_cast<std::size_t>(std::countr_zero(usable));
    Bundle bundle{.cards = 0, .leavers = holders[card]};
    for (Mask left = usable; left != 0; left &= left - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(left));
      if (holders[other] == bundle.leavers) bundle.cards |= Mask{1} << other;
    }
    usable &= ~bundle.cards;
    if (bundle.leavers.empty()) continue;
    const bool stuck = std::any_of(bundle.leavers.begin(), bundle.leavers.end(), [&](std::uint32_t l) {
      return !scene.leavers[l].may_take && scene.leavers[l].natural_ms >= kNever;
    });
    if (!stuck) {
      site.bundles.push_back(std::move(bundle));
      for (const std::uint32_t l : site.bundles.back().leavers) here.push_back(l);
    }
  }
  std::sort(here.begin(), here.end());
  here.erase(std::unique(here.begin(), here.end()), here.end());
  const auto at = static_cast<std::uint32_t>(scene.sites.size());
  for (const std::uint32_t l : here) scene.sites_of[l].push_back(at);
  scene.sites.push_back(std::move(site));
}

void add_node(Scene& scene, Pool& pool, const Taker& taker, const Demand* demand, Index i) {
  const Node& node = pool.nodes[i];
  const GangScope within = demand == nullptr ? GangScope::any : demand->within;
  if (within == GangScope::island && !node.spec.islands.empty()) {
    std::map<std::uint8_t, Mask> islands;
    for (std::size_t card = 0; card < node.spec.islands.size(); ++card) {
      islands[node.spec.islands[card]] |= Mask{1} << card;
    }
    for (const auto& [island, mask] : islands) add_site(scene, pool, taker, i, i * 256 + island, mask);
    return;
  }
  Index domain = 0;
  if (within == GangScope::island) domain = i * 256;
  if (within == GangScope::group) domain = node.group;
  if (within == GangScope::rack) domain = node.rack;
  add_site(scene, pool, taker, i, domain, ~Mask{0});
}

}  // namespace

Scene scene_of(Pool& pool, const Taker& taker, const Demand* demand, const FitEntry& entry,
               const std::vector<Index>& only_nodes, const std::vector<bool>& barred) {
  Scene scene;
  const auto consider = [&](Index i) {
    const Node& node = pool.nodes[i];
    const bool no_quota = node.model < barred.size() && barred[node.model];
    if (node.takes_work() && !no_quota && allowed_on(pool, entry, node)) add_node(scene, pool, taker, demand, i);
  };
  if (!only_nodes.empty()) {
    for (const Index i : only_nodes) consider(i);
  } else {
    for (Index i = 0; i < pool.nodes.size(); ++i) consider(i);
  }
  return scene;
}

std::int64_t lateness_of(const Pool& pool, const Taker& taker, const Leaver& leaver, Rank tier) {
  const DurationMs step = std::max<DurationMs>(1, pool.settings->lateness_step_ms);
  TimeMs at = leaver.natural_ms;
  if (leaver.may_take && leaver.tier <= tier) at = std::min(at, leaver.free_ms);
  if (at >= kNever) return kNoLateness;
  return at <= taker.need_by_ms ? 0 : (at - taker.need_by_ms) / step;
}

TimeMs gone_at(const Pool& pool, const Taker& taker, const Leaver& leaver, const Limits& limits, bool& asked) {
  const DurationMs step = std::max<DurationMs>(1, pool.settings->lateness_step_ms);
  const TimeMs latest = taker.need_by_ms + (limits.lateness + 1) * step - 1;
  asked = false;
  if (leaver.natural_ms <= latest) return leaver.natural_ms;
  if (!leaver.may_take || leaver.tier > limits.tier || leaver.free_ms > latest) return kNever;
  asked = true;
  return leaver.free_ms;
}

}  // namespace weir::engine
