// What a step changed, for the read model, metrics and the auditor. Changes say
// what became true; they never have to be carried out.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/claim.h"
#include "model/job.h"
#include "model/reason.h"
#include "model/service.h"

namespace weir::change {

struct JobStateSet { JobId job; JobState state = JobState::waiting; };
struct JobRejected { JobId job; std::string field; std::string message; };  // nothing of it is kept
struct TierSet { JobId job; std::string tier; bool promoted = false; bool aged = false; };

// A victim and the boundary it is expected to leave at.
struct ClaimVictim { RunId run; TimeMs boundary_ms = 0; TimeMs free_ms = 0; };
struct ClaimMade {
  ClaimId claim;
  ClaimFor beneficiary = ClaimFor::job;
  YieldCause cause = YieldCause::claim;
  JobId job;
  ServiceId service;
  std::vector<Placement> cards;            // what it will get
  std::vector<ClaimVictim> victims;        // runs asked to yield
  std::vector<ReplicaId> replicas;         // replicas asked to leave
  TimeMs due_ms = 0;
  TimeMs expires_ms = 0;
};
struct ClaimEnded { ClaimId claim; ClaimEnd how = ClaimEnd::started; };
// Part of a claim is given up: a victim that is needed no more, or cards.
struct VictimDropped {
  ClaimId claim;
  RunId run;                    // not valid: only cards
  std::vector<Placement> cards;
};

struct RunEnded { RunId run; JobId job; };           // its cards are free
struct ReplicaStateSet { ReplicaId replica; ServiceId service; ReplicaState state = ReplicaState::starting; };
struct TargetSet { ServiceId service; std::int32_t target = 0; std::int32_t guard = 0; };

enum class AlarmKind : std::uint8_t {
  guard_unplaceable,   // a fact made it so; the step claims what restores it, or says what prevents it
  cards_missing,
  node_lost,
  card_quarantined,
  starved,
  deadline_missed,
  run_held,            // two runs without progress
  unknown_run,         // an event names a run that is not known
  stale_need,
  yield_overdue,       // a victim did not leave by its claim's expiry
};
struct Alarm { AlarmKind kind = AlarmKind::guard_unplaceable; NodeId node; JobId job; ServiceId service; RunId run; };

using Body = std::variant<JobStateSet, JobRejected, TierSet, ClaimMade, ClaimEnded, VictimDropped, RunEnded,
                          ReplicaStateSet, TargetSet, Alarm>;

}  // namespace weir::change

namespace weir {
using Change = change::Body;
}
