// Executors carry decisions out on something real or simulated and report what
// happened as events. They never call the engine.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"

namespace weir {

class Executor {
 public:
  virtual ~Executor() = default;

  // Carries out what it has not carried out yet (by decision id), in order.
  // Asynchronous: every effect comes back as an event, never as a return value.
  virtual void carry_out(std::span<const Decision> decisions, TimeMs now_ms) = 0;
};

}  // namespace weir
