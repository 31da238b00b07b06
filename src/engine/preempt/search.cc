#include "engine/preempt/search.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <tuple>

#include "engine/place/leases.h"
#include "engine/preempt/offers.h"

namespace weir::engine {

namespace {

constexpr std::size_t kLadderMax = 64;  // steps tried in one search

class Search {
 public:
  Search(Pool& pool, const Taker& taker, Scene scene)
      : pool_(pool), taker_(taker), board_(pool, taker, std::move(scene)) {
    for (std::uint32_t s = 0; s < board_.size(); ++s) domains_.insert(board_.site(s).domain);
    aside_.assign(board_.scene().leavers.size(), false);
  }

  // All workers of the variant in one domain; the cheapest domain wins.
  bool assign(const Variant& variant, const Demand& demand, const Limits& limits) {
    board_.set_limits(limits);
    std::optional<Price> best;
    Index best_domain = 0;
    for (const Index domain : domains_) {
      if (!assign_in(domain, variant, demand)) continue;
      if (domains_.size() == 1) return true;
      const Price price = board_.price_of_chosen();
      if (!best || price < *best) {
        best = price;
        best_domain = domain;
      }
    }
    return best && assign_in(best_domain, variant, demand);
  }

  // One more unit, by the order of plans.
  bool add_unit(const Shape& shape, std::int32_t worker) {
    for (const Limits& limits : ladder(1, shape)) {
      board_.set_limits(limits);
      offers_.assign(board_.size(), {});
      board_.stale.assign(board_.size(), true);
      if (seat_one(shape, worker, std::nullopt, false)) return true;
    }
    return false;
  }

  // Limits from the lowest tier and the earliest step at which so many workers
  // could be had at all; those that follow are later or higher.
  [[nodiscard]] std::vector<Limits> ladder(std::int64_t workers, const Shape& shape) const {
    std::vector<Rank> tiers;
    for (const Leaver& l : board_.scene().leavers) {
      if (l.may_take) tiers.push_back(l.tier);
    }
    if (tiers.empty()) tiers.push_back(kNoRank - 1);
    sort_unique(tiers);
    std::vector<Limits> out;
    std::vector<std::int64_t> steps;
    for (const Rank tier : tiers) {
      steps.assign(1, 0);
      for (const Leaver& l : board_.scene().leavers) {
        const std::int64_t step = lateness_of(pool_, taker_, l, tier);
        if (step != kNoLateness) steps.push_back(step);
      }
      sort_unique(steps);
      if (!board_.could_hold(workers, shape, {tier, steps.back()})) continue;
      auto low = std::lower_bound(steps.begin(), steps.end(), true, [&](std::int64_t step, bool) {
        return !board_.could_hold(workers, shape, {tier, step});
      });
      for (; low != steps.end(); ++low) out.push_back({tier, *low});
    }
    return out;
  }

  // Drops who is needed no more, the most expensive first.
  void trim() {
    const Scene& scene = board_.scene();
    const std::vector<std::uint32_t> asked = asked_by_cost();
    if (asked.size() < 2) return;
    for (const std::uint32_t l : asked) {
      board_.chosen()[l] = false;
      const auto sites = scene.sites_of(l);
      const bool needless = std::all_of(sites.begin(), sites.end(), [&](std::uint32_t s) { return board_.holds(s); });
      if (!needless) board_.chosen()[l] = true;
    }
  }

  // The same, where workers may sit elsewhere among the cards that come free anyway.
  // For workers alike, of whole cards: only how many each site holds matters then.
  void trim_by_moving(const Variant& variant, bool one_per_node) {
    const Scene& scene = board_.scene();
    const Shape& shape = variant.groups.front().shape;
    if (variant.workers < 2 || variant.groups.size() != 1 || !shape.whole()) return;
    const std::vector<std::uint32_t> asked = asked_by_cost();
    if (asked.size() < 2) return;
    const Index domain = board_.site(board_.seats().front().site).domain;
    std::vector<std::int64_t> room(board_.size(), 0);
    const auto room_of = [&](std::uint32_t s) {
      return board_.site(s).domain == domain ? board_.workers_held(s, shape, one_per_node) : 0;
    };
    std::int64_t spare = -variant.workers;
    for (std::uint32_t s = 0; s < room.size(); ++s) spare += room[s] = room_of(s);
    bool dropped = false;
    for (const std::uint32_t l : asked) {
      if (spare <= 0) break;
      board_.chosen()[l] = false;
      std::int64_t loss = 0;
      for (const std::uint32_t s : scene.sites_of(l)) loss += room[s] - room_of(s);
      if (loss > spare) {
        board_.chosen()[l] = true;
        continue;
      }
      spare -= loss;
      dropped = true;
      for (const std::uint32_t s : scene.sites_of(l)) room[s] = room_of(s);
    }
    if (dropped) move_seats(room);
  }

