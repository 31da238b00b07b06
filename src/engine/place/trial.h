// Workers put on nodes one after another, kept until the trial is over so that they
// do not meet, and given up with it: nothing is changed by trying.
#pragma once

#include <vector>

#include "engine/state.h"

namespace weir::engine {

class Trial {
 public:
  // `on_shared`: on cards that are shared already, so that none is opened.
  Trial(Pool&, const Demand&, const Variant&, bool on_shared = false);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Each worker where it sits best, all over the pool; false when not enough are placed.
  bool fill();
  // On these nodes only, on cards out of `allowed`.
  bool fill(const std::vector<Index>& nodes, Mask allowed);
  // Workers of several shapes in each other's way: places tried in turn, within a
  // bound. Starts anew; false at once when the workers are alike, since filling is exact then.
  bool search(const std::vector<Index>& nodes, Mask allowed);
  bool put_at(std::size_t worker, const Placement&);

  [[nodiscard]] std::vector<Placement> result() const;

 private:
  [[nodiscard]] bool enough() const;
  [[nodiscard]] std::size_t worker_of(std::size_t group, std::int32_t i) const;
  void accept(std::size_t worker, const Placement&);
  void give_up(std::size_t worker);
  bool put(std::size_t group, std::int32_t i, Index at, Mask allowed);
  [[nodiscard]] bool used(Index at) const;
  [[nodiscard]] Mask cards_of(Index at, Mask allowed) const;
  Index best_of(const std::vector<Index>& nodes, std::size_t group, Mask allowed);
  // Worker `i` of the group that is number `turn` in `order`, on nodes from `from` on.
  bool search_from(const std::vector<Index>& nodes, Mask allowed, std::size_t turn, std::int32_t i, std::size_t from);

  Pool& pool_;
  const Demand& demand_;
  const Variant& variant_;
  bool on_shared_;
  std::vector<Placement> places_;
  std::vector<bool> placed_;
  std::int32_t count_ = 0;
  std::vector<std::size_t> order_;  // groups, the largest first
  std::int32_t steps_ = 0;          // left to the search
};

}  // namespace weir::engine
