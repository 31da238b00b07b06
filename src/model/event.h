// Facts. Everything that happened outside the engine reaches it as one of these;
// each carries its own time. A late event is booked at its own time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/job.h"
#include "model/node.h"
#include "model/service.h"
#include "model/settings.h"

namespace weir::event {

// --- node and card facts ---
struct NodeDeclared { NodeSpec node; };               // new, or its declaration changed
struct NodeDown { NodeId node; };                     // reported failure: its runs are lost now
struct NodeUp { NodeId node; };                       // back, cards proven empty
struct NodeSilent { NodeId node; };                   // heartbeats stopped at this event's time
struct NodeHeard { NodeId node; };                    // heartbeats again; stale runs still hold their cards
struct NodeCards { NodeId node; std::int32_t cards = 0; };  // usable cards now reported
struct CardFault { NodeId node; std::int32_t card = 0; std::int32_t code = 0; };
struct CardOk { NodeId node; std::int32_t card = 0; };
struct DrainSet { NodeId node; bool on = true; };

// --- exits ---
enum class Exit : std::uint8_t {
  done,     // the work is finished
  yielded,  // stopped at a boundary, checkpoint verified
  failed,   // its own fault
  stopped,  // the scheduler stopped it (cancel, limit, superseded)
  lost,     // gone with its node or card
};
struct RunExited { RunId run; Exit how = Exit::done; DurationMs progress_ms = 0; };  // progress: newest verified checkpoint
struct WorkerDone { RunId run; std::int32_t worker = 0; };   // index over all roles in order
struct ReplicaExited { ReplicaId replica; bool failed = false; };

// --- running work ---
struct RunStarted { RunId run; };
struct CheckpointCommitted { RunId run; DurationMs progress_ms = 0; };
struct ProgressReported { RunId run; DurationMs progress_ms = 0; DurationMs remaining_ms = -1; };  // -1 = unknown
struct ReadyToYield { RunId run; };                          // past recall: the save of a yield has begun
struct ReplicaReady { ReplicaId replica; };

// --- need and guard ---
struct NeedMeasured {
  ServiceId service;
  std::int32_t replicas = 0;
  std::int32_t ramp = 0;
  TimeMs valid_until_ms = kNever;
};
struct GuardPublished { ServiceId service; std::int32_t guard = 0; };
struct NeedPlanned { ServiceId service; std::int32_t replicas = 0; TimeMs from_ms = 0; TimeMs until_ms = 0; };  // claims a lead time ahead
struct RequestArrived { ServiceId service; };                // wakes a service scaled to zero

// --- submissions, edits, operator ---
struct ConfigSet { std::shared_ptr<const Settings> settings; };
struct ServiceDeclared { ServiceSpec service; };             // new, or edited; a new version starts a rolling update
struct ServiceStopped { ServiceId service; };
struct JobSubmitted { JobSpec job; };
struct JobCancelled { JobId job; };
struct JobEdited {
  JobId job;
  std::optional<std::string> tier;
  std::optional<TimeMs> deadline_ms;
  std::optional<DurationMs> limit_ms;
};
struct JobHeld { JobId job; bool on = true; };
struct JobRequeued { JobId job; };                           // an operator stops its run at the next boundary
struct QuotaSet { TeamSpec team; };
struct FreezeSet { bool on = true; };

using Body = std::variant<
    NodeDeclared, NodeDown, NodeUp, NodeSilent, NodeHeard, NodeCards, CardFault, CardOk, DrainSet,
    RunExited, WorkerDone, ReplicaExited,
    RunStarted, CheckpointCommitted, ProgressReported, ReadyToYield, ReplicaReady,
    NeedMeasured, GuardPublished, NeedPlanned, RequestArrived,
    ConfigSet, ServiceDeclared, ServiceStopped, JobSubmitted, JobCancelled, JobEdited, JobHeld,
    JobRequeued, QuotaSet, FreezeSet>;

}  // namespace weir::event

namespace weir {

// Inside one millisecond events are applied in the order of the alternatives of
// Body (facts, exits, running work, need, submissions), ties as given.
struct Event {
  TimeMs at_ms = 0;
  event::Body body;
};

}  // namespace weir
