// The engine's own records: one struct per thing that lives in the pool. Plain
// data; who changes what is said in state.h. Units as in base/units.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"

namespace weir::engine {

using Rank = std::int64_t;                                 // effective tier: its weight, with the two ends below
inline constexpr Rank kNoRank = -1;                        // below all work
inline constexpr Rank kGuardRank = std::int64_t{1} << 40;  // missing guard replicas

using Mask = std::uint64_t;  // a node's cards
using Index = std::uint32_t;
inline constexpr Index kNoIndex = 0xffffffffU;

// --- nodes and cards ---

struct Lease {
  bool replica = false;
  std::uint32_t holder = 0;  // RunId or ReplicaId
  std::int32_t worker = 0;
  Placement place;
};

struct Card {
  std::int32_t shares = 0;  // leases of parts of it
  std::int32_t milli = 0;   // held by them
  std::int64_t mem_mib = 0;
  std::int32_t kept_milli = 0;  // kept for claims and reservations
  std::int64_t kept_mem_mib = 0;
  std::int32_t kept_shares = 0;
  std::int32_t kept_whole = 0;
};

struct Node {
  bool known = false;
  NodeSpec spec;
  Index model = 0;
  Index group = 0;  // index of the name of its group, rack: gang_within
  Index rack = 0;
  std::int32_t mem_order = 0;   // least memory first
  std::int32_t reported = 0;    // usable cards it reports
  std::int32_t cards_ever = 0;  // the most that were ever declared; those above spec.cards are gone
  bool down = false;
  bool silent = false;
  bool timed_out = false;  // silent for longer than node_timeout: its runs are lost
  bool draining = false;
  bool short_of_held = false;  // holds more cards than it reports: which ones are gone nobody knows
  TimeMs silent_since_ms = kNever;

  Mask faulty = 0;
  Mask missing = 0;       // declared, not reported
  Mask whole = 0;         // held whole
  Mask shared = 0;        // at least one share on it
  Mask kept_in_part = 0;  // cards with kept shares
  Mask kept = 0;          // whole cards kept for claims and reservations, held or not
  std::vector<Card> cards;
  std::int64_t cpu_used = 0, ram_used = 0;
  std::int64_t cpu_kept = 0, ram_kept = 0;
  std::vector<Lease> leases;
  std::vector<std::uint32_t> claims;  // open claims that name cards of it
  std::uint32_t version = 0;          // grows with each change of what is free
  CardCount counted;                  // its part of the pool's counts
  std::int64_t open_counted = 0, healthy_counted = 0;

