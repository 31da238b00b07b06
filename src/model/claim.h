// A claim: a beneficiary, the cards it will get, the runs that yield for it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/shape.h"

namespace weir {

enum class YieldCause : std::uint8_t {
  claim,     // taken by higher work, or by a team within its entitlement
  rotation,  // among equals
  move,      // defragmentation
  loan,      // a loan called back
  limit,     // its own limit
  drain,     // its node is being emptied
};

enum class ClaimEnd : std::uint8_t { open, started, withdrawn, superseded, expired };

// What the beneficiary is.
enum class ClaimFor : std::uint8_t { job, service, guard_floor };

}  // namespace weir
