// What the auditor remembers of jobs, runs, services, replicas and claims.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/guard.h"
#include "model/model.h"

namespace weir::audit {

struct JobRecord {
  JobSpec spec;
  JobState state = JobState::waiting;
  bool cancelled = false;         // by a user
  bool held = false;              // by an operator
  bool operator_touched = false;  // held or requeued at least once
  bool finished = false;          // its current run said done
  bool may_be_finished = false;   // a run said so that a fact may have cost its place
  std::int32_t incarnation = 0;   // newest
  std::int32_t starts = 0;
  RunId current;  // none when it has no live run
  // Newest verified checkpoint: reported by a run that surely was current, and by
  // any run at all. A start resumes between the two.
  DurationMs progress_ms = 0;
  DurationMs progress_ms_max = 0;
  std::vector<NodeId> checkpoint_nodes;  // where the run that wrote it stood (scope node)
};

// A yield that was asked and not withdrawn.
struct Ask {
  ClaimId claim;
  YieldCause cause = YieldCause::claim;
  TimeMs not_before_ms = 0;
  TimeMs asked_ms = 0;
};

struct RunRecord {
  JobId job;
  std::int32_t incarnation = 0;
  std::int32_t speed_milli = kMilliPerCard;
  DurationMs resume_ms = 0;
  TimeMs started_ms = 0;
  bool resumed = false;  // not the job's first start: it pays the restart
  bool loan = false;
  TimeMs loan_due_ms = kNever;
  TimeMs limit_ends_ms = kNever;
  std::vector<Placement> places;
  std::vector<bool> worker_done;
  bool hit = false;  // a fact took a member: node, card or heartbeat
  bool exited = false;
  bool stop_asked = false;
  bool ready_to_yield = false;
  bool ever_asked = false;
  bool end_told = false;  // change RunEnded seen
  std::optional<Ask> ask;
};

struct ReplicaRecord {
  ServiceId service;
  Placement place;
  std::int32_t version = 1;
  ReplicaState state = ReplicaState::starting;
  bool stale = false;  // its node has been silent for too long, or its card is faulty
};

struct ServiceRecord {
  ServiceSpec spec;
  std::int32_t guard = 0;    // as published, else as declared
  std::int32_t target = -1;  // as the engine last told; -1 = never
  bool stopped = false;
  // Live: starting or ready, on a node that is heard. The oldest `guard` of them
  // are its guard replicas.
  std::set<std::uint32_t> guard_live;
  std::set<std::uint32_t> extra_live;
  [[nodiscard]] std::int64_t live() const { return static_cast<std::int64_t>(guard_live.size() + extra_live.size()); }
};

struct ClaimRecord {
  change::ClaimMade made;
  TimeMs made_ms = 0;
  bool ended = false;  // in the step being checked
  ClaimEnd how = ClaimEnd::open;
  std::int64_t starts = 0;  // work that started on it
};

// Nothing, or what is wrong with these places for this job.
[[nodiscard]] std::optional<std::string> fault_of_places(const JobSpec& job, const Settings& settings,
                                                         const std::vector<Placement>& places, const Ledger& ledger);
[[nodiscard]] std::optional<std::string> fault_of_place(const Shape& shape, const std::vector<std::string>& models,
                                                        const Placement& place, const Ledger& ledger);

// What is wrong with a `yielded` exit: off its boundary, impossible, or late.
[[nodiscard]] std::optional<std::string> fault_of_yield(const JobSpec& job, const RunRecord& run, TimeMs exit_ms,
                                                        DurationMs progress_ms, DurationMs exit_ms_max);

}  // namespace weir::audit