  [[nodiscard]] Mask declared() const { return spec.cards >= 64 ? ~Mask{0} : (Mask{1} << spec.cards) - 1; }
  [[nodiscard]] bool takes_work() const { return known && !down && !silent && !draining && !short_of_held; }
  [[nodiscard]] Mask healthy() const { return declared() & ~faulty & ~missing; }
  // Free whole cards that nothing is kept on.
  [[nodiscard]] Mask free_whole() const {
    return takes_work() ? healthy() & ~whole & ~shared & ~kept & ~kept_in_part : 0;
  }
};

// --- what work needs ---

// One way to run: the workers by shape, largest first.
struct Variant {
  std::vector<WorkerGroup> groups;         // largest first
  std::vector<std::int32_t> first_worker;  // index of the group's first worker
  std::vector<Index> fits;                 // index of each group's entry in the fit table
  std::int32_t speed_milli = 1000;
  std::int64_t milli = 0;  // milli-GPU of all workers
  std::int64_t cards = 0;  // cards touched: quota and limits count these
  std::int32_t workers = 0;
};

// Everything that placing depends on, shared by all jobs that are alike.
struct Demand {
  std::vector<Variant> variants;  // best first; one for rigid work
  std::int32_t min_workers = 0;
  bool one_per_node = false;
  GangScope within = GangScope::any;
  std::string type;
  std::vector<std::string> models;
  bool models_in_order = false;
  std::uint32_t judged_at = 0;  // version of the pool that `possible` was found for; 0 = never
  bool possible = true;
};

// --- the queue ---

// The order of waiting work, smallest first.
struct QueueKey {
  Rank below = 0;  // minus the rank
  std::int32_t not_aged = 1;
  std::int64_t first = 0;   // aged: since when; deadline tier: deadline - remaining; training: team share
  std::int64_t second = 0;  // level, or minus the response ratio
  TimeMs submitted_ms = 0;
  std::uint32_t id = 0;
  auto operator<=>(const QueueKey&) const = default;
};

// Waiting jobs that differ in nothing that decides whether one can start.
struct ClassKey {
  Index demand = 0;
  Index team = 0;
  Rank rank = 0;
  std::int32_t level = 0;
  std::int32_t aged = 0;
  Index contract = 0;       // checkpoint contract
  std::int32_t pinned = 0;  // jobs bound to nodes stand alone: their id + 1
  std::int32_t flags = 0;   // missed deadline, budget
  auto operator<=>(const ClassKey&) const = default;
};

// --- jobs and runs ---

struct JobRec {
  JobSpec spec;
  JobState state = JobState::waiting;
  Index team = 0;
  Index demand = 0;
  Index contract = 0;
  Index history = 0;             // (team, type, size) of its run times
  TimeMs stay_since_ms = 0;      // since when it is in the queue
  DurationMs progress_ms = 0;    // newest verified checkpoint
  DurationMs remaining_ms = -1;  // as reported, at remaining_at_ms of progress; -1 = never
  DurationMs remaining_at_ms = 0;
  MilliGpuMs service = 0;  // useful work x size over its ended runs
  std::int32_t incarnation = 0;
  std::int32_t failures = 0;
  std::int32_t timeouts = 0;
  std::int32_t idle_runs = 0;                                    // runs in a row without progress
  std::array<TimeMs, 4> yields{kNever, kNever, kNever, kNever};  // the latest, oldest first
  RunId run;                                                     // current
  ClaimId claim;                                                 // open claim of this job
  TimeMs backoff_until_ms = kNever;
  std::vector<NodeId> ckpt_nodes;  // node checkpoints: where they lie
  bool queued = false;
  bool operator_held = false;
  bool promoted = false;
  bool past_deadline = false;  // cannot end in time any more: no claims
  bool over_budget = false;
  bool no_estimate = false;
  bool aged = false;
  bool starved = false;
  bool cancelled = false;
  bool requeue_asked = false;
  std::int32_t level = 0;
  GpuMs charged = 0;  // of its account of the deadline budget
  DurationMs charged_progress_ms = 0;
  TimeMs charged_at_ms = 0;
  QueueKey key;
  Index cls = kNoIndex;
};

// Where a record stands in the scene of a search, while that is the latest one.
struct SceneMark {
  std::uint64_t serial = 0;
  std::uint32_t index = 0;
};

enum class AskState : std::uint8_t { none, planned, asked };

struct Ask {
  AskState state = AskState::none;
  ClaimId claim;
  YieldCause cause = YieldCause::claim;
  TimeMs boundary_ms = kNever;  // at which it is to yield
  TimeMs free_ms = kNever;      // when its cards are expected to be free
  TimeMs send_ms = kNever;      // planned: when the request goes out
};

struct RunRec {
  RunId id;
  JobId job;
  Index team = 0;
  std::int32_t incarnation = 1;
  std::vector<Placement> places;
  std::vector<bool> left;  // workers that have finished
  std::int64_t milli = 0;  // milli-GPU at its start
  std::int64_t cards = 0;
  TimeMs start_ms = 0;
  TimeMs work_from_ms = 0;  // useful work begins
  std::int32_t speed_milli = 1000;
  DurationMs resume_ms = 0;  // progress it began with
  bool resumed = false;
  bool current = true;
  bool writing = false;  // past recall
  bool stopping = false;
  bool stale = false;  // superseded on an unreachable node; holds its cards
  bool lent = false;   // counted among those that can be had back within lead_time
  bool loan = false;
  TimeMs loan_due_ms = kNever;
  TimeMs limit_end_ms = kNever;
  // Of its job, where the search for victims reads them a thousand times.
  CheckpointContract ckpt;
  TimeMs submitted_ms = 0;
  bool has_deadline = false;
  std::array<TimeMs, 4> yields{};
  Rank rank = 0;  // effective tier now
  bool preemptible = false;
  bool listed = false;      // in the pool's indexes of runs that could be asked
  TimeMs ripe_ms = kNever;  // for rotation
  TimeMs gang_ripe_ms = kNever;
  Ask ask;
  SceneMark mark;
};

// --- inference ---

struct ReplicaRec {
  ReplicaId id;
  ServiceId service;
  Index team = 0;  // that it was started for
  Placement place;
  std::int32_t version = 1;
  ReplicaState state = ReplicaState::starting;
  bool guard = false;  // one of the oldest `guard` live ones
  bool stale = false;
  bool moving = false;  // goes when the one that was started for it is ready
  TimeMs start_ms = 0;
  ClaimId taken_by;
  TimeMs drained_at_ms = kNever;
  SceneMark mark;
};

struct PlannedNeed {
  std::int32_t replicas = 0;
  TimeMs from_ms = 0;
  TimeMs until_ms = 0;
};

struct ServiceRec {
  ServiceSpec spec;
  Index team = 0;
  Index fit = 0;  // entry in the fit table
  std::int32_t guard = 0;
  std::int32_t need = 0;  // replicas + ramp, as measured
  TimeMs valid_until_ms = kNever;
  bool stale_said = false;
  bool stopped = false;
  std::int32_t target = 0;
  std::int32_t target_said = -1;
  std::int32_t guard_said = -1;
  std::vector<std::pair<TimeMs, std::int32_t>> wanted;  // targets within the hold-down, falling
  std::vector<PlannedNeed> planned;
  TimeMs awake_until_ms = -1;   // scale to zero: a request keeps it awake
  std::vector<ReplicaId> live;  // starting or ready, oldest first
  std::int32_t guard_live = 0;  // so many of the oldest are the guard's
  bool replacing = false;       // some may be of an old version, or on a node that is being emptied
  std::vector<ReplicaId> draining;
  std::vector<ClaimId> claims;
  std::int32_t failures = 0;  // in a row
  TimeMs backoff_until_ms = 0;
  Rank rank = 0;                  // of replicas above the guard
  std::uint64_t searched_at = 0;  // epoch of the last search for victims
  TimeMs search_again_ms = 0;
  Reasons reasons;
};

// --- claims and reservations ---

struct ClaimPart {
  Placement place;
  bool started = false;  // services: its replica runs
};

struct Victim {
  RunId run;
  TimeMs boundary_ms = 0;
  TimeMs free_ms = 0;
  bool gone = false;
};

struct ClaimRec {
  ClaimId id;
  ClaimFor beneficiary = ClaimFor::job;
  YieldCause cause = YieldCause::claim;
  JobId job;
  ServiceId service;
  Index variant = 0;
  Rank rank = 0;
  std::vector<ClaimPart> parts;
  std::vector<Victim> victims;
  std::vector<ReplicaId> replicas;
  TimeMs made_ms = 0;
  TimeMs due_ms = 0;
  TimeMs expires_ms = 0;
  std::int64_t quota_milli = 0;  // counted for the beneficiary's team beside what it holds
  bool begun = false;            // a victim has left
  ClaimId parent;                // of the target of a move: the claim that it is made for
  bool moves = false;            // made by defragmentation
  SceneMark mark;
};

struct Reservation {
  JobId job;
  QueueKey key;
  std::vector<Placement> places;
  TimeMs due_ms = kNever;
  TimeMs made_ms = 0;
  TimeMs looked_ms = 0;  // when something earlier was last sought
};

}  // namespace weir::engine
