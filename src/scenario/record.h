// What happened in a run of a scenario, in a form that checks can ask: starts,
// ends, yields, claims, replicas, reasons, and who held which card when. It
// listens to the steps and keeps its own account; the engine's view is only
// written down beside it, to be compared.
//
// Times are milliseconds from the scenario's start.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "scenario/scenario.h"
#include "sim/world.h"

namespace weir::scenario {

struct Hold {
  NodeId node;
  std::uint64_t cards = 0;
  bool share = false;
  std::int32_t milli = 0;         // share only
  std::int64_t card_mem_mib = 0;  // share only
  TimeMs from_ms = 0;
  TimeMs to_ms = kNever;
  JobId job;
  RunId run;
  std::int32_t worker = 0;
  ServiceId service;
  ReplicaId replica;
  [[nodiscard]] bool at(TimeMs t) const { return from_ms <= t && t < to_ms; }
  [[nodiscard]] std::int64_t milli_held() const;
};

struct Attempt {
  RunId run;
  TimeMs start_ms = 0;
  TimeMs end_ms = kNever;    // it is not current any more
  DurationMs resume_ms = 0;  // progress it starts from
  DurationMs saved_ms = 0;   // progress of its newest complete save, at its end
  DurationMs lost_ms = 0;    // work done and not saved, at its end
  std::int32_t speed_milli = 1000;
  std::optional<event::Exit> how;
  std::optional<decision::StopCause> stopped;
  std::vector<Placement> places;
  bool loan = false;
  ClaimId claim;
};

struct YieldRecord {
  JobId job;
  RunId run;
  ClaimId claim;
  YieldCause cause = YieldCause::claim;
  TimeMs asked_ms = 0;
  TimeMs not_before_ms = 0;
  TimeMs withdrawn_ms = kNever;
  TimeMs left_ms = kNever;  // its cards are free
  bool at_boundary = true;
};

// A claim's right to one of its victims, as it stood when the claim was made.
struct Taking {
  JobId victim;
  std::int64_t victim_weight = 0;
  std::int64_t taker_weight = 0;
  bool borrowed = false;  // the victim's team uses more than its entitlement
};

struct ClaimRecord {
  change::ClaimMade made;  // times on the scenario's clock
  TimeMs made_ms = 0;
  TimeMs ended_ms = kNever;
  ClaimEnd how = ClaimEnd::open;
  std::vector<Taking> takings;
  std::vector<Placement> freed;    // by its victims
  std::vector<Placement> started;  // by starts that name it
};

struct ReplicaRecord {
  ReplicaId id;
  ServiceId service;
  std::int32_t version = 1;
  TimeMs start_ms = 0;
  TimeMs ready_ms = kNever;
  TimeMs drain_ms = kNever;
  TimeMs gone_ms = kNever;
  std::optional<decision::DrainCause> cause;
  [[nodiscard]] bool live_at(TimeMs t) const { return start_ms <= t && t < drain_ms && t < gone_ms; }
  [[nodiscard]] bool ready_at(TimeMs t) const { return ready_ms <= t && live_at(t); }
};

struct JobRecord {
  std::vector<Attempt> attempts;
  std::vector<std::pair<TimeMs, JobState>> states;
  std::optional<change::JobRejected> rejected;
  std::vector<std::pair<TimeMs, Reasons>> reasons;    // from a time on; recorded when they change
  std::vector<std::pair<TimeMs, std::string>> tiers;  // effective tier, likewise
  TimeMs submitted_ms = kNever;                       // seen by the engine
  [[nodiscard]] std::optional<JobState> state_at(TimeMs t) const;
  [[nodiscard]] const Reasons* reasons_at(TimeMs t) const;
  [[nodiscard]] bool running_at(TimeMs t) const;
  [[nodiscard]] bool started_by(TimeMs t) const { return !attempts.empty() && attempts.front().start_ms <= t; }
};

// What the engine said of a node, from a time on.
struct NodeView {
  TimeMs at_ms = 0;
  CardCount cards;
};

class Record final : public StepObserver {
 public:
  Record(const Scenario& scenario, const World& world, bool keep_log);
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) override;
  void finish(TimeMs until_ms);  // closes what is open

