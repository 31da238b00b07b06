// Listens to the steps of a world and keeps the raw record of what was done with
// a workload. Whether a yield fell on a boundary is not taken on trust: it is
// worked out from the contract and the instant of the exit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/outcome.h"
#include "sim/workload.h"
#include "sim/world.h"

namespace weir {

class Recorder final : public StepObserver {
 public:
  Recorder(const Workload& workload, const std::vector<ServiceSpec>& services);

  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) override;
  void sample_unusable(TimeMs now_ms, double cards);

  // Ends what is still open at the horizon and gives the record away.
  [[nodiscard]] PolicyRun finish();

 private:
  struct Ask {
    TimeMs at_ms = 0;
    YieldCause cause = YieldCause::claim;
    bool for_inference = false;
  };
  struct OpenRun {
    JobId job;
    TimeMs start_ms = 0;
    TimeMs work_from_ms = 0;
    DurationMs base_ms = 0;
    std::int32_t speed_milli = 1000;
    std::int64_t cards = 0;
    std::optional<Ask> ask;
  };
  struct OpenReplica {
    std::size_t service = 0;
    bool serving = false;
    std::set<ClaimId> claims;  // that wait for it to leave
  };
  struct Claim {
    RequestOutcome request;
    std::set<RunId> victims;  // not gone yet
    std::set<ReplicaId> replicas;
    bool for_inference = false;
    bool asks_runs = false;
    bool withdrawn = false;
  };
  struct JobTrack {
    TimeMs queued_since_ms = -1;       // -1: not in the queue
    DurationMs saved_ms = 0;           // progress that its last run left with
    std::optional<std::size_t> yield;  // of PolicyRun::yields, when its last run left by one; for these claims:
    std::vector<ClaimId> claims;
  };

  void apply(const Event& event);
  void apply(const Decision& decision, TimeMs now_ms);
  void apply(const Change& change, TimeMs now_ms);
  void start_run(const decision::StartRun& start, TimeMs now_ms);
  void run_exited(const event::RunExited& exit, TimeMs at_ms);
  void note_yield(const OpenRun& run, const event::RunExited& exit, TimeMs at_ms);
  void leave_claims(RunId run, JobId job, bool yielded, TimeMs at_ms);
  void replica_serves(ReplicaId replica, bool serves, TimeMs at_ms);
  void replica_exited(ReplicaId replica, TimeMs at_ms);
  void claim_made(const change::ClaimMade& made, TimeMs now_ms);
  static void note_all_free(Claim& claim, TimeMs at_ms);
  void set_target(const change::TargetSet& set, TimeMs now_ms);
  void enqueue(JobId job, TimeMs at_ms);
  void dequeue(JobId job, TimeMs at_ms);
  void meter_run(const OpenRun& run, DurationMs kept_ms, TimeMs exit_ms);

  const Workload& workload_;
  Demand demand_;
  PolicyRun run_;
  std::vector<JobTrack> tracks_;
  std::unordered_map<std::uint32_t, OpenRun> runs_;
  std::unordered_map<std::uint32_t, OpenReplica> replicas_;
  std::map<ClaimId, Claim> claims_;                                        // all that were ever made
  std::unordered_map<std::uint32_t, std::vector<ClaimId>> claims_of_run_;  // that wait for it to leave
  std::vector<ServiceMeter> service_meters_;
  std::vector<std::int64_t> target_;
  std::vector<std::int64_t> guard_;
  std::vector<std::int64_t> cards_of_replica_;
  std::int64_t held_ = 0;
  std::int64_t waiting_ = 0;
  std::int64_t waiting_cards_ = 0;
  Level inference_held_;
  Level need_;
  Level guard_level_;
  Level unusable_;
  Level queue_jobs_;
  Level queue_cards_;
};

}  // namespace weir
