#include "engine/preempt/offers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "engine/place/leases.h"

namespace weir::engine {

namespace {

void add_once(std::vector<std::uint32_t>& list, std::uint32_t l) {
  if (std::find(list.begin(), list.end(), l) == list.end()) list.push_back(l);
}

std::int64_t memory_of(const Shape& shape, const Node& node) {
  if (shape.card_mem_mib > 0) return shape.card_mem_mib;
  return std::max<std::int64_t>(1, node.spec.card_mem_mib * shape.milli / kMilliPerCard);
}

}  // namespace

Price operator+(const Price& a, const Price& b) {
  return {a.cost + b.cost, a.surplus + b.surplus, a.runs + b.runs, std::min(a.older, b.older)};
}

Board::Board(const Pool& pool, const Taker& taker, Scene scene)
    : pool_(pool), taker_(taker), scene_(std::move(scene)), sites_(scene_.sites) {
  reset();
}

void Board::reset() {
  chosen_.assign(scene_.leavers.size(), false);
  asked_.assign(scene_.leavers.size(), false);
  sites_ = scene_.sites;
  seats_.clear();
  stale.assign(sites_.size(), true);
}

// --- who leaves ---

bool Board::leaves(std::uint32_t l, const Limits& limits) const {
  bool asked = false;
  return chosen_[l] || gone_at(pool_, taker_, scene_.leavers[l], limits, asked) < kNever;
}

bool Board::all_leave(const Bundle& bundle, const Limits& limits) const {
  const auto list = scene_.leavers_of(bundle);
  return std::all_of(list.begin(), list.end(), [&](std::uint32_t l) { return leaves(l, limits); });
}

bool Board::must_ask(std::uint32_t l) const {
  if (chosen_[l]) return asked_[l];  // as it was when it was chosen
  bool asked = false;
  (void)gone_at(pool_, taker_, scene_.leavers[l], limits_, asked);
  return asked;
}

Mask Board::freed_on(const Site& site) const {
  Mask freed = 0;
  for (const Bundle& bundle : scene_.bundles_of(site)) {
    const auto list = scene_.leavers_of(bundle);
    if (std::all_of(list.begin(), list.end(), [&](std::uint32_t l) { return bool{chosen_[l]}; })) freed |= bundle.cards;
  }
  return freed;
}

// CPU and memory that a leaver gives back on this node.
std::pair<std::int64_t, std::int64_t> Board::holds_here(const Site& site, std::uint32_t l) const {
  const Leaver& leaver = scene_.leavers[l];
  std::pair<std::int64_t, std::int64_t> sum{0, 0};
  if (leaver.kind == LeaverKind::claim) return sum;
  for (const Lease& lease : pool_.nodes[site.node].leases) {
    if (lease.holder != leaver.id || lease.replica != (leaver.kind == LeaverKind::replica)) continue;
    sum.first += lease.place.cpu_milli;
    sum.second += lease.place.ram_mib;
  }
  return sum;
}

void Board::give_back(std::uint32_t l, Site& site) {
  const auto [cpu, ram] = holds_here(site, l);
  site.cpu_left += cpu;
  site.ram_left += ram;
}

void Board::choose(std::uint32_t l) {
  if (chosen_[l]) return;
  asked_[l] = must_ask(l);
  chosen_[l] = true;
  for (const std::uint32_t s : scene_.sites_of(l)) {
    Site& site = sites_[s];
    give_back(l, site);
    site.freed = freed_on(site) & ~site.used;
    stale[s] = true;
  }
}

// --- seats ---

// `given`: these, as before; 0: free ones first, then freed ones.
Mask Board::seat_cards(Site& site, std::int32_t cards, Mask given) {
  ++site.workers;
  Mask seat = given;
  for (std::int32_t i = 0; given == 0 && i < cards; ++i) {
    const Mask left = ~seat;
    const Mask from = (site.free & left) != 0 ? site.free & left : site.freed & left;
    seat |= from & (~from + 1);
  }
  site.free &= ~seat;
  site.freed &= ~seat;
  site.used |= seat;
  return seat;
}

void Board::take(std::uint32_t s, const Offer& offer, const Shape& shape, std::int32_t worker) {
  for (const std::uint32_t l : offer.leavers) choose(l);
  Site& site = sites_[s];
  site.cpu_left -= shape.cpu_milli;
  site.ram_left -= shape.ram_mib;
  const Mask cards = seat_cards(site, shape.cards, 0);
  seats_.push_back({s, shape, worker, offer.card, cards});
  stale[s] = true;
}

void Board::undo(const std::vector<bool>& chosen_before) {
  seats_.pop_back();
  chosen_ = chosen_before;
  sites_ = scene_.sites;
  for (std::uint32_t l = 0; l < chosen_.size(); ++l) {
    if (!chosen_[l]) continue;
    for (const std::uint32_t s : scene_.sites_of(l)) give_back(l, sites_[s]);
  }
  for (Site& site : sites_) site.freed = freed_on(site);
  for (const Seat& seat : seats_) {
    sites_[seat.site].cpu_left -= seat.shape.cpu_milli;
    sites_[seat.site].ram_left -= seat.shape.ram_mib;
    (void)seat_cards(sites_[seat.site], seat.shape.cards, seat.cards);
  }
  stale.assign(sites_.size(), true);
}

bool Board::could_hold(std::int64_t workers, const Shape& shape, const Limits& limits) const {
  std::map<Index, std::int64_t> room;
  for (const Site& site : sites_) {
    Mask cards = site.free;
    bool any_share = site.parts;
    for (const Bundle& bundle : scene_.bundles_of(site)) {
      if (!all_leave(bundle, limits)) continue;
      cards |= bundle.cards;
      any_share = true;
    }
    cards &= ~site.used;
    std::int64_t here = shape.whole() ? std::popcount(cards) / shape.cards : std::popcount(cards) * 64;
    if (shape.share() && any_share) here += 64;
    if (!shape.whole() && !shape.share()) here = 64;
    std::int64_t& sum = room[site.domain];
    sum += here;
    if (sum >= workers) return true;
  }
  return workers == 0;
}

std::int64_t Board::workers_held(std::uint32_t s, const Shape& shape, bool one_per_node) const {
  const Site& first = scene_.sites[s];
  std::int64_t held = std::popcount(first.free | freed_on(first)) / shape.cards;
  if (one_per_node) held = std::min<std::int64_t>(held, 1);
  if (held == 0 || (shape.cpu_milli == 0 && shape.ram_mib == 0)) return held;
  const auto [cpu, ram] = beside_on(first);
  if (shape.cpu_milli > 0) held = std::min(held, cpu / shape.cpu_milli);
  if (shape.ram_mib > 0) held = std::min(held, ram / shape.ram_mib);
  return std::max<std::int64_t>(0, held);
}

// CPU and memory of a site that nobody sits on, once the chosen have left.
std::pair<std::int64_t, std::int64_t> Board::beside_on(const Site& site) const {
  std::int64_t cpu = site.cpu_left;
  std::int64_t ram = site.ram_left;
  std::vector<std::uint32_t> counted;
  for (const Bundle& bundle : scene_.bundles_of(site)) {
    for (const std::uint32_t l : scene_.leavers_of(bundle)) {
      if (!chosen_[l] || std::find(counted.begin(), counted.end(), l) != counted.end()) continue;
      counted.push_back(l);
      const auto [c, r] = holds_here(site, l);
      cpu += c;
      ram += r;
    }
  }
  return {cpu, ram};
}

bool Board::holds(std::uint32_t s) const {
  const Site& first = scene_.sites[s];
  std::int64_t cards = 0;
  std::int64_t cpu = first.cpu_left;  // less what sits there
  std::int64_t ram = first.ram_left;
  for (const Seat& seat : seats_) {
    if (seat.site != s) continue;
    if (seat.card >= 0) return false;
    cards += seat.shape.cards;
    cpu -= seat.shape.cpu_milli;
    ram -= seat.shape.ram_mib;
  }
  Mask freed = first.free;
  for (const Bundle& bundle : scene_.bundles_of(first)) {
    const auto list = scene_.leavers_of(bundle);
    if (std::all_of(list.begin(), list.end(), [&](std::uint32_t l) { return bool{chosen_[l]}; })) freed |= bundle.cards;
  }
  if (cards > std::popcount(freed)) return false;
  if (cpu >= 0 && ram >= 0) return true;
  const auto [cpu_held, ram_held] = beside_on(first);
  return cpu_held - (first.cpu_left - cpu) >= 0 && ram_held - (first.ram_left - ram) >= 0;
}

// Cards that seats of shares stand on.
Mask Board::cards_of_shares(std::uint32_t s) const {
  Mask cards = 0;
  for (const Seat& seat : seats_) {
    if (seat.site == s && seat.card >= 0) cards |= Mask{1} << seat.card;
  }
  return cards;
}

std::vector<Mask> Board::cards_of_seats() const {
  // What was trimmed may have taken cards away: those seats choose anew among the rest.
  std::map<std::uint32_t, std::pair<Mask, Mask>> left;
  std::vector<Mask> out;
  for (const Seat& seat : seats_) {
    const Site& first = scene_.sites[seat.site];
    const auto [it, fresh] = left.try_emplace(seat.site, first.free, freed_on(first));
    auto& [free, freed] = it->second;
    if (fresh) {
      const Mask in_parts = cards_of_shares(seat.site);
      free &= ~in_parts;
      freed &= ~in_parts;
    }
    const bool stands = (seat.cards & ~(free | freed)) == 0;
    out.push_back(stands ? seat.cards : 0);
    free &= ~out.back();
    freed &= ~out.back();
  }
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    const Seat& seat = seats_[i];
    if (seat.card >= 0) out[i] = Mask{1} << seat.card;
    if (seat.card >= 0 || out[i] != 0) continue;
    auto& [free, freed] = left.at(seat.site);
    for (std::int32_t c = 0; c < seat.shape.cards; ++c) {
      const Mask from = free != 0 ? free : freed;
      const Mask bit = from & (~from + 1);
      out[i] |= bit;
      free &= ~bit;
      freed &= ~bit;
    }
  }
  return out;
}

