// What inference is owed (engine.md 4): the guard's floor, which no start may make
// unplaceable, and the pledge behind the buffer.
#pragma once

#include <vector>

#include "engine/guard/rooms.h"
#include "engine/state.h"

namespace weir::engine {

// Owed and not running: missing guard replicas, and what is left of the pool's guard beside them.
[[nodiscard]] std::vector<GuardNeed> guard_needs(const Pool&);
// How many of those could not be placed if these cards were held by training as
// well, and those were free of it.
[[nodiscard]] std::int64_t guard_shortfall(const Pool&, const std::vector<Placement>& taken,
                                           const std::vector<Placement>& freed);
// Would the rest of the guard be placeable as before, with one more replica of the
// service there? Large pools are not asked.
[[nodiscard]] bool guard_has_room_beside(const Pool&, ServiceId, const Placement&);
// May training start there? `freed`: cards of training that leaves for it.
[[nodiscard]] bool guard_allows(const Pool&, const std::vector<Placement>& places, const std::vector<Placement>& freed);
[[nodiscard]] std::int64_t guard_cards_owed(const Pool&);

// What a start, and those who leave for it, change of the cards that a buffer is had from.
struct CardChange {
  std::int64_t free = 0;
  std::int64_t lent = 0;  // held by training that gives them back within lead_time
};
// The pledge: afterwards, and after all claims of jobs, the buffer can be had within
// lead_time; or it can be had no worse than before.
[[nodiscard]] bool pledge_allows(const Pool&, const CardChange&);
// Are these cards had back within lead_time once training holds them?
[[nodiscard]] bool lendable(const Pool&, const CheckpointContract&, std::int32_t speed_milli);

}  // namespace weir::engine
