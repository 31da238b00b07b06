// Who holds what of a node, and what is kept for whom. Every change of what is
// free of a node goes through here, so that counts and indexes stay true.
#pragma once

#include <vector>

#include "engine/state.h"

namespace weir::engine {

// A holder takes a place, gives one worker's place back, or all of them.
void occupy(Pool&, bool replica, std::uint32_t holder, std::int32_t worker, const Placement&);
void vacate(Pool&, bool replica, std::uint32_t holder, const Placement&, std::int32_t worker);

// Keeps a place for a claim or reservation, whether it is free yet or not.
void keep(Pool&, const Placement&);
void unkeep(Pool&, const Placement&);

// A node's availability, faults or reported cards have changed.
void node_changed(Pool&, Node&);
// Takes a node out of the counts before it is declared anew.
void uncount(Pool&, Node&);
// It is declared with another model: what its holders hold is of that one now.
void change_model(Pool&, Node&, Index model);
// A holder changed what it is (a replica became one of the guard's, a run stale).
void holder_changed(Pool&, const std::vector<Placement>&);

[[nodiscard]] CardCount count_cards(const Pool&, const Node&);
// Cards that neither training nor a guard replica holds, on a node that takes work.
[[nodiscard]] Mask open_for_guard(const Pool&, const Node&);
// Milli-GPU that a place stands for in quotas: a memory-only share counts its milli, 0.
[[nodiscard]] std::int64_t milli_of(const Placement&);
[[nodiscard]] std::int64_t milli_of(const Shape&);

// What a placement holds, as others see it: would it fit on the node as it is?
[[nodiscard]] bool fits_now(const Node&, const Placement&);
// The same for the owner of `kept` there: that which is kept for it counts as free.
[[nodiscard]] bool free_of_holders(const Node&, const Placement&);

}  // namespace weir::engine