// --- prices ---

Price Board::price_of(std::span<const std::uint32_t> leavers) const {
  Price price;
  for (const std::uint32_t l : leavers) {
    if (chosen_[l] || !must_ask(l)) continue;
    price = price + Price{scene_.leavers[l].cost, 0, 1, -scene_.leavers[l].submitted_ms};
  }
  return price;
}

Price Board::price_of_chosen() const {
  Price price;
  for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
    if (chosen_[l] && asked_[l]) price = price + Price{scene_.leavers[l].cost, 0, 1, -scene_.leavers[l].submitted_ms};
  }
  return price;
}

Offer Board::offer(std::uint32_t s, const Shape& shape) const {
  if (shape.share()) return offer_share(s, shape);
  const Site& site = sites_[s];
  Offer out;
  if (shape.whole()) {
    out = offer_whole(site, shape.cards - std::popcount(site.free | site.freed));
  } else {
    out.good = true;
  }
  if (out.good) make_room_beside(site, shape, out);
  return out;
}

// The knapsack: which bundles free `lack` more cards.
Offer Board::offer_whole(const Site& site, std::int32_t lack) const {
  struct Cell {
    bool reached = false;
    Price price;
    Mask bundles = 0;
  };
  Offer out;
  if (lack <= 0) {
    out.good = true;
    return out;
  }
  std::array<Cell, kCardsPerNodeMax + 1> cells{};
  cells[0].reached = true;
  std::int32_t reach = 0;
  const auto bundles = scene_.bundles_of(site);
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    const std::int32_t cards = std::popcount(bundles[b].cards & ~site.freed & ~site.used);
    if (cards == 0 || !all_leave(bundles[b], limits_)) continue;
    const Price price = price_of(scene_.leavers_of(bundles[b]));
    for (std::int32_t j = reach; j >= 0; --j) {
      const Cell& from = cells[static_cast<std::size_t>(j)];
      if (!from.reached) continue;
      Cell& to = cells[static_cast<std::size_t>(j + cards)];
      const Price sum = from.price + price;
      if (!to.reached || sum < to.price) to = {true, sum, from.bundles | Mask{1} << b};
    }
    reach += cards;
  }
  std::int32_t best = -1;
  for (std::int32_t j = lack; j <= reach; ++j) {
    Cell& cell = cells[static_cast<std::size_t>(j)];
    if (!cell.reached) continue;
    cell.price.surplus = cell.price.runs > 0 ? j - lack : 0;
    if (best < 0 || cell.price < cells[static_cast<std::size_t>(best)].price) best = j;
  }
  if (best < 0) return out;
  const Cell& cell = cells[static_cast<std::size_t>(best)];
  out.good = true;
  out.price = cell.price;
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    if ((cell.bundles >> b & 1U) == 0) continue;
    for (const std::uint32_t l : scene_.leavers_of(bundles[b])) add_once(out.leavers, l);
  }
  return out;
}

