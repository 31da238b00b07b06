#include "engine/preempt/sites.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

// Puts the scene together. Records carry the number of the latest scene and their
// place in it, so that a holder is looked up once per lease without a search.
class Builder {
 public:
  Builder(Pool& pool, const Taker& taker) : pool_(pool), taker_(taker), serial_(++pool.scene_serial) {}

  void add_node(const Demand* demand, Index i) {
    const Node& node = pool_.nodes[i];
    const GangScope within = demand == nullptr ? GangScope::any : demand->within;
    if (within == GangScope::island && !node.spec.islands.empty()) {
      std::map<std::uint8_t, Mask> islands;
      for (std::size_t card = 0; card < node.spec.islands.size(); ++card) {
        islands[node.spec.islands[card]] |= Mask{1} << card;
      }
      for (const auto& [island, mask] : islands) add_site(i, i * 256 + island, mask);
      return;
    }
    Index domain = 0;
    if (within == GangScope::island) domain = i * 256;
    if (within == GangScope::group) domain = node.group;
    if (within == GangScope::rack) domain = node.rack;
    add_site(i, domain, ~Mask{0});
  }

  Scene finish() {
    std::sort(stands_.begin(), stands_.end());
    stands_.erase(std::unique(stands_.begin(), stands_.end()), stands_.end());
    scene_.stand_from.assign(scene_.leavers.size() + 1, 0);
    for (const auto& [leaver, site] : stands_) ++scene_.stand_from[leaver + 1];
    for (std::size_t l = 0; l < scene_.leavers.size(); ++l) scene_.stand_from[l + 1] += scene_.stand_from[l];
    scene_.stand_on.reserve(stands_.size());
    for (const auto& [leaver, site] : stands_) scene_.stand_on.push_back(site);
    return std::move(scene_);
  }

 private:
  std::uint32_t add(SceneMark& mark, const Leaver& leaver) {
    mark = {serial_, static_cast<std::uint32_t>(scene_.leavers.size())};
    scene_.leavers.push_back(leaver);
    return mark.index;
  }

  std::uint32_t leaver_of_lease(const Lease& lease) {
    if (lease.replica) {
      ReplicaRec& replica = pool_.replicas.at(lease.holder);
      return replica.mark.serial == serial_ ? replica.mark.index : add(replica.mark, leaver_of(pool_, taker_, replica));
    }
    RunRec& run = pool_.runs.at(lease.holder);
    return run.mark.serial == serial_ ? run.mark.index : add(run.mark, leaver_of(pool_, taker_, run));
  }

  std::uint32_t leaver_of_claim(ClaimRec& claim) {
    if (claim.mark.serial == serial_) return claim.mark.index;
    Leaver leaver{.kind = LeaverKind::claim, .id = claim.id.value};
    leaver.may_take = claim.rank < taker_.rank && !taker_.promised && !own(claim);
    leaver.tier = claim.rank;
    leaver.boundary_ms = leaver.free_ms = pool_.now_ms;
    leaver.submitted_ms = claim.made_ms;
    return add(claim.mark, leaver);
  }

  [[nodiscard]] bool own(const ClaimRec& claim) const {
    return claim.beneficiary == ClaimFor::job ? claim.job == taker_.job && taker_.job.valid()
                                              : claim.service == taker_.service && taker_.service.valid();
  }

  // Who stands on each card: the first, and further ones of shared or claimed cards.
  struct Holders {
    std::array<std::uint32_t, kCardsPerNodeMax> first{};
    std::vector<std::pair<int, std::uint32_t>> more;
    Mask several = 0;

    Holders() { first.fill(kNoIndex); }
    void put(Mask cards, std::uint32_t leaver) {
      for (; cards != 0; cards &= cards - 1) {
        const int card = std::countr_zero(cards);
        std::uint32_t& at = first[static_cast<std::size_t>(card)];
        if (at == kNoIndex || at == leaver) {
          at = leaver;
        } else {
          more.emplace_back(card, leaver);
          several |= Mask{1} << card;
        }
      }
    }
  };

