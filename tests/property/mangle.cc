#include "mangle.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "books.h"
#include "play.h"

namespace weir::property {
namespace {

struct Instant {
  TimeMs now_ms = 0;
  std::vector<Event> events;
};

class Recorder final : public StepObserver {
 public:
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult&) override {
    steps.push_back({now_ms, {events.begin(), events.end()}});
  }
  std::vector<Instant> steps;
};

// Numbers at and beyond the edges.
class Odd {
 public:
  explicit Odd(Prng& prng) : prng_(prng) {}

  template <class T>
  T number() {
    using Limits = std::numeric_limits<T>;
    switch (prng_.below(10)) {
      case 0:
        return Limits::min();
      case 1:
        return Limits::max();
      case 2:
        return static_cast<T>(-prng_.between(1, 100));
      case 3:
        return 0;
      case 4:
        return static_cast<T>(std::min<std::int64_t>(kNever, Limits::max()));
      default:
        return static_cast<T>(prng_.between(0, 12));
    }
  }
  std::int64_t time(TimeMs now_ms) {
    return prng_.chance(1, 3) ? number<std::int64_t>() : now_ms + prng_.between(-600, 3600) * kSecond;
  }
  std::uint32_t id() {
    switch (prng_.below(12)) {
      case 0:
        return std::numeric_limits<std::uint32_t>::max();
      case 1:
        return std::numeric_limits<std::uint32_t>::max() - 1;
      case 2:
        return 1U << 31;
      default:
        return static_cast<std::uint32_t>(prng_.below(40));
    }
  }
  std::uint32_t near_id() { return static_cast<std::uint32_t>(prng_.below(8)); }
  bool coin() { return prng_.chance(1, 2); }
  bool rarely() { return prng_.chance(1, 4); }
  Prng& prng() { return prng_; }