// CPU and memory of the node: more leave, cheapest first, until there is enough.
void Board::make_room_beside(const Site& site, const Shape& shape, Offer& out) const {
  std::int64_t cpu = site.cpu_left - shape.cpu_milli;
  std::int64_t ram = site.ram_left - shape.ram_mib;
  if (cpu >= 0 && ram >= 0) return;
  for (const std::uint32_t l : out.leavers) {
    if (chosen_[l]) continue;
    const auto [c, r] = holds_here(site, l);
    cpu += c;
    ram += r;
  }
  while (cpu < 0 || ram < 0) {
    std::uint32_t best = kNoIndex;
    Price best_price;
    for (const Bundle& bundle : scene_.bundles_of(site)) {
      for (const std::uint32_t l : scene_.leavers_of(bundle)) {
        if (chosen_[l] || std::find(out.leavers.begin(), out.leavers.end(), l) != out.leavers.end()) continue;
        const auto [c, r] = holds_here(site, l);
        if (!leaves(l, limits_) || (cpu < 0 && c <= 0) || (cpu >= 0 && r <= 0)) continue;
        const Price price = price_of({&l, 1});
        if (best == kNoIndex || price < best_price) {
          best = l;
          best_price = price;
        }
      }
    }
    if (best == kNoIndex) {
      out.good = false;
      return;
    }
    const auto [c, r] = holds_here(site, best);
    cpu += c;
    ram += r;
    out.leavers.push_back(best);
    out.price = out.price + best_price;
  }
}

