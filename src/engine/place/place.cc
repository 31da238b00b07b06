#include "engine/place/place.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/place/leases.h"
#include "engine/place/trial.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::size_t kPlacesMax = 256;  // of a replica that are weighed against each other

using Places = std::optional<std::vector<Placement>>;

std::vector<Index> candidates(const Pool& pool, const Where& where) {
  std::vector<Index> nodes;
  const auto barred = [&](Index i) {
    const Index model = pool.nodes[i].model;
    return model < where.barred_models.size() && where.barred_models[model];
  };
  if (!where.only_nodes.empty()) {
    for (const Index i : where.only_nodes) {
      if (!barred(i)) nodes.push_back(i);
    }
    return nodes;
  }
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    if (!barred(i)) nodes.push_back(i);
  }
  return nodes;
}

Places place_among(Pool& pool, const Demand& demand, const Variant& variant, const std::vector<Index>& nodes,
                   Mask allowed, bool on_shared = false) {
  Trial trial(pool, demand, variant, on_shared);
  if (!trial.fill(nodes, allowed) && !trial.search(nodes, allowed)) return std::nullopt;
  return trial.result();
}

// One network group or rack, the one with the least room that is enough.
Places place_within(Pool& pool, const Demand& demand, const Variant& variant, const std::vector<Index>& nodes) {
  const FitEntry& entry = refreshed(pool, variant.fits.front());
  std::map<Index, std::vector<Index>> members;
  std::map<Index, std::int64_t> room;
  for (const Index i : nodes) {
    const Index of = demand.within == GangScope::group ? pool.nodes[i].group : pool.nodes[i].rack;
    members[of].push_back(i);
    room[of] += entry.count[i];
  }
  std::vector<std::pair<std::int64_t, Index>> order;
  for (const auto& [of, count] : room) {
    if (count >= variant.groups.front().count || demand.min_workers > 0) order.emplace_back(count, of);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [count, of] : order) {
    if (Places places = place_among(pool, demand, variant, members[of], ~Mask{0})) return places;
  }
  return std::nullopt;
}

// All workers on cards of one island of one node.
Places place_in_island(Pool& pool, const Demand& demand, const Variant& variant, const std::vector<Index>& nodes) {
  for (const Index i : nodes) {
    const std::vector<std::uint8_t>& islands = pool.nodes[i].spec.islands;
    std::map<std::uint8_t, Mask> masks;
    for (std::size_t card = 0; card < islands.size(); ++card) masks[islands[card]] |= Mask{1} << card;
    if (masks.empty()) masks[0] = ~Mask{0};
    for (const auto& [island, mask] : masks) {
      if (Places places = place_among(pool, demand, variant, {i}, mask)) return places;
    }
  }
  return std::nullopt;
}

std::optional<Placement> fixed_place(const Pool& pool, const Node& node, const Shape& shape, Mask cards) {
  Placement place;
  if (cards == 0) return place_on(pool, node, shape, ~Mask{0}, place) ? std::optional(place) : std::nullopt;
  if (!place_on(pool, node, shape, cards, place)) return std::nullopt;
  return place;
}

Index index_by_name(const Pool& pool, const std::string& name) {
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    if (pool.nodes[i].known && pool.nodes[i].spec.name == name) return i;
  }
  return kNoIndex;
}

// The stage that a submission asks for: worker by worker where it says.
Places place_first(Pool& pool, const Demand& demand, const Variant& variant, const JobSpec& job) {
  if (job.first_places.empty()) {
    const Index node = index_by_name(pool, job.first_node);
    if (node == kNoIndex) return std::nullopt;
    return place_among(pool, demand, variant, {node}, job.first_cards == 0 ? ~Mask{0} : job.first_cards);
  }
  Trial trial(pool, demand, variant);
  for (std::size_t g = 0; g < variant.groups.size(); ++g) {
    for (std::int32_t i = 0; i < variant.groups[g].count; ++i) {
      const auto worker = static_cast<std::size_t>(variant.first_worker[g]) + static_cast<std::size_t>(i);
      if (worker >= job.first_places.size()) return std::nullopt;
      const FirstPlace& first = job.first_places[worker];
      const Index node = index_by_name(pool, first.node);
      if (node == kNoIndex) return std::nullopt;
      const auto place = fixed_place(pool, pool.nodes[node], variant.groups[g].shape, first.cards);
      if (!place || !trial.put_at(worker, *place)) return std::nullopt;
    }
  }
  return trial.result();
}

