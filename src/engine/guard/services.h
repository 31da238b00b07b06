// Inference: targets from need, replicas started, drained and replaced.
#pragma once

#include "engine/state.h"

namespace weir::engine {

// Which of a service's replicas are the guard's: the oldest live ones.
void level_guard(Pool&, ServiceRec&);
// Target from guard, need, plans and requests; says so when it changed.
void refresh_target(Pool&, ServiceRec&);
// Lets go what is more than the load of the hold-down asked for, and old versions.
void release_replicas(Pool&, ServiceRec&);
// Starts what is missing on free cards and on claimed ones that have come free;
// asks for the rest. `guard_only`: only the replicas that the guard is short of.
void serve(Pool&, ServiceRec&, bool guard_only);
// Cards for the part of the pool's guard that belongs to no service.
void restore_floor(Pool&);

// Make before break: one is started there, and this one goes when it is ready.
void move_replica(Pool&, ReplicaId, const Placement& target);

// A replica counts as live no more.
void leave_live(Pool&, ServiceRec&, ReplicaRec&);
void drain_replica(Pool&, ReplicaId, decision::DrainCause, ClaimId claim);
// A replica is gone: its cards are free.
void forget_replica(Pool&, ReplicaId);

}  // namespace weir::engine
