// Weir itself on a workload: the production engine on a virtual clock, with the
// simulated executor and the auditor.
#pragma once

#include <functional>

#include "sim/outcome.h"
#include "sim/workload.h"

namespace weir {

struct WeirOptions {
  bool audit = true;
  bool series = true;                           // what only charts need: fragments, sampled once a grid step
  std::function<void(TimeMs now_ms)> progress;  // called as simulated time goes by; may be empty
};

// What the auditor found is in `violations`; a clean run has none.
[[nodiscard]] PolicyRun run_weir(const Workload& workload, const WeirOptions& options);

}  // namespace weir
