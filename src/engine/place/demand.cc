#include "engine/place/demand.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/apply/bounds.h"
#include "engine/place/leases.h"

namespace weir::engine {

namespace {

void add(std::string& key, std::int64_t v) {
  key += std::to_string(v);
  key += ',';
}

void add(std::string& key, std::string_view text) {
  add(key, static_cast<std::int64_t>(text.size()));
  key += text;
}

std::string key_of(const JobSpec& job, GangScope within) {
  std::string key;
  for (const WorkerGroup& g : job.roles) {
    add(key, g.role);
    add(key, g.count);
    for (const std::int64_t v : {std::int64_t{g.shape.cards}, std::int64_t{g.shape.milli}, g.shape.card_mem_mib,
                                 g.shape.cpu_milli, g.shape.ram_mib}) {
      add(key, v);
    }
  }
  key += '|';
  for (const ElasticShape& e : job.elastic) {
    add(key, e.gpus);
    add(key, e.speed_milli);
  }
  add(key, job.min_workers);
  add(key, std::int64_t{job.one_per_node});
  add(key, static_cast<std::int64_t>(within));
  add(key, std::int64_t{job.models_in_order});
  add(key, job.type);
  for (const std::string& model : job.models) add(key, model);
  return key;
}

bool larger(const Shape& a, const Shape& b) {
  if (a.cards != b.cards) return a.cards > b.cards;
  if (a.milli != b.milli) return a.milli > b.milli;
  if (a.card_mem_mib != b.card_mem_mib) return a.card_mem_mib > b.card_mem_mib;
  if (a.cpu_milli != b.cpu_milli) return a.cpu_milli > b.cpu_milli;
  return a.ram_mib > b.ram_mib;
}

Variant variant_of(Pool& pool, const JobSpec& job, const std::vector<WorkerGroup>& roles, std::int32_t speed) {
  Variant v;
  v.speed_milli = speed;
  std::vector<std::size_t> order(roles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return larger(roles[a].shape, roles[b].shape); });
  std::vector<std::int32_t> first(roles.size(), 0);
  for (std::size_t i = 1; i < roles.size(); ++i) first[i] = first[i - 1] + roles[i - 1].count;
  for (const std::size_t i : order) {
    v.groups.push_back(roles[i]);
    v.first_worker.push_back(first[i]);
    v.fits.push_back(fit_of(pool, roles[i].shape, job.models, job.models_in_order, job.type));
    v.milli += milli_of(roles[i].shape) * roles[i].count;
    v.cards += std::int64_t{roles[i].shape.share() ? 1 : roles[i].shape.cards} * roles[i].count;
    v.workers += roles[i].count;
  }
  return v;
}

}  // namespace

Index contract_of(Pool& pool, const CheckpointContract& contract) {
  const auto it = std::find(pool.contracts.begin(), pool.contracts.end(), contract);
  if (it != pool.contracts.end()) return static_cast<Index>(it - pool.contracts.begin());
  pool.contracts.push_back(contract);
  return static_cast<Index>(pool.contracts.size() - 1);
}

Index demand_of(Pool& pool, const JobSpec& job) {
  const GangScope within = job.within == GangScope::any ? pool.settings->gang_within : job.within;
  const std::string key = key_of(job, within);
  const auto it = pool.demand_index.find(key);
  if (it != pool.demand_index.end()) return it->second;
  Demand demand;
  demand.min_workers = job.min_workers;
  demand.one_per_node = job.one_per_node;
  demand.within = within;
  demand.type = job.type;
  demand.models = job.models;
  demand.models_in_order = job.models_in_order;
  for (auto shape = job.elastic.rbegin(); shape != job.elastic.rend(); ++shape) {
    std::vector<WorkerGroup> roles = job.roles;
    for (WorkerGroup& group : roles) group.shape.cards = shape->gpus;
    demand.variants.push_back(variant_of(pool, job, roles, shape->speed_milli));
  }
  if (demand.variants.empty()) demand.variants.push_back(variant_of(pool, job, job.roles, kMilliPerCard));
  const auto index = static_cast<Index>(pool.demands.size());
  pool.demands.push_back(std::move(demand));
  pool.demand_index.emplace(key, index);
  return index;
}

namespace {

// The pool's guard, or those of the services where they are more.
std::int64_t guard_cards(const Pool& pool) {
  std::int64_t assigned = 0;
  for (const auto& [id, service] : pool.services) {
    if (!service.stopped) assigned += std::int64_t{std::max(1, service.spec.shape.cards)} * service.guard;
  }
  return std::max<std::int64_t>(assigned, pool.settings->guard_min_cards);
}

}  // namespace