std::vector<bool> barred_models(const Pool& pool, const Team& team, std::int64_t milli) {
  if (!team.declared || !team.spec.has_quota || team.spec.borrow || !team.spec.quota_by_model) return {};
  std::vector<bool> barred(pool.models.size(), false);
  for (Index m = 0; m < pool.models.size(); ++m) {
    const auto quota = team.spec.quota_of_model.find(pool.models.name(m));
    const std::int64_t cards = quota == team.spec.quota_of_model.end() ? 0 : quota->second;
    const std::int64_t held = m < team.held_milli_of_model.size() ? team.held_milli_of_model[m] : 0;
    barred[m] = held + milli > cards * kMilliPerCard;
  }
  return barred;
}

}  // namespace

Where where_of(const Pool& pool, const JobRec& job, const Variant& variant) {
  Where where;
  where.barred_models = barred_models(pool, pool.teams[job.team], variant.milli);
  for (const NodeId id : job.ckpt_nodes) {
    const Node* node = node_of(pool, id);
    if (node == nullptr) continue;
    const auto i = static_cast<Index>(node - pool.nodes.data());
    const bool in = std::find(where.only_nodes.begin(), where.only_nodes.end(), i) != where.only_nodes.end();
    if (!in) where.only_nodes.push_back(i);  // several workers of a run may have stood there
  }
  if (job.incarnation == 0 && (!job.spec.first_node.empty() || !job.spec.first_places.empty())) where.first = &job.spec;
  return where;
}

std::optional<std::vector<Placement>> place(Pool& pool, const Demand& demand, const Variant& variant,
                                            const Where& where) {
  if (where.first != nullptr) return place_first(pool, demand, variant, *where.first);
  if (demand.min_workers == 0) {
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      if (refreshed(pool, variant.fits[g]).total < variant.groups[g].count) return std::nullopt;
    }
  }
  if (demand.within == GangScope::island) return place_in_island(pool, demand, variant, candidates(pool, where));
  if (demand.within != GangScope::any && variant.workers > 1) {
    return place_within(pool, demand, variant, candidates(pool, where));
  }
  if (!where.free()) return place_among(pool, demand, variant, candidates(pool, where), ~Mask{0}, where.on_shared);
  Trial trial(pool, demand, variant);
  if (!trial.fill() && !trial.search(candidates(pool, where), ~Mask{0})) return std::nullopt;
  return trial.result();
}

std::optional<Placement> place_replica(Pool& pool, const ServiceRec& service) {
  const Index best = best_node(pool, service.fit);
  if (best == kNoIndex) return std::nullopt;
  Placement place;
  if (!place_on(pool, pool.nodes[best], service.spec.shape, ~Mask{0}, place)) return std::nullopt;
  return place;
}

std::vector<Placement> places_of_replica(Pool& pool, const ServiceRec& service) {
  const FitEntry& entry = refreshed(pool, service.fit);
  std::vector<std::pair<std::uint64_t, Index>> order;
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    if (entry.count[i] > 0) order.emplace_back(entry.tree[entry.leaves + i], i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Placement> places;
  for (const auto& [key, i] : order) {
    if (places.size() >= kPlacesMax) break;
    Placement place;
    if (!place_on(pool, pool.nodes[i], service.spec.shape, ~Mask{0}, place)) continue;
    places.push_back(place);
    if (!place.share) continue;
    for (int card = 0; card < pool.nodes[i].spec.cards; ++card) {
      const Mask only = Mask{1} << card;
      Placement other;
      if (only != place.cards && place_on(pool, pool.nodes[i], service.spec.shape, only, other))
        places.push_back(other);
    }
  }
  return places;
}

std::int32_t speed_on(const Pool& pool, const Demand& demand, const Variant& variant,
                      const std::vector<Placement>& places) {
  std::int64_t slowest = kMilliPerCard;
  bool seen = false;
  for (const ProfileSpec& profile : pool.settings->profiles) {
    if (demand.type.empty() || profile.type != demand.type) continue;
    for (const Placement& place : places) {
      const Node* node = node_of(pool, place.node);
      const auto speed = std::find_if(profile.models.begin(), profile.models.end(), [&](const ModelSpeed& s) {
        return node != nullptr && s.model == node->spec.model;
      });
      if (speed == profile.models.end()) continue;
      slowest = seen ? std::min<std::int64_t>(slowest, speed->speed_milli) : speed->speed_milli;
      seen = true;
    }
  }
  constexpr std::int64_t kFastest = 1 << 30;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(slowest * variant.speed_milli / kMilliPerCard, 1, kFastest));
}

}  // namespace weir::engine
