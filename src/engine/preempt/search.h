// The search for victims (engine.md 6.2, 6.3): which runs must leave so that a
// beneficiary fits, compared by tier, lateness, cost, surplus, number and age.
//
// Method: the lowest tier that is enough, then the earliest step of lateness that is
// enough, are found by asking how much would be free; among what may leave by then
// each worker is given the node that frees its cards at least cost (a knapsack over
// the cards of the node, exact in cards), and what became needless is trimmed.
#pragma once

#include <optional>
#include <vector>

#include "engine/preempt/leavers.h"

namespace weir::engine {

// What a search looked at; the cost of one that found nothing.
struct Looked {
  std::size_t leavers = 0;
};

struct Plan {
  std::vector<Placement> places;  // workers in order; services: one per replica had
  std::vector<Leaver> victims;    // runs and replicas to be asked
  std::vector<ClaimId> superseded;
  TimeMs due_ms = 0;
  bool rotation = false;
  bool move = false;  // made by defragmentation
  ClaimId parent;     // of the target of a move: the plan's claim
};

// Room for all workers of a variant. `barred`: models not to be used, by model.
[[nodiscard]] std::optional<Plan> search(Pool&, const Demand&, const Variant&, const Taker&,
                                         const std::vector<Index>& only_nodes, const std::vector<bool>& barred,
                                         Looked* looked = nullptr);
// Room for up to `count` of the fit's shape, each as soon as can be, from at most so
// many cards of training.
[[nodiscard]] std::optional<Plan> search_units(Pool&, Index fit, const Taker&, std::int64_t count,
                                               std::int64_t training_cards_max);
// Victims of the taker's own team that free so much of its cap, at least cost.
[[nodiscard]] bool add_quota_victims(Pool&, const Taker&, std::int64_t milli, Plan&);

}  // namespace weir::engine