Misfit misfit_of(const Pool& pool, const JobSpec& job) {
  if (!job.id.valid()) return {"id", "the job has no number"};
  if (job.roles.empty()) return {"roles", "the job has no workers"};
  std::int64_t workers = 0;
  for (const WorkerGroup& group : job.roles) {
    const Shape& s = group.shape;
    if (group.count < 1) return {"workers", "a role has no workers"};
    const bool negative = s.cards < 0 || s.milli < 0 || s.card_mem_mib < 0 || s.cpu_milli < 0 || s.ram_mib < 0;
    if (negative) return {"gpus", "an amount is negative"};
    if (s.milli >= kMilliPerCard) return {"milli", "a share is less than a whole card"};
    if (s.cards > 0 && s.milli > 0) return {"milli", "a worker holds whole cards or a share, not both"};
    if (s.share() && !job.elastic.empty()) return {"elastic", "sizes are of whole cards"};
    workers += group.count;
  }
  if (workers > kWorkersMax) return {"workers", "the job has more than " + std::to_string(kWorkersMax) + " workers"};
  for (const ElasticShape& e : job.elastic) {
    if (e.gpus < 1 || e.speed_milli < 1) return {"elastic", "a size needs cards and speed"};
    if (e.gpus > kCardsPerNodeMax) return {"elastic", "a size is of one node"};
  }
  if (pool.nodes.empty()) return {};
  std::int64_t cards = 0;
  for (const WorkerGroup& group : job.roles) {
    cards += std::int64_t{group.shape.cards} * group.count;
  }
  const std::int64_t total = pool.cards.total();
  const std::int64_t most = total - std::min(total, guard_cards(pool));
  const bool fixed = job.elastic.empty() && job.min_workers == 0;
  if (fixed && cards > most) {
    return {"gpus",
            "asks for " + std::to_string(cards) + " cards; the pool less its guard has " + std::to_string(most)};
  }
  return {};
}

namespace {

constexpr std::int64_t kPlenty = 1 << 20;  // workers without cards on a node without bounds

// Workers of the shape that the node holds when all of it is free.
std::int64_t held_when_free(const Node& node, const Shape& shape, std::int64_t cards) {
  std::int64_t most = kPlenty;
  if (shape.whole()) most = cards / shape.cards;
  if (shape.share()) {
    std::int64_t each = shape.milli > 0 ? kMilliPerCard / shape.milli : kPlenty;
    if (shape.card_mem_mib > 0) each = std::min(each, node.spec.card_mem_mib / shape.card_mem_mib);
    most = std::min(kPlenty, each * cards);
  }
  if (shape.cpu_milli > 0) most = std::min(most, node.spec.cpu_milli / shape.cpu_milli);
  if (shape.ram_mib > 0) most = std::min(most, node.spec.ram_mib / shape.ram_mib);
  return most;
}

std::int64_t largest_island(const Node& node) {
  std::map<std::uint8_t, std::int64_t> sizes;
  for (const std::uint8_t island : node.spec.islands) ++sizes[island];
  std::int64_t most = sizes.empty() ? node.spec.cards : 0;
  for (const auto& [island, size] : sizes) most = std::max(most, size);
  return most;
}

// What one domain of the gang could hold: workers of each group, and all of them.
struct Holding {
  std::vector<std::int64_t> workers;  // by group
  std::int64_t milli = 0;
  std::int64_t nodes = 0;
};

}  // namespace

bool possible(Pool& pool, Index index) {
  Demand& demand = pool.demands[index];
  if (demand.judged_at == pool.fit.pool_version) return demand.possible;
  const Variant& variant = demand.variants.back();
  std::map<Index, Holding> domains;
  for (Index i = 0; i < pool.nodes.size(); ++i) {
    const Node& node = pool.nodes[i];
    const bool island = demand.within == GangScope::island;
    const Index rack_or_group = demand.within == GangScope::rack ? node.rack : node.group;
    const bool apart = demand.within == GangScope::any || (variant.workers == 1 && !island);
    Holding& holding = domains[apart ? 0 : island ? i : rack_or_group];
    holding.workers.resize(variant.groups.size(), 0);
    const std::int64_t cards = island ? largest_island(node) : node.spec.cards;
    bool any = false;
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      if (!allowed_on(pool, refreshed(pool, variant.fits[g]), node)) continue;
      const std::int64_t here = held_when_free(node, variant.groups[g].shape, cards);
      holding.workers[g] += demand.one_per_node ? std::min<std::int64_t>(here, 1) : here;
      any = any || here > 0;
    }
    if (!any) continue;
    holding.milli += cards * kMilliPerCard;
    ++holding.nodes;
  }
  demand.possible = std::any_of(domains.begin(), domains.end(), [&](const auto& entry) {
    const Holding& holding = entry.second;
    if (demand.min_workers > 0) {
      return std::any_of(holding.workers.begin(), holding.workers.end(), [](std::int64_t n) { return n > 0; });
    }
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      if (holding.workers[g] < variant.groups[g].count) return false;
    }
    return holding.milli >= variant.milli && (!demand.one_per_node || holding.nodes >= variant.workers);
  });
  demand.judged_at = pool.fit.pool_version;
  return demand.possible;
}

}  // namespace weir::engine
