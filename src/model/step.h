// The result of one step, and what can be asked of the engine's state.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/change.h"
#include "model/decision.h"

namespace weir {

struct StepResult {
  std::vector<Decision> decisions;
  std::vector<Change> changes;
  TimeMs next_due_ms = kNever;  // step again no later than this
};

// Cards by state, over the whole pool, one model or one node. They add up to
// the cards ever declared (architecture.md, 6.2). A shared card counts as shared,
// whatever is free of it.
struct CardCount {
  std::int64_t free = 0;
  std::int64_t claimed = 0;      // free, but kept for a claim
  std::int64_t whole = 0;        // held whole by a run or replica (draining included)
  std::int64_t shared = 0;
  std::int64_t quarantined = 0;  // faulty, or held by a stale run on a silent node
  std::int64_t missing = 0;      // declared once, not reported now
  std::int64_t down = 0;         // on a node that is down
  [[nodiscard]] std::int64_t total() const {
    return free + claimed + whole + shared + quarantined + missing + down;
  }
  bool operator==(const CardCount&) const = default;
};

}  // namespace weir
