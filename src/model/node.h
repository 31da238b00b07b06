// A node and its cards, as declared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace weir {

struct NodeSpec {
  NodeId id;
  std::string name;
  std::string model;                 // GPU model; empty = one unnamed model
  std::int32_t cards = 0;            // 0..kCardsPerNodeMax
  std::int64_t card_mem_mib = kUnlimited;  // usable MiB of each card
  std::int64_t cpu_milli = kUnlimited;
  std::int64_t ram_mib = kUnlimited;
  std::string group;                 // network group: gang_within group
  std::string rack;
  std::vector<std::uint8_t> islands;  // topology island of each card; empty = all in one
  bool operator==(const NodeSpec&) const = default;
};

}  // namespace weir
