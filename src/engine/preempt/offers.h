// What it costs to seat one worker on a site, given who has been chosen to leave.
#pragma once

#include <vector>

#include "engine/preempt/sites.h"

namespace weir::engine {

// What a choice costs, smallest first (engine.md 6.3, from the third criterion on).
struct Price {
  GpuMs cost = 0;
  std::int64_t surplus = 0;
  std::int64_t runs = 0;
  TimeMs older = 0;  // minus the newest submission
  auto operator<=>(const Price&) const = default;
};
[[nodiscard]] Price operator+(const Price&, const Price&);

struct Offer {
  bool good = false;
  Price price;
  std::vector<std::uint32_t> leavers;  // to be chosen
  std::int32_t card = -1;              // shares
};

struct Seat {
  std::uint32_t site = 0;
  Shape shape;
  std::int32_t worker = 0;  // -1: set aside, its cards come free by themselves
  std::int32_t card = -1;   // shares
  Mask cards = 0;           // whole cards given when it was seated
};

// The scene with what has been chosen and seated so far.
class Board {
 public:
  Board(const Pool& pool, const Taker& taker, Scene scene);

  void reset();
  void set_limits(const Limits& limits) { limits_ = limits; }
  [[nodiscard]] Offer offer(std::uint32_t site, const Shape&) const;
  // Chooses the offer's leavers and seats the worker.
  void take(std::uint32_t site, const Offer&, const Shape&, std::int32_t worker);
  // Back to the leavers chosen before the latest seat.
  void undo(const std::vector<bool>& chosen_before);

  [[nodiscard]] bool leaves(std::uint32_t leaver, const Limits&) const;
  [[nodiscard]] bool must_ask(std::uint32_t leaver) const;
  [[nodiscard]] Price price_of_chosen() const;
  // An upper bound, quick: can so many workers be held once all within the limits have left?
  [[nodiscard]] bool could_hold(std::int64_t workers, const Shape&, const Limits&) const;
  // Workers of whole cards that the site holds once the chosen have left.
  [[nodiscard]] std::int64_t workers_held(std::uint32_t site, const Shape&, bool one_per_node) const;
  // Do the leavers still chosen carry what sits on the site?
  [[nodiscard]] bool holds(std::uint32_t site) const;
  // Cards of whole-card seats, by seat: free ones first, then freed ones.
  [[nodiscard]] std::vector<Mask> cards_of_seats() const;

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const Site& site(std::uint32_t s) const { return sites_[s]; }
  [[nodiscard]] std::size_t size() const { return sites_.size(); }
  [[nodiscard]] std::vector<Seat>& seats() { return seats_; }
  [[nodiscard]] std::vector<bool>& chosen() { return chosen_; }
  [[nodiscard]] const std::vector<bool>& asked() const { return asked_; }
  // Sites that changed since they were last looked at.
  std::vector<bool> stale;

 private:
  [[nodiscard]] bool all_leave(const Bundle&, const Limits&) const;
  [[nodiscard]] Mask freed_on(const Site&) const;
  [[nodiscard]] Mask cards_of_shares(std::uint32_t site) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> holds_here(const Site&, std::uint32_t leaver) const;
  [[nodiscard]] Price price_of(std::span<const std::uint32_t> leavers) const;
  [[nodiscard]] Offer offer_whole(const Site&, std::int32_t lack) const;
  [[nodiscard]] Offer offer_share(std::uint32_t site, const Shape&) const;
  [[nodiscard]] Offer offer_card(std::uint32_t site, int card, std::int64_t milli, std::int64_t mem) const;
  [[nodiscard]] Offer offer_whole_card(const Site&, Mask bit, Offer) const;
  [[nodiscard]] Offer remove_shares(Offer, std::vector<std::pair<Price, const Lease*>>, std::int64_t milli,
                                    std::int64_t mem) const;
  void make_room_beside(const Site&, const Shape&, Offer&) const;
  void choose(std::uint32_t leaver);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> beside_on(const Site&) const;
  void give_back(std::uint32_t leaver, Site&);
  [[nodiscard]] static Mask seat_cards(Site&, std::int32_t cards, Mask given);

  const Pool& pool_;
  const Taker& taker_;
  Scene scene_;
  std::vector<Site> sites_;
  Limits limits_;
  std::vector<Seat> seats_;
  std::vector<bool> chosen_, asked_;
};

}  // namespace weir::engine
