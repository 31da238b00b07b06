#include "engine/preempt/search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <tuple>

#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"
#include "engine/preempt/sites.h"

namespace weir::engine {

namespace {

// What a choice costs, smallest first (engine.md 6.3, from the third criterion on).
struct Price {
  GpuMs cost = 0;
  std::int64_t surplus = 0;
  std::int64_t runs = 0;
  TimeMs older = 0;  // minus the newest submission
  auto operator<=>(const Price&) const = default;
};

Price operator+(const Price& a, const Price& b) {
  return {a.cost + b.cost, a.surplus + b.surplus, a.runs + b.runs, std::min(a.older, b.older)};
}

struct Offer {
  bool good = false;
  Price price;
  std::vector<std::uint32_t> leavers;  // to be chosen
  std::int32_t card = -1;              // shares
};

struct Seat {
  std::uint32_t site = 0;
  Shape shape;
  std::int32_t worker = 0;
  std::int32_t card = -1;
};

class Search {
 public:
  Search(Pool& pool, const Taker& taker, Scene scene)
      : pool_(pool), taker_(taker), scene_(std::move(scene)), original_(scene_.sites) {}

  // All workers of the variant in one domain; the cheapest domain wins.
  bool assign(const Variant& variant, const Demand& demand, const Limits& limits) {
    limits_ = limits;
    std::set<Index> domains;
    for (const Site& site : scene_.sites) domains.insert(site.domain);
    std::optional<Price> best;
    Index best_domain = 0;
    for (const Index domain : domains) {
      if (!assign_in(domain, variant, demand)) continue;
      if (domains.size() == 1) return true;
      const Price price = price_of_chosen();
      if (!best || price < *best) {
        best = price;
        best_domain = domain;
      }
    }
    return best && assign_in(best_domain, variant, demand);
  }

  // One more replica, by the order of plans.
  bool add_replica(const Shape& shape, std::int32_t worker) {
    for (const Limits& limits : ladder(1, shape)) {
      limits_ = limits;
      if (seat_one(shape, worker, std::nullopt, false)) return true;
    }
    return false;
  }

  // Limits from the lowest tier and the earliest step at which so many workers
  // could be had at all; those that follow are later or higher.
  std::vector<Limits> ladder(std::int64_t workers, const Shape& shape) const {
    std::set<Rank> tiers;
    for (const Leaver& l : scene_.leavers) {
      if (l.may_take) tiers.insert(l.tier);
    }
    if (tiers.empty()) tiers.insert(kNoRank - 1);
    std::vector<Limits> out;
    for (const Rank tier : tiers) {
      std::set<std::int64_t> steps{0};
      for (const Leaver& l : scene_.leavers) {
        const std::int64_t step = lateness_of(pool_, taker_, l, tier);
        if (step != kNoLateness) steps.insert(step);
      }
      const std::vector<std::int64_t> sorted(steps.begin(), steps.end());
      if (!could_hold(workers, shape, {tier, sorted.back()})) continue;
      auto low = std::lower_bound(sorted.begin(), sorted.end(), true, [&](std::int64_t step, bool) {
        return !could_hold(workers, shape, {tier, step});
      });
      for (; low != sorted.end(); ++low) out.push_back({tier, *low});
    }
    return out;
  }

  void trim() {
    std::vector<std::uint32_t> asked;
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (scene_.chosen[l] && must_ask(l)) asked.push_back(l);
    }
    std::stable_sort(asked.begin(), asked.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scene_.leavers[a].cost > scene_.leavers[b].cost;
    });
    for (const std::uint32_t l : asked) {
      scene_.chosen[l] = false;
      const auto& sites = scene_.sites_of[l];
      const bool needless = std::all_of(sites.begin(), sites.end(), [&](std::uint32_t s) { return holds(s); });
      if (!needless) scene_.chosen[l] = true;
    }
  }

