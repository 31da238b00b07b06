// Decisions are data: what an executor is to carry out. The engine never waits
// for one; its effect comes back as an event.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/claim.h"
#include "model/job.h"
#include "model/shape.h"

namespace weir::decision {

struct StartRun {
  RunId run;
  JobId job;
  std::int32_t incarnation = 1;       // number that every message of the run carries
  std::vector<Placement> places;      // one per worker, roles in order
  DurationMs resume_progress_ms = 0;  // newest verified checkpoint; 0 at a first start
  std::int32_t speed_milli = 1000;    // shape speed x model speed
  bool loan = false;                  // on cards reserved or claimed for others until loan_due_ms
  TimeMs loan_due_ms = kNever;
  ClaimId claim;                      // the claim this start ends, if any
};

struct AskYield {
  RunId run;
  ClaimId claim;                      // none for limit, drain, loan
  YieldCause cause = YieldCause::claim;
  TimeMs not_before_ms = 0;           // the first boundary at or after this
  bool on_demand = false;             // save now, if the run can
};

struct WithdrawYield { RunId run; };

enum class StopCause : std::uint8_t { cancel, limit, member_lost, superseded, emergency, operator_request };
struct StopRun { RunId run; StopCause cause = StopCause::cancel; };

struct StartReplica {
  ReplicaId replica;
  ServiceId service;
  Placement place;
  std::int32_t version = 1;
  ClaimId claim;
};

enum class DrainCause : std::uint8_t { load_fell, taken, update, drain, stopped, move, card_lost };
struct StopReplica { ReplicaId replica; DrainCause cause = DrainCause::load_fell; ClaimId claim; };

using Body = std::variant<StartRun, AskYield, WithdrawYield, StopRun, StartReplica, StopReplica>;

}  // namespace weir::decision

namespace weir {

// Ids grow by one and are never used twice: an executor that is told the same
// decision again does nothing.
struct Decision {
  std::uint64_t id = 0;
  decision::Body body;
};

}  // namespace weir
