// Where the workers of a job go: all of them, or at least its least number, or
// nowhere. Nothing is changed by asking.
#pragma once

#include <optional>
#include <vector>

#include "engine/state.h"

namespace weir::engine {

// What narrows the choice for this job.
struct Where {
  std::vector<Index> only_nodes;    // checkpoints lie there; empty = any
  std::vector<bool> barred_models;  // by model: quota used up; empty = none
  const JobSpec* first = nullptr;   // its first_node or first_places are to be kept
  bool on_shared = false;           // shares only on cards that are shared already
  [[nodiscard]] bool free() const {
    return only_nodes.empty() && barred_models.empty() && first == nullptr && !on_shared;
  }
};

[[nodiscard]] Where where_of(const Pool&, const JobRec&, const Variant&);

// Places of the workers, roles in order; nothing when they do not fit now.
[[nodiscard]] std::optional<std::vector<Placement>> place(Pool&, const Demand&, const Variant&, const Where&);
[[nodiscard]] std::optional<Placement> place_replica(Pool&, const ServiceRec&);
// Its places on all nodes that it fits on, the best first; a share's on each card. Bounded.
[[nodiscard]] std::vector<Placement> places_of_replica(Pool&, const ServiceRec&);

// Speed that the work runs at on these places: shape x slowest model.
[[nodiscard]] std::int32_t speed_on(const Pool&, const Demand&, const Variant&, const std::vector<Placement>&);

}  // namespace weir::engine
