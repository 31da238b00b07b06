// Placement by brute force on pools small enough for it: what the engine's
// answers are measured against. Written from engine.md alone; nothing shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace weir::property {

// What is free on one node.
struct FreeCard {
  std::int32_t milli = kMilliPerCard;
  std::int64_t mem_mib = 0;
  bool touched = false;  // a share stands on it: it cannot be had whole
  bool usable = true;
  auto operator<=>(const FreeCard&) const = default;
};
struct FreeNode {
  NodeSpec spec;
  std::vector<FreeCard> cards;
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
};
using FreePool = std::vector<FreeNode>;

[[nodiscard]] FreePool empty_pool(const std::vector<NodeSpec>& nodes);
void take(FreePool& pool, const Placement& place);

// One worker to be placed.
struct WorkerNeed {
  Shape shape;
  std::vector<std::string> models;  // empty = any
  bool in_gang = true;              // the spread rule binds it
  NodeId only;                      // this node and no other
};

// Rules over the workers of one gang.
struct SpreadRule {
  bool one_per_node = false;
  GangScope within = GangScope::any;
};

// A place for each need, in order, all at once; nothing when there is none. Tries
// everything: needs small pools. `gave_up` is set when the bound was reached.
[[nodiscard]] std::optional<std::vector<Placement>> place_all(const FreePool& pool,
                                                              const std::vector<WorkerNeed>& needs,
                                                              const SpreadRule& rule, bool& gave_up);

// The needs of a rigid job's gang.
[[nodiscard]] std::vector<WorkerNeed> needs_of(const JobSpec& job);

}  // namespace weir::property