  Plan plan() {
    Plan plan;
    plan.due_ms = pool_.now_ms;
    place_seats(plan);
    count_in_whom_seats_need();
    const Scene& scene = board_.scene();
    for (std::uint32_t l = 0; l < scene.leavers.size(); ++l) {
      if (!board_.chosen()[l] || aside_[l]) continue;
      const Leaver& leaver = scene.leavers[l];
      const bool asked = board_.asked()[l];
      const TimeMs gone = asked ? leaver.free_ms : leaver.natural_ms;
      if (gone < kNever) plan.due_ms = std::max(plan.due_ms, gone);
      if (leaver.kind == LeaverKind::claim) {
        plan.superseded.emplace_back(leaver.id);
      } else if (asked) {
        plan.victims.push_back(leaver);
        plan.rotation = plan.rotation || leaver.cause == YieldCause::rotation;
      }
    }
    return plan;
  }

  [[nodiscard]] std::int64_t asked_training_cards() {
    std::int64_t cards = 0;
    const Scene& scene = board_.scene();
    for (std::uint32_t l = 0; l < scene.leavers.size(); ++l) {
      if (board_.chosen()[l] && board_.asked()[l] && scene.leavers[l].training) cards += scene.leavers[l].cards;
    }
    return cards;
  }

  [[nodiscard]] std::size_t leavers() const { return board_.scene().leavers.size(); }
  [[nodiscard]] std::vector<bool> chosen() { return board_.chosen(); }
  void undo(const std::vector<bool>& before) { board_.undo(before); }

  // Did the latest seat make anybody leave who would not have?
  [[nodiscard]] bool latest_is_asked(const std::vector<bool>& before) {
    for (std::uint32_t l = 0; l < before.size(); ++l) {
      if (board_.chosen()[l] && !before[l] && board_.asked()[l]) return true;
    }
    return false;
  }
  // The latest seat stays taken, and is no part of the plan.
  void set_aside(const std::vector<bool>& before) {
    board_.seats().back().worker = -1;
    for (std::uint32_t l = 0; l < before.size(); ++l) {
      if (board_.chosen()[l] && !before[l]) aside_[l] = true;
    }
  }

 private:
  template <class T>
  static void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  // A seat of the plan may stand on what a leaver of one set aside has left over.
  void count_in_whom_seats_need() {
    const Scene& scene = board_.scene();
    const std::vector<Mask> cards = board_.cards_of_seats();
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (board_.seats()[i].worker < 0) continue;
      for (const Bundle& bundle : scene.bundles_of(scene.sites[board_.seats()[i].site])) {
        if ((bundle.cards & cards[i]) == 0) continue;
        for (const std::uint32_t l : scene.leavers_of(bundle)) aside_[l] = false;
      }
    }
  }

  // Who is asked to leave, the most expensive first.
  [[nodiscard]] std::vector<std::uint32_t> asked_by_cost() {
    const Scene& scene = board_.scene();
    std::vector<std::uint32_t> asked;
    for (std::uint32_t l = 0; l < scene.leavers.size(); ++l) {
      if (board_.chosen()[l] && board_.asked()[l]) asked.push_back(l);
    }
    std::stable_sort(asked.begin(), asked.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return scene.leavers[a].cost > scene.leavers[b].cost; });
    return asked;
  }

  // Seats that their site holds no more go to the first that has room.
  void move_seats(std::vector<std::int64_t> room) {
    std::vector<Seat*> homeless;
    for (Seat& seat : board_.seats()) {
      room[seat.site] > 0 ? static_cast<void>(--room[seat.site]) : homeless.push_back(&seat);
    }
    std::uint32_t s = 0;
    for (Seat* seat : homeless) {
      while (room[s] == 0) ++s;
      seat->site = s;
      seat->cards = 0;
      --room[s];
    }
  }