  // Cards kept for claims that the taker may supersede; the others stay barred.
  Mask put_claims(const Node& node, Holders& holders) {
    Mask open = 0;
    Mask barred = 0;
    for (const std::uint32_t id : node.claims) {
      ClaimRec& claim = pool_.claims.at(id);
      const std::uint32_t index = leaver_of_claim(claim);
      for (const ClaimPart& part : claim.parts) {
        if (part.started || part.place.node != node.spec.id || part.place.cards == 0) continue;
        const bool usable = scene_.leavers[index].may_take;
        (usable ? open : barred) |= part.place.cards;
        if (usable) holders.put(part.place.cards, index);
      }
    }
    return open & ~barred;
  }

  void add_site(Index i, Index domain, Mask allowed) {
    const Node& node = pool_.nodes[i];
    Holders holders;
    const Mask open = put_claims(node, holders);
    const Mask kept = (node.kept | node.kept_in_part) & ~open;  // for somebody that it cannot push aside
    for (const Lease& lease : node.leases) holders.put(lease.place.cards, leaver_of_lease(lease));
    Site site{.node = i, .domain = domain, .allowed = allowed};
    site.parts = (node.shared | node.kept_in_part) != 0;
    site.cpu_left = node.spec.cpu_milli - node.cpu_used - node.cpu_kept;
    site.ram_left = node.spec.ram_mib - node.ram_used - node.ram_kept;
    site.free = taker_.no_free ? 0 : node.free_whole() & allowed;
    site.bundles_from = static_cast<std::uint32_t>(scene_.bundles.size());
    const Mask usable = node.healthy() & allowed & ~kept & ~node.free_whole();
    add_bundles(holders, usable);
    site.bundles = static_cast<std::uint32_t>(scene_.bundles.size()) - site.bundles_from;
    const auto at = static_cast<std::uint32_t>(scene_.sites.size());
    for (const Bundle& bundle : scene_.bundles_of(site)) {
      for (const std::uint32_t l : scene_.leavers_of(bundle)) stands_.emplace_back(l, at);
    }
    scene_.sites.push_back(site);
  }

  void add_bundles(const Holders& holders, Mask usable) {
    for (Mask left = usable; left != 0; left &= left - 1) {
      const int card = std::countr_zero(left);
      const std::uint32_t first = holders.first[static_cast<std::size_t>(card)];
      if (first == kNoIndex) continue;
      Bundle bundle{.cards = Mask{1} << card, .from = static_cast<std::uint32_t>(scene_.holders.size())};
      scene_.holders.push_back(first);
      if ((holders.several >> card & 1U) != 0) {
        for (const auto& [at, leaver] : holders.more) {
          if (at == card) scene_.holders.push_back(leaver);
        }
      } else {
        for (Mask rest = left & (left - 1) & ~holders.several; rest != 0; rest &= rest - 1) {
          const int other = std::countr_zero(rest);
          if (holders.first[static_cast<std::size_t>(other)] != first) continue;
          bundle.cards |= Mask{1} << other;
        }
        left &= ~bundle.cards | Mask{1} << card;
      }
      bundle.count = static_cast<std::uint32_t>(scene_.holders.size()) - bundle.from;
      const auto list = scene_.leavers_of(bundle);
      const bool stuck = std::any_of(list.begin(), list.end(), [&](std::uint32_t l) {
        return !scene_.leavers[l].may_take && scene_.leavers[l].natural_ms >= kNever;
      });
      if (stuck) {
        scene_.holders.resize(bundle.from);
      } else {
        scene_.bundles.push_back(bundle);
      }
    }
  }

  Pool& pool_;
  const Taker& taker_;
  std::uint64_t serial_;
  Scene scene_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stands_;  // leaver, site
};

}  // namespace

namespace {

// Nodes looked at for each card of a worker: one with a card to take is soon found, one
// with all of its cards is not. Smaller pools are searched whole.
constexpr std::size_t kExactNodes = 64;
constexpr std::size_t kPerWorker = 4;  // and for each worker of a larger gang

// Nodes of a large pool that are worth a look: those with room already, and those of
// the runs that may be taken, lowest tier and ripest first, until there are enough.
class Candidates {
 public:
  Candidates(const Pool& pool, std::size_t most) : pool_(pool), most_(most), in_(pool.nodes.size(), false) {}

