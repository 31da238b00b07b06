#include "sim/split_nodes.h"

#include <algorithm>

namespace weir {

SplitNodes::SplitNodes(std::vector<std::int32_t> cards_of_node) : size_(std::move(cards_of_node)), free_(size_) {
  for (const std::int32_t size : size_) largest_ = std::max(largest_, size);
  with_free_.resize(static_cast<std::size_t>(largest_) + 1);
  for (std::size_t i = 0; i < size_.size(); ++i) {
    with_free_[static_cast<std::size_t>(size_[i])].insert(i);
    free_total_ += size_[i];
  }
}

bool SplitNodes::could_hold(std::int32_t cards) const { return SplitNodes(size_).take(cards).has_value(); }

std::optional<std::size_t> SplitNodes::best_fit(std::int32_t cards, const std::vector<NodeShare>& but) const {
  for (auto room = static_cast<std::size_t>(cards); room < with_free_.size(); ++room) {
    for (const std::size_t node : with_free_[room]) {
      const bool taken =
          std::any_of(but.begin(), but.end(), [&](const NodeShare& share) { return share.node == node; });
      if (!taken) return node;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<NodeShare>> SplitNodes::take(std::int32_t cards) {
  if (cards > free_total_) return std::nullopt;
  std::vector<NodeShare> shares;
  std::int32_t left = cards;
  if (cards > largest_) {
    const auto whole = static_cast<std::size_t>(largest_);
    for (const std::size_t node : with_free_[whole]) {
      if (left < largest_) break;
      if (size_[node] != largest_) continue;
      shares.push_back({node, largest_});
      left -= largest_;
    }
    if (left >= largest_) return std::nullopt;
  }
  if (left > 0) {
    const auto node = best_fit(left, shares);
    if (!node) return std::nullopt;
    shares.push_back({*node, left});
  }
  for (const NodeShare& share : shares) set_free(share.node, free_[share.node] - share.cards);
  return shares;
}

void SplitNodes::give_back(const std::vector<NodeShare>& shares) {
  for (const NodeShare& share : shares) set_free(share.node, free_[share.node] + share.cards);
}

void SplitNodes::set_free(std::size_t node, std::int32_t free) {
  with_free_[static_cast<std::size_t>(free_[node])].erase(node);
  free_total_ += free - free_[node];
  free_[node] = free;
  with_free_[static_cast<std::size_t>(free)].insert(node);
}

}  // namespace weir