// --- shares ---

// Per card the fewest and cheapest that make room on it.
Offer Board::offer_share(std::uint32_t s, const Shape& shape) const {
  const Site& site = sites_[s];
  const Node& node = pool_.nodes[site.node];
  Offer best;
  for (Mask left = node.healthy() & site.allowed & ~site.used; left != 0; left &= left - 1) {
    Offer here = offer_card(s, std::countr_zero(left), shape.milli, memory_of(shape, node));
    if (here.good) make_room_beside(site, shape, here);
    if (here.good && (!best.good || here.price < best.price)) best = std::move(here);
  }
  return best;
}

Offer Board::offer_card(std::uint32_t s, int card, std::int64_t milli, std::int64_t mem) const {
  const Site& site = sites_[s];
  const Node& node = pool_.nodes[site.node];
  const Mask bit = Mask{1} << card;
  const Card& c = node.cards[static_cast<std::size_t>(card)];
  Offer out;
  out.card = card;
  std::int64_t milli_left = kMilliPerCard - c.kept_milli - milli;
  std::int64_t mem_left = node.spec.card_mem_mib - c.kept_mem_mib - mem;
  for (const Seat& seat : seats_) {
    if (seat.card != card || seat.site != s) continue;
    milli_left -= seat.shape.milli;
    mem_left -= memory_of(seat.shape, node);
  }
  const bool free = (node.free_whole() & bit) != 0;
  if (free && taker_.no_free) return {};
  if ((node.whole & bit) != 0 || (node.kept & bit) != 0) {
    if (milli_left < 0 || mem_left < 0) return {};
    return offer_whole_card(site, bit, std::move(out));
  }
  std::vector<std::pair<Price, const Lease*>> shares;
  for (const Lease& lease : node.leases) {
    if ((lease.place.cards & bit) == 0) continue;
    milli_left -= lease.place.milli;
    mem_left -= lease.place.card_mem_mib;
    const std::uint32_t l = leaver_at(pool_, lease);
    if (l == kNoIndex || !leaves(l, limits_)) continue;
    shares.emplace_back(price_of({&l, 1}), &lease);
  }
  return remove_shares(std::move(out), std::move(shares), milli_left, mem_left);
}

Offer Board::offer_whole_card(const Site& site, Mask bit, Offer out) const {
  for (const Bundle& bundle : scene_.bundles_of(site)) {
    if ((bundle.cards & bit) == 0) continue;
    if (!all_leave(bundle, limits_)) return {};
    const auto list = scene_.leavers_of(bundle);
    out.good = true;
    out.leavers.assign(list.begin(), list.end());
    out.price = price_of(list);
    out.price.surplus = std::popcount(bundle.cards) - 1;
    return out;
  }
  return {};
}

// The one share that is enough and cheapest; else the cheapest until it is enough.
Offer Board::remove_shares(Offer out, std::vector<std::pair<Price, const Lease*>> shares, std::int64_t milli,
                           std::int64_t mem) const {
  out.good = milli >= 0 && mem >= 0;
  if (out.good) return out;
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto one = std::find_if(shares.begin(), shares.end(), [&](const auto& s) {
    return milli + s.second->place.milli >= 0 && mem + s.second->place.card_mem_mib >= 0;
  });
  if (one != shares.end()) {
    out.leavers.push_back(leaver_at(pool_, *one->second));
  } else {
    for (const auto& [price, lease] : shares) {
      if (milli >= 0 && mem >= 0) break;
      add_once(out.leavers, leaver_at(pool_, *lease));
      milli += lease->place.milli;
      mem += lease->place.card_mem_mib;
    }
    if (milli < 0 || mem < 0) return {};
  }
  out.good = true;
  out.price = price_of(out.leavers);
  return out;
}

}  // namespace weir::engine