  std::vector<Index> collect(const Taker& taker, const FitEntry& entry) {
    for (Index i = 0; i < pool_.nodes.size() && !full(); ++i) {
      if (entry.count[i] > 0) add(i);
    }
    for (auto run = pool_.preemptible.begin(); run != pool_.preemptible.end() && !full(); ++run) {
      if (run->first > taker.rank || (run->first == taker.rank && !taker.within_own)) break;
      add_run(run->second);
    }
    if (taker.rotates && taker.level == 0) add_ripe(pool_.ripe, taker.rank);
    if (taker.rotates && taker.gang_cards > 0) add_ripe(pool_.gang_ripe, taker.rank);
    add_others(taker);
    for (Index i = 0; taker.promised && i < pool_.nodes.size() && !full(); ++i) add(i);
    std::sort(nodes_.begin(), nodes_.end());
    return std::move(nodes_);
  }

 private:
  [[nodiscard]] bool full() const { return nodes_.size() >= most_; }
  void add(Index node) {
    if (in_[node]) return;
    in_[node] = true;
    nodes_.push_back(node);
  }
  void add(const Placement& place) { add(pool_.node_index.at(place.node.value)); }
  void add_run(std::uint32_t id) {
    for (const Placement& place : pool_.runs.at(id).places) add(place);
  }
  void add_ripe(const std::set<std::tuple<Rank, TimeMs, std::uint32_t>>& ripe, Rank rank) {
    for (auto at = ripe.lower_bound({rank, 0, 0}); at != ripe.end() && !full(); ++at) {
      const auto& [of, ripe_ms, id] = *at;
      if (of != rank || ripe_ms > pool_.now_ms) return;
      add_run(id);
    }
  }
  // Claims that it may push aside, replicas above their guard.
  void add_others(const Taker& taker) {
    for (const auto& [id, claim] : pool_.claims) {
      for (const ClaimPart& part : claim.parts) {
        if (claim.rank < taker.rank && !full()) add(part.place);
      }
    }
    for (const auto& [id, service] : pool_.services) {
      if (service.rank >= taker.rank && !taker.from_inference) continue;
      for (auto i = static_cast<std::size_t>(service.guard_live); i < service.live.size() && !full(); ++i) {
        add(pool_.replicas.at(service.live[i].value).place);
      }
    }
  }

  const Pool& pool_;
  std::size_t most_;
  std::vector<bool> in_;
  std::vector<Index> nodes_;
};

}  // namespace

Scene scene_of(Pool& pool, const Taker& taker, const Demand* demand, const FitEntry& entry, std::int64_t workers,
               const std::vector<Index>& only_nodes, const std::vector<bool>& barred) {
  Builder builder(pool, taker);
  const auto each = static_cast<std::size_t>(std::clamp(entry.shape.cards, 1, 8));
  const std::size_t most = std::max(kExactNodes * each, kPerWorker * static_cast<std::size_t>(workers));
  const auto consider = [&](Index i) {
    const Node& node = pool.nodes[i];
    const bool no_quota = node.model < barred.size() && barred[node.model];
    if (node.takes_work() && !no_quota && allowed_on(pool, entry, node)) builder.add_node(demand, i);
  };
  if (!only_nodes.empty()) {
    for (const Index i : only_nodes) consider(i);
  } else if (pool.nodes.size() > most) {
    for (const Index i : Candidates(pool, most).collect(taker, entry)) consider(i);
  } else {
    for (Index i = 0; i < pool.nodes.size(); ++i) consider(i);
  }
  return builder.finish();
}

std::uint32_t leaver_at(const Pool& pool, const Lease& lease) {
  const SceneMark& mark = lease.replica ? pool.replicas.at(lease.holder).mark : pool.runs.at(lease.holder).mark;
  return mark.serial == pool.scene_serial ? mark.index : kNoIndex;
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
