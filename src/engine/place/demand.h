// What a job needs, in the form that placing works on; shared by jobs alike.
#pragma once

#include "engine/state.h"

namespace weir::engine {

[[nodiscard]] Index demand_of(Pool&, const JobSpec&);
[[nodiscard]] Index contract_of(Pool&, const CheckpointContract&);

// Why no healthy pool as declared could ever hold the job; empty when it could.
struct Misfit {
  std::string field;
  std::string message;
};
[[nodiscard]] Misfit misfit_of(const Pool&, const JobSpec&);
// Could the pool as declared, all of it free, hold the demand at its smallest? Counts
// what each node could hold; errs on yes where roles stand in each other's way.
[[nodiscard]] bool possible(Pool&, Index demand);

}  // namespace weir::engine
