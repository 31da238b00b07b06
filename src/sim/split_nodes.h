// Free cards of the training nodes of a split, found by room.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace weir {

struct NodeShare {
  std::size_t node = 0;
  std::int32_t cards = 0;
};

class SplitNodes {
 public:
  explicit SplitNodes(std::vector<std::int32_t> cards_of_node);

  // Whether the empty pool could hold so many cards.
  [[nodiscard]] bool could_hold(std::int32_t cards) const;
  // Takes a place for a job: best fit inside a node, whole nodes plus a rest above.
  [[nodiscard]] std::optional<std::vector<NodeShare>> take(std::int32_t cards);
  void give_back(const std::vector<NodeShare>& shares);

  [[nodiscard]] std::int64_t free_cards() const { return free_total_; }

 private:
  [[nodiscard]] std::optional<std::size_t> best_fit(std::int32_t cards, const std::vector<NodeShare>& but) const;
  void set_free(std::size_t node, std::int32_t free);

  std::vector<std::int32_t> size_;
  std::vector<std::int32_t> free_;
  std::int32_t largest_ = 0;
  std::int64_t free_total_ = 0;
  std::vector<std::set<std::size_t>> with_free_;  // nodes by free cards
};

}  // namespace weir
