// The auditor's insides: one model, fed in four passes per step.
//
//   facts.cc      what events make true
//   claims.cc     claims made and ended, and whom a claimed card belongs to
//   decisions.cc  each decision against the state that the facts left
//   audit.cc      the order of the passes, the guard before and after, the end of the step
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "audit/audit.h"
#include "audit/guard.h"
#include "audit/ledger.h"
#include "audit/records.h"
#include "audit/text.h"
#include "model/model.h"

namespace weir {

struct Auditor::Impl {
  explicit Impl(AuditOptions given) : options(given), settings(std::make_shared<Settings>()) {}

  AuditOptions options;
  std::vector<Violation> found;
  std::size_t found_total = 0;
  TimeMs now_ms = 0;

  std::shared_ptr<const Settings> settings;
  bool frozen = false;
  audit::Ledger ledger;
  audit::GuardIndex guard_index;
  std::unordered_map<std::uint32_t, audit::JobRecord> jobs;
  std::unordered_set<std::uint32_t> jobs_ended;
  std::unordered_map<std::uint32_t, audit::RunRecord> runs;  // that hold something, or were current
  std::unordered_map<std::uint32_t, audit::ReplicaRecord> replicas;
  std::map<std::uint32_t, audit::ServiceRecord> services;
  std::unordered_map<std::uint32_t, audit::ClaimRecord> claims;  // open, and ended in this step
  std::set<std::pair<TimeMs, std::uint32_t>> claims_by_expiry;
  std::vector<std::pair<TimeMs, NodeId>> silent_nodes;  // not yet timed out
  std::int64_t run_newest = -1;                         // ids are handed out in order
  std::int64_t replica_newest = -1;
  std::int64_t claim_newest = -1;
  std::uint64_t decision_newest = 0;
  bool guard_was_placeable = true;  // at the end of the last step

  // --- of the step being checked ---
  bool guard_facts = false;           // an event may have changed what is owed or what can hold it
  bool guard_decided = false;         // a decision may have
  std::vector<RunId> runs_hit;        // by facts
  std::vector<RunId> runs_on_faulty;  // by faults of their cards: they restart elsewhere
  std::vector<ClaimId> claims_ended;
  std::vector<RunId> asks_to_recheck;  // whose claim ended or dropped them
  std::vector<ClaimId> claims_made;
  std::set<RunId> told_to_leave;    // asked or stopped by this step
  std::set<JobId> jobs_told_ended;  // facts of this step ended them: before its decisions
  std::set<ReplicaId> replicas_told;

  template <class... Parts>
  void violate(int invariant, const Parts&... parts) {
    ++found_total;
    if (found.size() >= options.violations_max) return;
    found.push_back(Violation{.at_ms = now_ms, .invariant = invariant, .text = audit::say(parts...)});
  }

  audit::JobRecord* job_of(JobId id);
  audit::RunRecord* run_of(RunId id);
  audit::ReplicaRecord* replica_of(ReplicaId id);
  audit::ServiceRecord* service_of(ServiceId id);
  audit::ClaimRecord* claim_of(ClaimId id);

