// The state of the engine: records, names, indexes and the output of the step
// under way. Each room changes only what its header says.
#pragma once

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/estimate/history.h"
#include "engine/id_table.h"
#include "engine/place/fit.h"
#include "engine/records.h"

namespace weir::engine {

// Names become small indexes when they enter.
class Names {
 public:
  Index of(std::string_view name);                        // adds it when it is new
  [[nodiscard]] Index find(std::string_view name) const;  // kNoIndex when it is not known
  [[nodiscard]] const std::string& name(Index index) const { return names_[index]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, Index, std::less<>> index_;
};

struct BudgetEntry {
  TimeMs at_ms = 0;
  GpuMs amount = 0;
};

struct Team {
  TeamSpec spec;
  bool declared = false;
  std::int64_t held_milli = 0;
  std::vector<std::int64_t> held_milli_of_model;  // by index of the model
  std::int64_t claimed_milli = 0;                 // kept with open claims, held by nobody of the team yet
  MilliGpuMs used = 0;                            // decayed use
  std::int64_t share = 0;                         // used over entitlement, in the queue's order
  std::vector<BudgetEntry> budget;                // promoted work of the last 168 h
};

enum class Timer : std::uint8_t { promote, age, claim, ask, limit, loan, backoff, eligible, service, node, share };

struct TimerEntry {
  TimeMs at_ms = 0;
  Timer kind = Timer::share;
  std::uint32_t id = 0;
  auto operator<=>(const TimerEntry&) const = default;
};

// An ordered set that knows how many of its keys come before one.
using KeySet = __gnu_pbds::tree<QueueKey, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                                __gnu_pbds::tree_order_statistics_node_update>;

// What stood against the victims that a search in vain came upon.
struct Vain {
  bool guard = false;
  bool pledge = false;
};

// Waiting jobs of one class, in order.
struct JobClass {
  ClassKey key;
  KeySet jobs;
  TimeMs search_again_ms = 0;     // a costly search in vain is not repeated before
  std::uint64_t searched_at = 0;  // epoch at which no victims were found
  Vain vain;                      // then
  Reasons reasons;                // of its head, then
};

struct Queue {
  std::vector<JobClass> classes;
  std::map<ClassKey, Index> index;
  std::set<std::pair<QueueKey, Index>> heads;  // classes with waiting jobs, by their first
  std::vector<Index> unused;
  std::int64_t waiting = 0;
};

struct Pool {
  std::shared_ptr<const Settings> settings = std::make_shared<const Settings>();
  TimeMs now_ms = 0;
  TimeMs shares_at_ms = kNever;
  bool frozen = false;

  Names models, teams_by_name, groups, racks;
  std::vector<Team> teams;
  std::vector<Node> nodes;
  std::vector<Index> node_index;  // by NodeId

  FitTable fit;
  History history;

  std::map<std::uint32_t, JobRec> jobs;
  IdTable<RunRec> runs;
  std::map<std::uint32_t, ReplicaRec> replicas;
  std::map<std::uint32_t, ServiceRec> services;
  std::map<std::uint32_t, ClaimRec> claims;
  std::map<std::uint32_t, std::vector<std::uint32_t>> waits_for;  // `after`: job -> those that wait for it
  std::set<std::uint32_t> apart;  // waiting, but not in the queue: held, backing off, after others
  std::uint32_t next_run = 0, next_replica = 0, next_claim = 0;
  std::uint64_t next_decision = 1;

  std::vector<Demand> demands;
  std::map<std::string, Index> demand_index;
  std::vector<CheckpointContract> contracts;

  Queue queue;
  std::vector<Reservation> reservations;
  std::set<TimerEntry> timers;
  // Current runs that could be asked to yield and are not yet: by tier, and by when
  // they become ripe for rotation within it.
  std::set<std::pair<Rank, std::uint32_t>> preemptible;
  std::set<std::tuple<Rank, TimeMs, std::uint32_t>> ripe, gang_ripe;
  std::uint64_t scene_serial = 0;

  // Counts kept as things change.
  CardCount cards;
  std::vector<std::int64_t> healthy_of_model;
  std::vector<std::int64_t> guard_open_of_model;  // cards held by neither training nor guard replicas
  std::int64_t training_cards = 0;                // held by training
  std::int64_t nonpreemptible_cards = 0;          // of it, by runs without checkpoints
  std::int64_t lent_cards = 0;                    // of it, by runs that can be had back within lead_time
  TimeMs passed_at_ms = kNever;                   // latest pass over the queue
  std::uint64_t passed_epoch = 0;
  std::uint64_t epoch = 1;  // grows when capacity or what may be taken changes

  std::vector<TimeMs> moves;  // of defragmentation in the background, within the hour
  TimeMs move_again_ms = 0;   // not before: the latest search for moves was in vain
  TimeMs merge_again_ms = 0;
  bool guard_alarm = false;  // said, until it is placeable again
  StepResult out;            // of the step under way
};

// --- lookups; nullptr when not known ---
[[nodiscard]] Node* node_of(Pool&, NodeId);
[[nodiscard]] const Node* node_of(const Pool&, NodeId);
[[nodiscard]] JobRec* job_of(Pool&, JobId);
[[nodiscard]] const JobRec* job_of(const Pool&, JobId);
[[nodiscard]] RunRec* run_of(Pool&, RunId);
[[nodiscard]] const RunRec* run_of(const Pool&, RunId);
[[nodiscard]] ReplicaRec* replica_of(Pool&, ReplicaId);
[[nodiscard]] const ReplicaRec* replica_of(const Pool&, ReplicaId);
[[nodiscard]] ServiceRec* service_of(Pool&, ServiceId);
[[nodiscard]] const ServiceRec* service_of(const Pool&, ServiceId);
[[nodiscard]] ClaimRec* claim_of(Pool&, ClaimId);
[[nodiscard]] const ClaimRec* claim_of(const Pool&, ClaimId);
[[nodiscard]] Team& team_named(Pool&, std::string_view name);
[[nodiscard]] Index team_index(Pool&, std::string_view name);

// --- output ---
void decide(Pool&, decision::Body body);
void tell(Pool&, Change change);
void alarm(Pool&, change::Alarm alarm);
void wake_at(Pool&, TimeMs at_ms, Timer kind, std::uint32_t id);

}  // namespace weir::engine
