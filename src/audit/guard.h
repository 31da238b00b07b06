// Can what inference is owed still be placed? (engine.md 4, Floor)
//
// The guard's missing shapes are placed on all healthy cards that neither
// training nor a guard replica holds. Three answers of rising cost, and only the
// last may say no:
//   1. by counts of nodes per number of such cards: no look at single nodes;
//   2. largest first, best fit, over the nodes themselves;
//   3. a search with a bound, because best fit is no proof that nothing fits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/ledger.h"
#include "model/model.h"

namespace weir::audit {

// So many replicas (or cards) of one shape that are owed and not running.
struct GuardNeed {
  Shape shape;
  std::vector<std::string> models;  // allowed; empty = any
  std::int64_t count = 0;
};

enum class Placeable : std::uint8_t { yes, no, unknown };

class GuardIndex {
 public:
  // Brings the counts up to date for nodes that changed.
  void refresh(const Ledger& ledger, const std::vector<NodeId>& touched);

  // `unknown` only when the bounded search gave up.
  [[nodiscard]] Placeable test(const Ledger& ledger, std::vector<GuardNeed> needs) const;

 private:
  static constexpr std::size_t kBuckets = kCardsPerNodeMax + 1;
  // Nodes alike in all that a need can ask for, but for CPU and memory.
  struct Class {
    std::string model;
    std::int64_t card_mem_mib = 0;
    bool limited = false;  // its CPU or memory is bounded
    std::array<std::int32_t, kBuckets> nodes_by_cards{};
  };
  struct Where {
    std::int32_t node_class = -1;
    std::int32_t cards = 0;
  };

  std::int32_t class_of(const NodeSpec& spec);
  // yes, no (only where counts are exact), or unknown.
  [[nodiscard]] Placeable by_counts(const std::vector<GuardNeed>& needs) const;

  std::vector<Class> classes_;
  std::unordered_map<std::uint32_t, Where> where_;
};

// 2 and 3, over the nodes: exposed for tests.
[[nodiscard]] bool best_fit_places(const Ledger& ledger, const std::vector<GuardNeed>& needs);
[[nodiscard]] Placeable search_places(const Ledger& ledger, const std::vector<GuardNeed>& needs);

}  // namespace weir::audit
