#include "reference.h"

#include <algorithm>
#include <set>

namespace weir::property {

namespace {

constexpr std::int64_t kStepsMax = 200'000;

struct Search {
  FreePool pool;
  const std::vector<WorkerNeed>& needs;
  const SpreadRule& rule;
  std::vector<Placement> places;
  std::int64_t steps = kStepsMax;

  // Gang workers come first in `needs`: all places made so far are the gang's.
  bool fits_spread(std::size_t worker, std::size_t node) const {
    if (places.empty() || !needs[worker].in_gang) return true;
    const auto spec_of = [&](NodeId id) -> const NodeSpec& {
      return std::find_if(pool.begin(), pool.end(), [&](const FreeNode& n) { return n.spec.id == id; })->spec;
    };
    const NodeSpec& first = spec_of(places[0].node);
    const NodeSpec& here = pool[node].spec;
    if (rule.within == GangScope::group && first.group != here.group) return false;
    if (rule.within == GangScope::rack && first.rack != here.rack) return false;
    if (rule.within == GangScope::island && first.id != here.id) return false;
    return !rule.one_per_node ||
           std::none_of(places.begin(), places.end(), [&](const Placement& p) { return p.node == here.id; });
  }

  bool next(std::size_t worker);
  bool try_whole(std::size_t worker, std::size_t node);
  bool try_share(std::size_t worker, std::size_t node);
  bool go_on(std::size_t worker, std::size_t node, Placement place);
};

bool Search::go_on(std::size_t worker, std::size_t node, Placement place) {
  const FreeNode before = pool[node];
  place.node = pool[node].spec.id;
  place.cpu_milli = needs[worker].shape.cpu_milli;
  place.ram_mib = needs[worker].shape.ram_mib;
  take(pool, place);
  places.push_back(place);
  if (next(worker + 1)) return true;
  places.pop_back();
  pool[node] = before;
  return false;
}

// Whole cards of a node are alike: the lowest free ones stand for all choices.
bool Search::try_whole(std::size_t worker, std::size_t node) {
  const Shape& shape = needs[worker].shape;
  if (pool[node].spec.card_mem_mib < shape.card_mem_mib) return false;
  Placement place;
  std::int32_t found = 0;
  for (std::size_t card = 0; card < pool[node].cards.size() && found < shape.cards; ++card) {
    const FreeCard& free = pool[node].cards[card];
    if (!free.usable || free.touched || free.milli < kMilliPerCard) continue;
    place.cards |= std::uint64_t{1} << card;
    ++found;
  }
  return found == shape.cards && go_on(worker, node, place);
}

bool Search::try_share(std::size_t worker, std::size_t node) {
  const Shape& shape = needs[worker].shape;
  const std::int64_t whole_mib = pool[node].spec.card_mem_mib;
  const std::int64_t mem_mib =
      shape.card_mem_mib > 0 ? shape.card_mem_mib : std::max<std::int64_t>(1, whole_mib * shape.milli / kMilliPerCard);
  std::set<FreeCard> tried;  // cards in the same state are alike
  for (std::size_t card = 0; card < pool[node].cards.size(); ++card) {
    const FreeCard free = pool[node].cards[card];
    if (!free.usable || free.milli < shape.milli || free.mem_mib < mem_mib) continue;
    if (!free.touched && free.milli < kMilliPerCard) continue;  // held whole
    if (!tried.insert(free).second) continue;
    const Placement place{
        .cards = std::uint64_t{1} << card, .share = true, .milli = shape.milli, .card_mem_mib = mem_mib};
    if (go_on(worker, node, place)) return true;
  }
  return false;
}

bool Search::next(std::size_t worker) {
  if (worker == needs.size()) return true;
  const WorkerNeed& need = needs[worker];
  for (std::size_t node = 0; node < pool.size(); ++node) {
    if (--steps < 0) return false;
    const FreeNode& here = pool[node];
    const auto& models = need.models;
    if (need.only.valid() && need.only != here.spec.id) continue;
    if (!models.empty() && std::find(models.begin(), models.end(), here.spec.model) == models.end()) continue;
    if (need.shape.cpu_milli > here.cpu_milli || need.shape.ram_mib > here.ram_mib || !fits_spread(worker, node))
      continue;
    if (need.shape.share() ? try_share(worker, node) : try_whole(worker, node)) return true;
  }
  return false;
}

}  // namespace

FreePool empty_pool(const std::vector<NodeSpec>& nodes) {
  FreePool pool;
  for (const NodeSpec& spec : nodes) {
    FreeNode node{.spec = spec, .cards = {}, .cpu_milli = spec.cpu_milli, .ram_mib = spec.ram_mib};
    node.cards.assign(static_cast<std::size_t>(spec.cards), FreeCard{.mem_mib = spec.card_mem_mib});
    pool.push_back(std::move(node));
  }
  return pool;
}

void take(FreePool& pool, const Placement& place) {
  for (FreeNode& node : pool) {
    if (node.spec.id != place.node) continue;
    node.cpu_milli -= place.cpu_milli;
    node.ram_mib -= place.ram_mib;
    for (std::size_t card = 0; card < node.cards.size(); ++card) {
      if ((place.cards >> card & 1) == 0) continue;
      FreeCard& free = node.cards[card];
      free.touched = free.touched || place.share;
      free.milli -= place.share ? place.milli : kMilliPerCard;
      free.mem_mib -= place.share ? place.card_mem_mib : free.mem_mib;
    }
  }
}

std::optional<std::vector<Placement>> place_all(const FreePool& pool, const std::vector<WorkerNeed>& needs,
                                                const SpreadRule& rule, bool& gave_up) {
  Search search{.pool = pool, .needs = needs, .rule = rule, .places = {}};
  const bool found = search.next(0);
  gave_up = !found && search.steps < 0;
  if (!found) return std::nullopt;
  return std::move(search.places);
}

std::vector<WorkerNeed> needs_of(const JobSpec& job) {
  std::vector<WorkerNeed> needs;
  for (const WorkerGroup& group : job.roles) {
    for (std::int32_t i = 0; i < group.count; ++i) needs.push_back({.shape = group.shape, .models = job.models});
  }
  return needs;
}

}  // namespace weir::property