 private:
  Prng& prng_;
};

Shape odd_shape(Odd& odd) {
  Shape shape;
  shape.cards = odd.rarely() ? odd.number<std::int32_t>() : static_cast<std::int32_t>(odd.prng().below(5));
  if (odd.rarely()) shape.milli = odd.number<std::int32_t>();
  if (shape.cards == 0) shape.milli = static_cast<std::int32_t>(odd.prng().below(1100));
  if (odd.rarely()) shape.card_mem_mib = odd.number<std::int64_t>();
  if (odd.rarely()) shape.cpu_milli = odd.number<std::int64_t>();
  if (odd.rarely()) shape.ram_mib = odd.number<std::int64_t>();
  return shape;
}

std::string odd_model(Odd& odd) { return std::string(1, static_cast<char>('A' + odd.prng().below(4))); }

NodeSpec odd_node(Odd& odd) {
  NodeSpec node;
  node.id = NodeId{odd.rarely() ? odd.id() : odd.near_id()};
  node.name = "n" + std::to_string(odd.near_id());
  node.model = odd.coin() ? odd_model(odd) : "";
  node.cards = odd.rarely() ? odd.number<std::int32_t>() : static_cast<std::int32_t>(odd.prng().below(9));
  if (odd.rarely()) node.card_mem_mib = odd.number<std::int64_t>();
  if (odd.rarely()) node.cpu_milli = odd.number<std::int64_t>();
  if (odd.rarely()) node.ram_mib = odd.number<std::int64_t>();
  if (odd.rarely()) node.islands.assign(odd.prng().below(12), static_cast<std::uint8_t>(odd.prng().below(256)));
  if (odd.coin()) node.rack = odd_model(odd);
  return node;
}

ServiceSpec odd_service(Odd& odd) {
  ServiceSpec service;
  service.id = ServiceId{odd.rarely() ? odd.id() : static_cast<std::uint32_t>(odd.prng().below(4))};
  service.team = odd.coin() ? "team0" : "";
  service.service_class = odd.coin() ? ServiceClass::core : ServiceClass::standard;
  service.tier_weight = odd.rarely() ? odd.number<std::int32_t>() : -1;
  service.shape = odd_shape(odd);
  if (odd.rarely()) service.models = {odd_model(odd)};
  // Bounded here: half a million replicas are no fault, only slow.
  service.guard = static_cast<std::int32_t>(odd.prng().between(-3, 6));
  service.max = static_cast<std::int32_t>(odd.prng().between(-3, 12));
  service.start_ms = odd.number<std::int64_t>();
  service.drain_ms = odd.number<std::int64_t>();
  service.idle_ms = odd.rarely() ? odd.number<std::int64_t>() : 0;
  service.hold_down_ms = odd.number<std::int64_t>();
  service.version = static_cast<std::int32_t>(odd.prng().below(3));
  service.max_missing = odd.number<std::int32_t>();
  service.max_extra = static_cast<std::int32_t>(odd.prng().between(-2, 3));
  return service;
}

JobSpec odd_job(Odd& odd, TimeMs now_ms) {
  JobSpec job;
  job.id = JobId{odd.id()};
  job.team = odd.coin() ? "team1" : "";
  job.tier = odd.rarely() ? "infer_core" : "";
  for (std::uint64_t i = odd.prng().below(3) + (odd.rarely() ? 0 : 1); i > 0; --i) {
    job.roles.push_back(
        {.role = odd_model(odd), .count = odd.rarely() ? odd.number<std::int32_t>() : 1, .shape = odd_shape(odd)});
  }
  if (odd.rarely()) job.elastic = {{odd.number<std::int32_t>(), odd.number<std::int32_t>()}, {2, 1800}};
  job.min_workers = odd.rarely() ? odd.number<std::int32_t>() : 0;
  job.one_per_node = odd.rarely();
  job.within = static_cast<GangScope>(odd.prng().below(4));
  if (odd.rarely()) job.models = {odd_model(odd)};
  job.submitted_ms = odd.time(now_ms);
  job.deadline_ms = odd.coin() ? odd.time(now_ms) : kNever;
  job.declared_run_ms = odd.number<std::int64_t>();
  job.limit_ms = odd.coin() ? odd.number<std::int64_t>() : 0;
  job.ckpt = {static_cast<CheckpointMode>(odd.prng().below(3)), odd.number<std::int64_t>(), odd.number<std::int64_t>(),
              odd.number<std::int64_t>(), odd.coin() ? CheckpointScope::shared : CheckpointScope::node};
  job.max_retries = odd.number<std::int32_t>();
  job.max_timeouts = odd.number<std::int32_t>();
  if (odd.rarely()) {
    job.first_node = "n" + std::to_string(odd.near_id());
    job.first_cards = odd.prng().next();
  }
  for (std::uint64_t i = odd.prng().below(3); i > 0; --i) job.after.emplace_back(odd.id());
  return job;
}

std::shared_ptr<const Settings> odd_settings(Odd& odd, const Settings& usual) {
  Settings s = odd.coin() ? usual : plan_world(odd.prng().below(1000)).settings;
  if (odd.rarely()) s.tiers.clear();
  if (odd.rarely()) s.default_tier = "none";
  if (odd.rarely()) s.guard_min_cards = odd.number<std::int32_t>();
  if (odd.rarely()) s.guard_shapes = {odd_shape(odd), odd_shape(odd)};
  if (odd.rarely()) s.buffer_cards = odd.number<std::int32_t>();
  for (DurationMs* length : {&s.lead_time_ms,
                             &s.min_run_ms,
                             &s.claim_grace_ms,
                             &s.lateness_step_ms,
                             &s.aging_max_wait_ms,
                             &s.share_half_life_ms,
                             &s.promote_slack_ms,
                             &s.slack_floor_ms,
                             &s.mix_window_ms,
                             &s.hold_down_ms,
                             &s.stale_need_ms,
                             &s.node_timeout_ms,
                             &s.backoff_first_ms,
                             &s.backoff_max_ms,
                             &s.heartbeat_ms,
                             &s.assumed_interval_ms,
                             &s.rotation.victim_after_ms,
                             &s.rotation.gang_after_ms,
                             &s.rotation.gang_victim_after_ms,
                             &s.rotation.first_service,
                             &s.training_floor_cards,
                             &s.nonpreemptible_max_cards,
                             &s.deadline_budget_ms}) {
    if (odd.prng().chance(1, 8)) *length = odd.number<std::int64_t>();
  }
  if (odd.rarely()) s.claim_grace_permille = odd.number<std::int32_t>();
  if (odd.rarely()) s.slack_permille_of_remaining = odd.number<std::int32_t>();
  if (odd.rarely()) s.backfill_depth = odd.number<std::int32_t>();
  if (odd.rarely()) s.moves_per_hour = odd.number<std::int32_t>();
  if (odd.rarely()) s.profiles = {{"t1", {{"A", odd.number<std::int32_t>()}, {"B", 1}}}};
  return std::make_shared<const Settings>(std::move(s));
}

TeamSpec odd_team(Odd& odd) {
  TeamSpec team{.name = "team" + std::to_string(odd.prng().below(3)), .has_quota = odd.coin(), .borrow = odd.coin()};
  team.quota_cards = odd.number<std::int64_t>();
  team.quota_by_model = odd.rarely();
  team.quota_of_model = {{"A", odd.number<std::int64_t>()}};
  team.deadline_budget_ms = odd.number<std::int64_t>();
  return team;
}

event::Body odd_node_fact(Odd& odd) {
  const NodeId node{odd.rarely() ? odd.id() : odd.near_id()};
  switch (odd.prng().below(9)) {
    case 0:
      return event::NodeDeclared{odd_node(odd)};
    case 1:
      return event::NodeDown{node};
    case 2:
      return event::NodeUp{node};
    case 3:
      return event::NodeSilent{node};
    case 4:
      return event::NodeHeard{node};
    case 5:
      return event::NodeCards{node, odd.number<std::int32_t>()};
    case 6:
      return event::CardFault{node, odd.number<std::int32_t>(), odd.coin() ? 13 : odd.number<std::int32_t>()};
    case 7:
      return event::CardOk{node, odd.number<std::int32_t>()};
    default:
      return event::DrainSet{node, odd.coin()};
  }
}

event::Body odd_run_fact(Odd& odd) {
  const RunId run{odd.id()};
  switch (odd.prng().below(8)) {
    case 0:
      return event::RunExited{run, static_cast<event::Exit>(odd.prng().below(5)), odd.number<std::int64_t>()};
    case 1:
      return event::WorkerDone{run, odd.number<std::int32_t>()};
    case 2:
      return event::ReplicaExited{ReplicaId{odd.id()}, odd.coin()};
    case 3:
      return event::RunStarted{run};
    case 4:
      return event::CheckpointCommitted{run, odd.number<std::int64_t>()};
    case 5:
      return event::ProgressReported{run, odd.number<std::int64_t>(), odd.number<std::int64_t>()};
    case 6:
      return event::ReadyToYield{run};
    default:
      return event::ReplicaReady{ReplicaId{odd.id()}};
  }
}

event::Body odd_wish(Odd& odd, TimeMs now_ms, const Settings& usual) {
  const ServiceId service{odd.rarely() ? odd.id() : static_cast<std::uint32_t>(odd.prng().below(4))};
  const JobId job{odd.id()};
  const auto few = static_cast<std::int32_t>(odd.prng().between(-2, 9));
  switch (odd.prng().below(14)) {
    case 0:
      return event::NeedMeasured{service, odd.number<std::int32_t>(), odd.number<std::int32_t>(), odd.time(now_ms)};
    case 1:
      return event::GuardPublished{service, few};
    case 2:
      return event::NeedPlanned{service, few, odd.time(now_ms), odd.time(now_ms)};
    case 3:
      return event::RequestArrived{service};
    case 4:
      return event::ConfigSet{odd.rarely() ? nullptr : odd_settings(odd, usual)};
    case 5:
      return event::ServiceDeclared{odd_service(odd)};
    case 6:
      return event::ServiceStopped{service};
    case 7:
      return event::JobCancelled{job};
    case 8: {
      event::JobEdited edit{.job = job};
      if (odd.coin()) edit.tier = odd.coin() ? "train_best_effort" : "infer_core";
      if (odd.coin()) edit.deadline_ms = odd.time(now_ms);
      if (odd.coin()) edit.limit_ms = odd.number<std::int64_t>();
      return edit;
    }
    case 9:
      return event::JobHeld{job, odd.coin()};
    case 10:
      return event::JobRequeued{job};
    case 11:
      return event::QuotaSet{odd_team(odd)};
    case 12:
      return event::FreezeSet{odd.rarely()};
    default:
      return event::JobSubmitted{odd_job(odd, now_ms)};
  }
}

// Sound steps made odd.
std::vector<Instant> mangled(std::vector<Instant> steps, const WorldPlan& plan, std::uint64_t seed) {
  Prng prng(seed);
  Odd odd(prng);
  std::vector<Event> late;
  for (Instant& step : steps) {
    std::vector<Event> events;
    for (Event& event : step.events) {
      if (prng.chance(1, 12)) continue;                 // lost
      if (prng.chance(1, 12)) events.push_back(event);  // told twice
      if (prng.chance(1, 12)) {
        late.push_back(std::move(event));  // told later
        continue;
      }
      if (prng.chance(1, 20)) event.at_ms = odd.number<std::int64_t>();
      events.push_back(std::move(event));
    }
    while (!late.empty() && prng.chance(1, 3)) {
      const std::size_t i = prng.below(late.size());
      if (prng.chance(1, 2)) late[i].at_ms = step.now_ms;
      events.push_back(std::move(late[i]));
      late.erase(late.begin() + static_cast<std::ptrdiff_t>(i));
    }
    while (prng.chance(1, 3)) {
      const std::uint64_t kind = prng.below(3);
      event::Body body = kind == 0   ? odd_node_fact(odd)
                         : kind == 1 ? odd_run_fact(odd)
                                     : odd_wish(odd, step.now_ms, plan.settings);
      events.push_back(Event{.at_ms = odd.coin() ? step.now_ms : odd.time(step.now_ms), .body = std::move(body)});
    }
    step.events = std::move(events);
  }
  return steps;
}

// What is wrong with the engine's answers; empty when nothing is.
std::string judge(const std::vector<Instant>& steps) {
  State state;
  std::uint64_t newest = 0;
  for (const Instant& step : steps) {
    const StepResult result = weir::step(state, step.events, step.now_ms);
    const std::string when = " at " + std::to_string(step.now_ms);
    if (result.next_due_ms <= step.now_ms) return "called again at once" + when;
    for (const Decision& decision : result.decisions) {
      if (decision.id <= newest) return "a decision's number is used twice" + when;
      newest = decision.id;
    }
    const std::vector<std::string> faults = faults_in_books(state);
    if (!faults.empty()) return faults.front() + when;
    for (std::uint32_t id = 0; id < 40; ++id) {
      (void)reasons_of(state, JobId{id});
      (void)rank_of(state, JobId{id});
      (void)tier_of(state, JobId{id});
    }
    (void)fragments_of(state);
    (void)hash_of(state);
  }
  return "";
}

}  // namespace

std::string fault_of_mangled(std::uint64_t seed) {
  const WorldPlan plan = plan_world(seed, {.nodes_max = 4, .jobs_max = 16});
  Recorder recorder;
  (void)play(plan, {.liveness = false, .observer = &recorder});
  return judge(mangled(std::move(recorder.steps), plan, seed));
}

}  // namespace weir::property