  bool assign_in(Index domain, const Variant& variant, const Demand& demand) {
    board_.reset();
    for (std::size_t g = 0; g < variant.groups.size(); ++g) {
      offers_.assign(board_.size(), {});
      board_.stale.assign(board_.size(), true);
      for (std::int32_t i = 0; i < variant.groups[g].count; ++i) {
        if (!seat_one(variant.groups[g].shape, variant.first_worker[g] + i, domain, demand.one_per_node)) return false;
      }
    }
    return true;
  }

  bool seat_one(const Shape& shape, std::int32_t worker, std::optional<Index> domain, bool one_per_node) {
    std::uint32_t best = kNoIndex;
    for (std::uint32_t s = 0; s < board_.size(); ++s) {
      const Site& site = board_.site(s);
      if ((domain && site.domain != *domain) || (one_per_node && site.workers > 0)) continue;
      if (board_.stale[s]) {
        offers_[s] = board_.offer(s, shape);
        board_.stale[s] = false;
      }
      if (offers_[s].good && (best == kNoIndex || offers_[s].price < offers_[best].price)) best = s;
    }
    if (best == kNoIndex) return false;
    const Offer offer = std::move(offers_[best]);
    board_.take(best, offer, shape, worker);
    return true;
  }

  void place_seats(Plan& plan) {
    const std::vector<Mask> cards = board_.cards_of_seats();
    std::int32_t workers = 0;
    for (const Seat& seat : board_.seats()) workers = std::max(workers, seat.worker + 1);
    plan.places.resize(static_cast<std::size_t>(workers));
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const Seat& seat = board_.seats()[i];
      if (seat.worker < 0) continue;
      const Node& node = pool_.nodes[board_.site(seat.site).node];
      Placement place{
          .node = node.spec.id, .cards = cards[i], .cpu_milli = seat.shape.cpu_milli, .ram_mib = seat.shape.ram_mib};
      if (seat.shape.share()) {
        place.share = true;
        place.milli = seat.shape.milli;
        place.card_mem_mib = seat.shape.card_mem_mib > 0
                                 ? seat.shape.card_mem_mib
                                 : std::max<std::int64_t>(1, node.spec.card_mem_mib * seat.shape.milli / kMilliPerCard);
      }
      plan.places[static_cast<std::size_t>(seat.worker)] = place;
    }
  }

  Pool& pool_;
  const Taker& taker_;
  Board board_;
  std::set<Index> domains_;
  std::vector<Offer> offers_;
  std::vector<bool> aside_;
};

}  // namespace

std::optional<Plan> search(Pool& pool, const Demand& demand, const Variant& variant, const Taker& taker,
                           const std::vector<Index>& only_nodes, const std::vector<bool>& barred, Looked* looked) {
  const FitEntry& entry = refreshed(pool, variant.fits.front());
  Search search(pool, taker, scene_of(pool, taker, &demand, entry, variant.workers, only_nodes, barred));
  if (looked != nullptr) looked->leavers = search.leavers();
  const Shape& largest = variant.groups.front().shape;
  const std::vector<Limits> ladder = search.ladder(variant.groups.front().count, largest);
  for (std::size_t i = 0; i < ladder.size() && i < kLadderMax; ++i) {
    if (!search.assign(variant, demand, ladder[i])) continue;
    search.trim();
    search.trim_by_moving(variant, demand.one_per_node);
    return search.plan();
  }
  return std::nullopt;
}

std::optional<Plan> search_units(Pool& pool, Index fit, const Taker& taker, std::int64_t count,
                                 std::int64_t training_cards_max) {
  const FitEntry& entry = refreshed(pool, fit);
  const Shape shape = entry.shape;
  Search search(pool, taker, scene_of(pool, taker, nullptr, entry, count, {}, {}));
  std::int32_t had = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<bool> before = search.chosen();
    if (!search.add_unit(shape, had)) break;
    if (search.asked_training_cards() > training_cards_max) {
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
    const bool in = std::any_of(plan.victims.begin(), plan.victims.end(),
                                [&, run = id](const Leaver& v) { return v.kind == LeaverKind::run && v.id == run; });
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