  const Scenario& scenario;
  std::vector<JobRecord> jobs;
  std::vector<ReplicaRecord> replicas;
  std::map<ReplicaId, std::size_t> replica_of;
  std::vector<Hold> holds;
  std::vector<YieldRecord> yields;
  std::map<ClaimId, ClaimRecord> claims;
  std::map<RunId, std::pair<JobId, std::size_t>> run_of;  // job, index of its attempt
  std::vector<std::vector<NodeView>> nodes;               // per node, recorded when it changes
  std::vector<NodeView> pool;                             // the same of the whole pool
  std::vector<std::vector<std::pair<TimeMs, Reasons>>> service_reasons;
  std::vector<std::vector<std::pair<TimeMs, std::int32_t>>> guard_of;  // guard of a service, from a time on
  std::vector<TimeMs> change_times;                                    // when who holds what changed
  std::vector<TimeMs> steps;
  std::vector<std::pair<TimeMs, TimeMs>> stopped;  // the engine did not run
  struct Disagreement {
    TimeMs at_ms = 0;
    std::string about;
    std::string text;
  };
  std::vector<Disagreement> disagreements;  // engine's ledger against the recount (I5)
  struct Resume {
    JobId job;
    TimeMs at_ms = 0;
    DurationMs newest_ms = 0;
    DurationMs used_ms = 0;
  };
  std::vector<Resume> expected_resume;  // newest complete save at each start (I9)
  std::set<JobId> watched_tiers;        // jobs whose tier is written down
  std::vector<std::pair<TimeMs, change::Alarm>> alarms;
  std::vector<std::pair<ServiceId, std::pair<TimeMs, TimeMs>>> answered;  // request, answer (kNever: not)
  std::vector<std::vector<std::pair<TimeMs, bool>>> drained;  // per node: is it being emptied, from a time on
  std::vector<std::pair<TimeMs, std::string>> log;            // the trace, when it is kept
  bool silence = false;                                       // some node went silent: stale runs exist
  TimeMs end_ms = 0;

  // Milli-GPU held by what the filter accepts, at time t.
  template <class Accept>
  [[nodiscard]] std::int64_t milli_at(TimeMs t, Accept accept) const {
    std::int64_t sum = 0;
    for (const Hold& hold : holds)
      if (hold.at(t) && accept(hold)) sum += hold.milli_held();
    return sum;
  }
  [[nodiscard]] std::int64_t team_milli_at(TimeMs t, std::string_view team) const;
  [[nodiscard]] std::string_view team_of(const Hold& hold) const;
  [[nodiscard]] const CardCount* node_view_at(NodeId node, TimeMs t) const;
  [[nodiscard]] const CardCount* pool_view_at(TimeMs t) const;
  [[nodiscard]] bool drained_at(NodeId node, TimeMs t) const;
  // Longest time between two steps inside a stretch, stops of the engine left out.
  [[nodiscard]] DurationMs longest_gap_ms(TimeMs from, TimeMs until) const;
  [[nodiscard]] std::int32_t replicas_at(ServiceId service, TimeMs t, bool ready) const;
  // Work done by an attempt up to t: its own model of engine.md 6.1.
  [[nodiscard]] DurationMs useful_ms(const Attempt& attempt, bool first, const JobSpec& spec, TimeMs t) const;

 private:
  void apply(TimeMs now, const Event& event);
  void apply(TimeMs now, const Decision& decision);
  void apply(TimeMs now, const Change& change);
  void start_run(TimeMs now, const decision::StartRun& start);
  void ask_yield(TimeMs now, const decision::AskYield& ask);
  void run_exited(TimeMs at, const event::RunExited& exit);
  void end_attempt(RunId run, TimeMs at, std::optional<event::Exit> how);
  void open(Hold hold);
  void close(Hold& hold, TimeMs at);
  void release(RunId run, TimeMs at, std::int32_t worker);  // worker < 0: all of them
  void release_node(NodeId node, TimeMs at);
  void left_at_yield(RunId run, TimeMs at, const event::RunExited& exit);
  void sample(TimeMs now);
  void sample_reasons(TimeMs now);
  void sample_reason(TimeMs now, JobId id);
  void compare_ledger(TimeMs now);
  void note_takings(const change::ClaimMade& made, ClaimRecord& claim);
  [[nodiscard]] std::int64_t taker_weight(const change::ClaimMade& made, TimeMs now) const;
  [[nodiscard]] bool borrows(std::string_view team) const;
  [[nodiscard]] Attempt* attempt_of(RunId run);
  template <class Fact>
  void note(TimeMs now, const Fact& fact);  // a line of the log

  const World& world_;
  const bool keep_log_;
  std::map<std::string, TeamSpec, std::less<>> teams_;  // as last set
  std::map<RunId, std::vector<std::size_t>> holds_of_run_;
  std::map<std::uint32_t, std::int64_t> node_milli_;  // held now, by node and by team
  std::map<std::string, std::int64_t, std::less<>> team_milli_;
  std::span<const Decision> deciding_;  // of the step whose changes are read
  bool memory_only_ = false;            // some shares hold memory and no milli-GPU
  JobId last_sampled_;
  std::set<NodeId> away_;  // nodes that are down or silent
  std::set<JobId> waiting_;
  std::map<RunId, std::size_t> open_yield_;  // newest request that was not withdrawn
};

}  // namespace weir::scenario
