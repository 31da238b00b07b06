// Who could make room for a beneficiary, when and at what price (engine.md 3 "Who
// may take", 6.2, 6.3).
#pragma once

#include <optional>
#include <vector>

#include "engine/state.h"

namespace weir::engine {

// The one that cards are sought for.
struct Taker {
  Rank rank = 0;
  Index team = 0;
  JobId job;
  ServiceId service;
  std::int64_t milli = 0;       // that it will hold
  bool within_own = false;      // its team stays within its entitlement after the start
  std::int32_t level = 1;       // 0: first hour first
  bool rotates = false;         // may take from equals by rotation
  std::int64_t gang_cards = 0;  // > 0: a gang that has waited long enough to take from equals
  bool from_inference = false;  // aged and no larger than the floor: replicas above their guard
  bool own_team_only = false;   // its team's cap has to be freed first
  bool promised = false;        // a reservation: nobody is asked, ends count as promised
  bool no_free = false;         // free cards are owed to the guard
  bool spare_lent = false;      // what can be had back within lead_time is owed to the buffer
  TimeMs need_by_ms = 0;
};

[[nodiscard]] Taker taker_of(Pool&, const JobRec&, const Variant&);
[[nodiscard]] Taker taker_of(const Pool&, const ServiceRec&, Rank rank);

enum class LeaverKind : std::uint8_t { run, replica, claim };

// A run, a replica, or the claim of somebody lower that keeps free cards.
struct Leaver {
  LeaverKind kind = LeaverKind::run;
  std::uint32_t id = 0;
  TimeMs natural_ms = kNever;  // leaves by itself, or was asked by somebody else
  bool may_take = false;
  Rank tier = 0;                // that taking it touches
  TimeMs boundary_ms = kNever;  // first one it can be had at
  TimeMs free_ms = kNever;
  GpuMs cost = 0;
  TimeMs submitted_ms = 0;
  YieldCause cause = YieldCause::claim;
  Index team = 0;
  std::int64_t milli = 0;
  std::int64_t cards = 0;
  bool training = false;
  bool over_entitlement = false;  // taken because its team holds more than it is entitled to
};

[[nodiscard]] Leaver leaver_of(const Pool&, const Taker&, const RunRec&);
[[nodiscard]] Leaver leaver_of(const Pool&, const Taker&, const ReplicaRec&);

// Enters a run into the pool's indexes of those that could be asked to yield, and
// takes it out: asked, stopping, superseded or gone.
void list_run(Pool&, RunRec&);
void unlist_run(Pool&, RunRec&);
void set_rank(Pool&, RunRec&, Rank);

// Is there anybody at all that it could take from now? Quick, may err on yes.
[[nodiscard]] bool anybody_for(const Pool&, const Taker&);
// When somebody among its equals becomes ripe for rotation; kNever = nobody will.
[[nodiscard]] TimeMs ripe_from(const Pool&, const RunRec&, bool gang);

}  // namespace weir::engine
