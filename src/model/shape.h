// What one worker of a job, or one replica of a service, needs from one node,
// and the place it was given there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace weir {

// Exactly one of three kinds:
//   whole:    cards >= 1; milli == 0; card_mem_mib is the least memory each card must have
//   share:    cards == 0 and (milli > 0 or card_mem_mib > 0): a part of one card
//   cpu only: cards == 0, milli == 0, card_mem_mib == 0
struct Shape {
  std::int32_t cards = 0;
  std::int32_t milli = 0;             // share of one card, 1..999
  std::int64_t card_mem_mib = 0;      // share: memory held; whole: memory required per card
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;

  [[nodiscard]] bool whole() const { return cards > 0; }
  [[nodiscard]] bool share() const { return cards == 0 && (milli > 0 || card_mem_mib > 0); }
  auto operator<=>(const Shape&) const = default;
};

// The workers of one role. A plain gang has one group with an empty name.
struct WorkerGroup {
  std::string role;
  std::int32_t count = 1;
  Shape shape;
  bool operator==(const WorkerGroup&) const = default;
};

// Where one worker or replica sits. `cards` is a bit mask over the node's card
// indexes. Whole use has milli == 0; a share has one bit set and the milli and
// MiB it holds (a memory-only share holds 0 milli).
struct Placement {
  NodeId node;
  std::uint64_t cards = 0;
  bool share = false;
  std::int32_t milli = 0;
  std::int64_t card_mem_mib = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  bool operator==(const Placement&) const = default;
};

}  // namespace weir
