// Watches every step of a world: what lives where, what became of each job and
// claim, and the few rules that need the engine's view (who may take from whom).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "play.h"
#include "sim/world.h"

namespace weir::property {

class Tracker final : public StepObserver {
 public:
  Tracker(const World& world, const WorldPlan& plan, const PlayOptions& options);

  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) override;

  [[nodiscard]] bool all_ended() const;  // every job, by its last state
  [[nodiscard]] bool still() const;      // no run, no claim
  [[nodiscard]] const std::map<std::uint32_t, JobState>& jobs() const { return jobs_; }
  [[nodiscard]] std::vector<Placement> held() const;  // by runs and replicas that live
  [[nodiscard]] std::vector<Placement> held_by_team(std::string_view team) const;
  [[nodiscard]] std::int64_t nonpreemptible_milli() const;
  [[nodiscard]] std::map<std::uint32_t, std::int64_t> live_replicas() const;  // by service
  [[nodiscard]] ReplicaId oldest_replica(ServiceId service) const;            // none when it has none
  [[nodiscard]] std::vector<std::string> open_claims() const;
  [[nodiscard]] const JobSpec* spec_of(JobId id) const;
  [[nodiscard]] NodeId checkpoint_node(JobId id) const;  // of the last run of a job

  std::vector<std::string> problems;
  Coverage coverage;

 private:
  struct Run {
    JobId job;
    std::vector<Placement> places;
    std::set<std::size_t> done;
  };
  struct Replica {
    ServiceId service;
    Placement place;
  };
  void on_event(const Event& event);
  void on_decision(const Decision& decision);
  void on_change(const Change& change);
  void on_claim(const change::ClaimMade& made);
  [[nodiscard]] bool over_its_own(JobId job) const;
  void check_clone(std::span<const Event> events, const StepResult& result, TimeMs now_ms);
  void problem(std::string text);

  const World& world_;
  const WorldPlan& plan_;
  PlayOptions options_;
  TimeMs now_ms_ = 0;
  std::int64_t steps_ = 0;
  State before_;  // a clone from before the step, when it is to be compared
  bool has_before_ = false;
  std::map<std::uint32_t, JobState> jobs_;
  std::map<std::uint32_t, Run> runs_;
  std::set<std::uint32_t> asked_;  // to yield, by an earlier step
  std::map<std::uint32_t, Replica> replicas_;
  std::map<std::uint32_t, change::ClaimMade> claims_;
  std::map<std::uint32_t, NodeId> last_node_;
  std::map<std::string, TeamSpec> teams_;
  std::span<const Decision> deciding_;  // of the step whose changes are read
};

}  // namespace weir::property
