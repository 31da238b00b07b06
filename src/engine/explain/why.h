// Reasons (engine.md 8), put together where it was decided that work has to wait.
#pragma once

#include "engine/state.h"

namespace weir::engine {

// What stood in the way when a class's first job was tried.
struct Obstacles {
  bool impossible = false;  // no pool as declared could hold it
  bool quota = false;
  bool paused = false;
  bool guard = false;
  bool pledge = false;
  bool frozen = false;  // it could have taken, had the pool not been frozen
  bool pinned = false;  // its checkpoint lies on a node without room
  JobId ahead;          // holds a reservation where this one could sit
  TimeMs ahead_until_ms = kNever;
  JobId reserved_for;  // free cards are kept for this job
  TimeMs reserved_until_ms = kNever;
};

[[nodiscard]] Reasons why(const Pool&, const JobRec&, const Variant&, const Obstacles&);

}  // namespace weir::engine