  Plan plan() {
    Plan plan;
    plan.due_ms = pool_.now_ms;
    settle_seats(plan);
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (!scene_.chosen[l] || aside_[l]) continue;
      const Leaver& leaver = scene_.leavers[l];
      const TimeMs gone = asked_[l] ? leaver.free_ms : leaver.natural_ms;
      if (gone < kNever) plan.due_ms = std::max(plan.due_ms, gone);
      if (leaver.kind == LeaverKind::claim) {
        plan.superseded.emplace_back(leaver.id);
      } else if (asked_[l]) {
        plan.victims.push_back(leaver);
        plan.rotation = plan.rotation || leaver.cause == YieldCause::rotation;
      }
    }
    return plan;
  }

  [[nodiscard]] std::int64_t chosen_training_cards() const {
    std::int64_t cards = 0;
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (scene_.chosen[l] && scene_.leavers[l].training && must_ask(l)) cards += scene_.leavers[l].cards;
    }
    return cards;
  }

  // Undoes the latest seat and what only it needed.
  void undo(const std::vector<bool>& chosen) {
    scene_.chosen = chosen;
    const std::uint32_t site = seats_.back().site;
    seats_.pop_back();
    scene_.sites[site] = original_[site];
    refresh_site(site);
  }
  [[nodiscard]] std::vector<bool> chosen() const { return scene_.chosen; }

  // Did the latest seat make anybody leave who would not have?
  [[nodiscard]] bool latest_is_asked(const std::vector<bool>& before) const {
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (scene_.chosen[l] && !before[l] && asked_[l]) return true;
    }
    return false;
  }
  // The latest seat stays taken, and is no part of the plan.
  void set_aside(const std::vector<bool>& before) {
    seats_.back().worker = -1;
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (scene_.chosen[l] && !before[l]) aside_[l] = true;
    }
  }

 private:
  [[nodiscard]] bool must_ask(std::uint32_t l) const {
    if (scene_.chosen[l]) return asked_[l];  // as it was when it was chosen
    bool asked = false;
    (void)gone_at(pool_, taker_, scene_.leavers[l], limits_, asked);
    return asked;
  }

  [[nodiscard]] bool leaves(std::uint32_t l, const Limits& limits) const {
    bool asked = false;
    return gone_at(pool_, taker_, scene_.leavers[l], limits, asked) < kNever;
  }

  // An upper bound, quick: workers that fit once all within the limits have left.
  [[nodiscard]] bool could_hold(std::int64_t workers, const Shape& shape, const Limits& limits) const {
    std::map<Index, std::int64_t> room;
    for (const Site& site : scene_.sites) {
      Mask cards = site.free;
      bool any_share = (site.parts & site.allowed) != 0;
      for (const Bundle& bundle : site.bundles) {
        const bool all = std::all_of(bundle.leavers.begin(), bundle.leavers.end(),
                                     [&](std::uint32_t l) { return scene_.chosen[l] || leaves(l, limits); });
        if (all) cards |= bundle.cards;
        any_share = any_share || all;
      }
      cards &= ~used_[site_index(site)];
      std::int64_t here = shape.whole() ? std::popcount(cards) / shape.cards : std::popcount(cards) * 64;
      if (shape.share() && any_share) here += 64;
      if (!shape.whole() && !shape.share()) here = 64;
      room[site.domain] += here;
      if (room[site.domain] >= workers) return true;
    }
    return workers == 0;
  }

  [[nodiscard]] std::size_t site_index(const Site& site) const {
    return static_cast<std::size_t>(&site - scene_.sites.data());
  }

  bool assign_in(Index domain, const Variant& variant, const Demand& demand) {
    reset();
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      offers_.assign(scene_.sites.size(), {});
      fresh_.assign(scene_.sites.size(), false);
      for (std::int32_t i = 0; i < variant.groups[g].count; ++i) {
        if (!seat_one(variant.groups[g].shape, variant.first_worker[g] + i, domain, demand.one_per_node)) return false;
      }
    }
    return true;
  }

  void reset() {
    scene_.chosen.assign(scene_.leavers.size(), false);
    scene_.sites = original_;
    used_.assign(scene_.sites.size(), 0);
    seats_.clear();
  }

  bool seat_one(const Shape& shape, std::int32_t worker, std::optional<Index> domain, bool one_per_node) {
    if (!domain) {
      offers_.assign(scene_.sites.size(), {});
      fresh_.assign(scene_.sites.size(), false);
    }
    std::size_t best = scene_.sites.size();
    for (std::size_t s = 0; s < scene_.sites.size(); ++s) {
      const Site& site = scene_.sites[s];
      if ((domain && site.domain != *domain) || (one_per_node && site.workers > 0)) continue;
      if (!fresh_[s]) {
        offers_[s] = offer(site, shape);
        fresh_[s] = true;
      }
      if (offers_[s].good && (best == scene_.sites.size() || offers_[s].price < offers_[best].price)) best = s;
    }
    if (best == scene_.sites.size()) return false;
    take(best, shape, worker);
    return true;
  }

  void take(std::size_t at, const Shape& shape, std::int32_t worker) {
    const Offer chosen = offers_[at];
    for (const std::uint32_t l : chosen.leavers) choose(l);
    Site& site = scene_.sites[at];
    seats_.push_back({static_cast<std::uint32_t>(at), shape, worker, chosen.card});
    ++site.workers;
    site.cpu_left -= shape.cpu_milli;
    site.ram_left -= shape.ram_mib;
    for (std::int32_t i = 0; i < shape.cards; ++i) {
      const Mask from = site.free != 0 ? site.free : site.freed;
      const Mask bit = from & (~from + 1);
      site.free &= ~bit;
      site.freed &= ~bit;
      used_[at] |= bit;
    }
    fresh_[at] = false;
  }

  void choose(std::uint32_t l) {
    if (scene_.chosen[l]) return;
    asked_[l] = must_ask(l);
    scene_.chosen[l] = true;
    for (const std::uint32_t s : scene_.sites_of[l]) {
      Site& site = scene_.sites[s];
      const auto [cpu, ram] = holds_here(site, l);
      site.cpu_left += cpu;
      site.ram_left += ram;
      site.freed = freed_on(site) & ~used_[s];
      fresh_[s] = false;
    }
  }

  void refresh_site(std::uint32_t s) {
    Site& site = scene_.sites[s];
    used_[s] = 0;
    site.freed = freed_on(site);
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      const auto& sites = scene_.sites_of[l];
      if (!scene_.chosen[l] || std::find(sites.begin(), sites.end(), s) == sites.end()) continue;
      const auto [cpu, ram] = holds_here(site, l);
      site.cpu_left += cpu;
      site.ram_left += ram;
    }
    for (const Seat& seat : seats_) {
      if (seat.site != s) continue;
      ++site.workers;
      for (std::int32_t i = 0; i < seat.shape.cards; ++i) {
        const Mask from = site.free != 0 ? site.free : site.freed;
        const Mask bit = from & (~from + 1);
        site.free &= ~bit;
        site.freed &= ~bit;
        used_[s] |= bit;
      }
    }
  }

  [[nodiscard]] Mask freed_on(const Site& site) const {
    Mask freed = 0;
    for (const Bundle& bundle : site.bundles) {
      const bool all = std::all_of(bundle.leavers.begin(), bundle.leavers.end(),
                                   [&](std::uint32_t l) { return bool{scene_.chosen[l]}; });
      if (all) freed |= bundle.cards;
    }
    return freed;
  }

  // CPU and memory that a leaver gives back on this node.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> holds_here(const Site& site, std::uint32_t l) const {
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

  [[nodiscard]] Price price_of(const std::vector<std::uint32_t>& leavers) const {
    Price price;
    for (const std::uint32_t l : leavers) {
      if (scene_.chosen[l] || !must_ask(l)) continue;
      price = price + Price{scene_.leavers[l].cost, 0, 1, -scene_.leavers[l].submitted_ms};
    }
    return price;
  }

  [[nodiscard]] Price price_of_chosen() const {
    Price price;
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      if (scene_.chosen[l] && must_ask(l)) {
        price = price + Price{scene_.leavers[l].cost, 0, 1, -scene_.leavers[l].submitted_ms};
      }
    }
    return price;
  }

  [[nodiscard]] Offer offer(const Site& site, const Shape& shape) const {
    if (shape.share()) return offer_share(site, shape);
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
  [[nodiscard]] Offer offer_whole(const Site& site, std::int32_t lack) const {
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
    const Mask used = used_[site_index(site)];
    for (std::size_t b = 0; b < site.bundles.size() && b < 64; ++b) {
      const Bundle& bundle = site.bundles[b];
      const std::int32_t cards = std::popcount(bundle.cards & ~site.freed & ~used);
      const bool can = cards > 0 && std::all_of(bundle.leavers.begin(), bundle.leavers.end(), [&](std::uint32_t l) {
                         return scene_.chosen[l] || leaves(l, limits_);
                       });
      if (!can) continue;
      const Price price = price_of(bundle.leavers);
      for (std::int32_t j = reach; j >= 0; --j) {
        if (!cells[static_cast<std::size_t>(j)].reached) continue;
        Cell& to = cells[static_cast<std::size_t>(j + cards)];
        const Cell& from = cells[static_cast<std::size_t>(j)];
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
    for (std::size_t b = 0; b < site.bundles.size(); ++b) {
      if ((cell.bundles >> b & 1U) == 0) continue;
      for (const std::uint32_t l : site.bundles[b].leavers) add_once(out.leavers, l);
    }
    return out;
  }

  static void add_once(std::vector<std::uint32_t>& list, std::uint32_t l) {
    if (std::find(list.begin(), list.end(), l) == list.end()) list.push_back(l);
  }

  // CPU and memory of the node: more leave, cheapest first, until there is enough.
  void make_room_beside(const Site& site, const Shape& shape, Offer& out) const {
    std::int64_t cpu = site.cpu_left - shape.cpu_milli;
    std::int64_t ram = site.ram_left - shape.ram_mib;
    for (const std::uint32_t l : out.leavers) {
      if (scene_.chosen[l]) continue;
      const auto [c, r] = holds_here(site, l);
      cpu += c;
      ram += r;
    }
    while (cpu < 0 || ram < 0) {
      std::uint32_t best = kNoIndex;
      Price best_price;
      for (const Bundle& bundle : site.bundles) {
        for (const std::uint32_t l : bundle.leavers) {
          const bool in = scene_.chosen[l] || std::find(out.leavers.begin(), out.leavers.end(), l) != out.leavers.end();
          const auto [c, r] = holds_here(site, l);
          if (in || !leaves(l, limits_) || (cpu < 0 && c <= 0) || (cpu >= 0 && r <= 0)) continue;
          const Price price = price_of({l});
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

  // A share: per card the fewest and cheapest that make room on it.
  [[nodiscard]] Offer offer_share(const Site& site, const Shape& shape) const {
    const Node& node = pool_.nodes[site.node];
    const std::int64_t mem = shape.card_mem_mib > 0
                                 ? shape.card_mem_mib
                                 : std::max<std::int64_t>(1, node.spec.card_mem_mib * shape.milli / kMilliPerCard);
    Offer best;
    for (Mask left = node.healthy() & site.allowed; left != 0; left &= left - 1) {
      const int card = std::countr_zero(left);
      Offer here = offer_card(site, card, shape.milli, mem);
      if (here.good) make_room_beside(site, shape, here);
      if (here.good && (!best.good || here.price < best.price)) best = here;
    }
    return best;
  }

  [[nodiscard]] Offer offer_card(const Site& site, int card, std::int64_t milli, std::int64_t mem) const {
    const Node& node = pool_.nodes[site.node];
    const Mask bit = Mask{1} << card;
    const Card& c = node.cards[static_cast<std::size_t>(card)];
    Offer out;
    out.card = card;
    std::int64_t milli_left = kMilliPerCard - c.kept_milli - milli;
    std::int64_t mem_left = node.spec.card_mem_mib - c.kept_mem_mib - mem;
    for (const Seat& seat : seats_) {
      if (seat.card != card || seat.site != site_index(site)) continue;
      milli_left -= seat.shape.milli;
      mem_left -= mem;
    }
    const bool of_bundle = std::any_of(site.bundles.begin(), site.bundles.end(),
                                       [&](const Bundle& b) { return (b.cards & bit) != 0; });
    if ((node.kept & bit) != 0 && !of_bundle) return {};
    if ((node.whole & bit) != 0 || (node.kept & bit) != 0) {
      if (milli_left < 0 || mem_left < 0) return {};
      return offer_whole_card(site, bit, out);
    }
    std::vector<std::pair<Price, const Lease*>> shares;
    for (const Lease& lease : node.leases) {
      if ((lease.place.cards & bit) == 0) continue;
      milli_left -= lease.place.milli;
      mem_left -= lease.place.card_mem_mib;
      const auto kind = static_cast<int>(lease.replica ? LeaverKind::replica : LeaverKind::run);
      const auto found = scene_.index.find({kind, lease.holder});
      if (found == scene_.index.end() || (!scene_.chosen[found->second] && !leaves(found->second, limits_))) continue;
      shares.emplace_back(price_of({found->second}), &lease);
    }
    return remove_shares(std::move(out), std::move(shares), milli_left, mem_left);
  }

  [[nodiscard]] Offer offer_whole_card(const Site& site, Mask bit, Offer out) const {
    for (const Bundle& bundle : site.bundles) {
      if ((bundle.cards & bit) == 0) continue;
      const bool can = std::all_of(bundle.leavers.begin(), bundle.leavers.end(), [&](std::uint32_t l) {
        return scene_.chosen[l] || leaves(l, limits_);
      });
      if (!can) return {};
      out.good = true;
      out.leavers = bundle.leavers;
      out.price = price_of(bundle.leavers);
      out.price.surplus = std::popcount(bundle.cards) - 1;
      return out;
    }
    return {};
  }

  // The one share that is enough and cheapest; else the cheapest until it is enough.
  [[nodiscard]] Offer remove_shares(Offer out, std::vector<std::pair<Price, const Lease*>> shares, std::int64_t milli,
                                    std::int64_t mem) const {
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto index = [&](const Lease* lease) {
      const auto kind = static_cast<int>(lease->replica ? LeaverKind::replica : LeaverKind::run);
      return scene_.index.find({kind, lease->holder})->second;
    };
    std::vector<const Lease*> gone;
    const auto one = std::find_if(shares.begin(), shares.end(), [&](const auto& s) {
      return milli + s.second->place.milli >= 0 && mem + s.second->place.card_mem_mib >= 0;
    });
    if (milli < 0 || mem < 0) {
      if (one != shares.end()) {
        gone.push_back(one->second);
      } else {
        for (const auto& [price, lease] : shares) {
          if (milli >= 0 && mem >= 0) break;
          gone.push_back(lease);
          milli += lease->place.milli;
          mem += lease->place.card_mem_mib;
        }
        if (milli < 0 || mem < 0) return {};
      }
    }
    out.good = true;
    for (const Lease* lease : gone) add_once(out.leavers, index(lease));
    out.price = price_of(out.leavers);
    return out;
  }

  // Do the cards that stay chosen still carry what sits on the site?
  [[nodiscard]] bool holds(std::uint32_t s) const {
    std::int64_t cards = 0;
    std::int64_t cpu = original_[s].cpu_left;
    std::int64_t ram = original_[s].ram_left;
    for (const Seat& seat : seats_) {
      if (seat.site != s) continue;
      if (seat.card >= 0) return false;
      cards += seat.shape.cards;
      cpu -= seat.shape.cpu_milli;
      ram -= seat.shape.ram_mib;
    }
    for (std::uint32_t l = 0; l < scene_.leavers.size(); ++l) {
      const auto& sites = scene_.sites_of[l];
      if (!scene_.chosen[l] || std::find(sites.begin(), sites.end(), s) == sites.end()) continue;
      const auto [c, r] = holds_here(original_[s], l);
      cpu += c;
      ram += r;
    }
    return cpu >= 0 && ram >= 0 && cards <= std::popcount(original_[s].free | freed_on(original_[s]));
  }

  // Cards for every seat: free ones first, then freed ones.
  void settle_seats(Plan& plan) {
    std::int32_t workers = 0;
    for (const Seat& seat : seats_) workers = std::max(workers, seat.worker + 1);
    plan.places.resize(static_cast<std::size_t>(workers));
    std::map<std::uint32_t, std::pair<Mask, Mask>> left;
    for (const Seat& seat : seats_) {
      const Site& site = original_[seat.site];
      const Node& node = pool_.nodes[site.node];
      auto [it, fresh] = left.try_emplace(seat.site, site.free, freed_on(site));
      auto& [free, freed] = it->second;
      Placement place{.node = node.spec.id, .cpu_milli = seat.shape.cpu_milli, .ram_mib = seat.shape.ram_mib};
      for (std::int32_t i = 0; i < seat.shape.cards; ++i) {
        const Mask from = free != 0 ? free : freed;
        const Mask bit = from & (~from + 1);
        place.cards |= bit;
        free &= ~bit;
        freed &= ~bit;
      }
      if (seat.shape.share()) {
        place.cards = Mask{1} << seat.card;
        place.share = true;
        place.milli = seat.shape.milli;
        place.card_mem_mib = seat.shape.card_mem_mib > 0
                                 ? seat.shape.card_mem_mib
                                 : std::max<std::int64_t>(1, node.spec.card_mem_mib * seat.shape.milli / kMilliPerCard);
      }
      if (seat.worker >= 0) plan.places[static_cast<std::size_t>(seat.worker)] = place;
    }
  }

  Pool& pool_;
  const Taker& taker_;
  Scene scene_;
  std::vector<Site> original_;
  Limits limits_;
  std::vector<Mask> used_ = std::vector<Mask>(scene_.sites.size(), 0);
  std::vector<Seat> seats_;
  std::vector<Offer> offers_;
  std::vector<bool> fresh_;
  std::vector<bool> aside_ = std::vector<bool>(scene_.leavers.size(), false);
  std::vector<bool> asked_ = std::vector<bool>(scene_.leavers.size(), false);
};

constexpr std::size_t kLadderMax = 64;  // steps tried in one search

}  // namespace

std::optional<Plan> search(Pool& pool, const Demand& demand, const Variant& variant, const Taker& taker,
                           const std::vector<Index>& only_nodes, const std::vector<bool>& barred) {
  const FitEntry& entry = refreshed(pool, variant.fits.front());
  Search search(pool, taker, scene_of(pool, taker, &demand, entry, only_nodes, barred));
  const Shape& largest = variant.groups.front().shape;
  const std::vector<Limits> ladder = search.ladder(variant.groups.front().count, largest);
  for (std::size_t i = 0; i < ladder.size() && i < kLadderMax; ++i) {
    if (!search.assign(variant, demand, ladder[i])) continue;
    search.trim();
    return search.plan();
  }
  return std::nullopt;
}

std::optional<Plan> search_units(Pool& pool, Index fit, const Taker& taker, std::int64_t count,
                                 std::int64_t training_cards_max) {
  const FitEntry& entry = refreshed(pool, fit);
  const Shape shape = entry.shape;
  Search search(pool, taker, scene_of(pool, taker, nullptr, entry, {}, {}));
  std::int32_t had = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<bool> before = search.chosen();
    if (!search.add_replica(shape, had)) break;
    if (search.chosen_training_cards() > training_cards_max) {
      search.undo(before);
      break;
    }
    // What comes free by itself is taken when it does; nobody needs to be asked for it.
    search.latest_is_asked(before) ? static_cast<void>(++had) : search.set_aside(before);
  }
  if (had == 0) return std::nullopt;
  return search.plan();
}

bool add_quota_victims(Pool& pool, const Taker& taker, std::int64_t milli, Plan& plan) {
  std::int64_t freed = 0;
  for (const Leaver& victim : plan.victims) {
    if (victim.team == taker.team) freed += victim.milli;
  }
  Taker own = taker;
  own.own_team_only = true;
  std::vector<Leaver> more;
  for (const auto& [rank, id] : pool.preemptible) {
    if (rank > taker.rank) break;
    const bool in = std::any_of(plan.victims.begin(), plan.victims.end(), [&, run = id](const Leaver& v) {
      return v.kind == LeaverKind::run && v.id == run;
    });
    Leaver leaver = leaver_of(pool, own, pool.runs.at(id));
    if (!in && leaver.may_take) more.push_back(leaver);
  }
  std::stable_sort(more.begin(), more.end(), [](const Leaver& a, const Leaver& b) {
    return std::tuple(a.tier, a.cost, -a.submitted_ms) < std::tuple(b.tier, b.cost, -b.submitted_ms);
  });
  for (const Leaver& leaver : more) {
    if (freed >= milli) break;
    freed += leaver.milli;
    plan.victims.push_back(leaver);
    plan.due_ms = std::max(plan.due_ms, leaver.free_ms);
    plan.rotation = plan.rotation || leaver.cause == YieldCause::rotation;
  }
  return freed >= milli;
}

}  // namespace weir::engine