  // facts.cc
  void apply_events(std::span<const Event> events);
  void apply(const Event& event);
  void on(TimeMs at_ms, const event::NodeDeclared&);
  void on(TimeMs at_ms, const event::NodeDown&);
  void on(TimeMs at_ms, const event::NodeUp&);
  void on(TimeMs at_ms, const event::NodeSilent&);
  void on(TimeMs at_ms, const event::NodeHeard&);
  void on(TimeMs at_ms, const event::NodeCards&);
  void on(TimeMs at_ms, const event::CardFault&);
  void on(TimeMs at_ms, const event::CardOk&);
  void on(TimeMs at_ms, const event::DrainSet&);
  void on(TimeMs at_ms, const event::RunExited&);
  void on(TimeMs at_ms, const event::WorkerDone&);
  void on(TimeMs at_ms, const event::ReplicaExited&);
  void on(TimeMs, const event::RunStarted&) {}
  void on(TimeMs at_ms, const event::CheckpointCommitted&);
  void on(TimeMs, const event::ProgressReported&) {}
  void on(TimeMs at_ms, const event::ReadyToYield&);
  void on(TimeMs at_ms, const event::ReplicaReady&);
  void on(TimeMs, const event::NeedMeasured&) {}
  void on(TimeMs at_ms, const event::GuardPublished&);
  void on(TimeMs, const event::NeedPlanned&) {}
  void on(TimeMs, const event::RequestArrived&) {}
  void on(TimeMs at_ms, const event::ConfigSet&);
  void on(TimeMs at_ms, const event::ServiceDeclared&);
  void on(TimeMs at_ms, const event::ServiceStopped&);
  void on(TimeMs at_ms, const event::JobSubmitted&);
  void on(TimeMs at_ms, const event::JobCancelled&);
  void on(TimeMs at_ms, const event::JobEdited&);
  void on(TimeMs at_ms, const event::JobHeld&);
  void on(TimeMs at_ms, const event::JobRequeued&);
  void on(TimeMs, const event::QuotaSet&) {}
  void on(TimeMs at_ms, const event::FreezeSet&);
  void time_out_nodes(TimeMs until_ms);
  void check_yield(TimeMs at_ms, const audit::RunRecord& run, RunId id, DurationMs progress_ms);
  void note_progress(audit::RunRecord& run, RunId id, DurationMs progress_ms);
  void hit_run(RunId id);
  void release_run(audit::RunRecord& run, RunId id);
  void forget_run_if_done(RunId id);

  // services, in facts.cc
  void join_live(ReplicaId id, audit::ReplicaRecord& replica);
  void leave_live(ReplicaId id, audit::ReplicaRecord& replica);
  void level_guard(audit::ServiceRecord& service);
  void mark_guard(std::uint32_t replica, bool guard);
  void drop_replica(ReplicaId id);
  void empty_node(audit::NodeBook& node);

  // claims.cc
  void note_told(const StepResult& result);
  void note_claims(const StepResult& result);
  void make_claim(const change::ClaimMade& made);
  void check_feasible(const change::ClaimMade& made);
  void check_claim_holders(const change::ClaimMade& made, const Placement& place);
  void check_disjoint(const change::ClaimMade& made);
  void end_claim(const change::ClaimEnded& ended);
  void drop_victim(const change::VictimDropped& dropped);
  void take_claim_parts(audit::ClaimRecord& claim, bool add);
  void use_claim_part(ClaimId claim, const Placement& place);
  void close_claims();
  // Claims whose cards `place` would take, though they are not the taker's.
  struct Taker {
    ClaimId claim;
    JobId job;
    ServiceId service;
    TimeMs ends_ms = kNever;  // when it will surely have left
  };
  void check_claimed_cards(const Taker& taker, std::string_view what, std::uint32_t id, const Placement& place);

  // decisions.cc
  void check(const decision::StartRun&);
  void check(const decision::AskYield&);
  void check(const decision::WithdrawYield&);
  void check(const decision::StopRun&);
  void check(const decision::StartReplica&);
  void check(const decision::StopReplica&);
  void check_start_of_job(const decision::StartRun&, audit::JobRecord& job);
  void check_progress(const decision::StartRun&, const audit::JobRecord& job);
  void check_claim_of_ask(const decision::AskYield&, const audit::RunRecord& run);
  void check_stop_cause(const decision::StopRun&, const audit::RunRecord& run, const audit::JobRecord& job);
  bool on_draining_node(const audit::RunRecord& run) const;
  bool on_silent_node(const audit::RunRecord& run) const;

  // audit.cc
  void step(TimeMs at_ms, std::span<const Event> events, const StepResult& result);
  void note_changes(const StepResult& result);
  void note(const change::JobStateSet&);
  void note(const change::JobRejected&);
  void note(const change::RunEnded&);
  void note(const change::ReplicaStateSet&);
  void note(const change::TargetSet&);
  void finish(const StepResult& result);
  std::vector<audit::GuardNeed> guard_needs() const;
  audit::Placeable guard_placeable();
  void check_guard(audit::Placeable before, const StepResult& result);
};

}  // namespace weir
