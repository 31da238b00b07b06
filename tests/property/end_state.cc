#include "end_state.h"

#include <algorithm>
#include <bit>

#include "books.h"
#include "reference.h"

namespace weir::property {

namespace {

constexpr std::int64_t kTimesOver = 4;  // preempted, moved, rotated and lost again
constexpr DurationMs kGraceMs = 6 * kHour;

std::int64_t milli_of(const std::vector<Placement>& places) {
  std::int64_t milli = 0;
  for (const Placement& place : places) {
    milli += place.share ? place.milli : std::int64_t{kMilliPerCard} * std::popcount(place.cards);
  }
  return milli;
}

std::int64_t cards_of(const Shape& shape) { return std::max(1, shape.cards); }

// The guards and quotas in force at the end, after what the acts changed.
struct Rules {
  std::vector<ServiceSpec> services;  // not stopped; guard as last published
  std::vector<TeamSpec> teams;
};

Rules rules_at_end(const WorldPlan& plan) {
  Rules rules{.services = plan.services, .teams = plan.settings.teams};
  std::vector<PlannedAct> acts = plan.acts;
  std::stable_sort(acts.begin(), acts.end(),
                   [](const PlannedAct& a, const PlannedAct& b) { return a.at_ms < b.at_ms; });
  for (const PlannedAct& act : acts) {
    if (act.kind == ActKind::stop_service) {
      std::erase_if(rules.services, [&](const ServiceSpec& service) { return service.id == act.service; });
    }
    for (ServiceSpec& service : rules.services) {
      if (act.kind == ActKind::guard && service.id == act.service)
        service.guard = static_cast<std::int32_t>(act.amount);
    }
    for (TeamSpec& team : rules.teams) {
      if (act.kind == ActKind::quota && team.name == act.name) {
        team.has_quota = true;
        team.quota_cards = act.amount;
      }
    }
  }
  return rules;
}

// What a start must leave room for: the missing guard, and the buffer.
std::vector<WorkerNeed> owed(const WorldPlan& plan, const Rules& rules, const Tracker& tracker) {
  std::vector<WorkerNeed> needs;
  std::int64_t assigned = 0;
  const auto live = tracker.live_replicas();
  for (const ServiceSpec& service : rules.services) {
    assigned += cards_of(service.shape) * service.guard;
    const auto it = live.find(service.id.value);
    const std::int64_t running = it == live.end() ? 0 : it->second;
    for (std::int64_t i = running; i < service.guard; ++i) {
      needs.push_back({.shape = service.shape, .models = service.models, .in_gang = false, .only = {}});
    }
  }
  const std::int64_t single =
      std::max<std::int64_t>(0, plan.settings.guard_min_cards - assigned) + plan.settings.buffer_cards;
  const Shape pair{.cards = 2};
  std::int64_t left = single;
  for (std::size_t i = 0; i < plan.settings.guard_shapes.size() && left >= 2; ++i, left -= 2) {
    needs.push_back({.shape = pair, .models = {}, .in_gang = false, .only = {}});
  }
  for (; left > 0; --left) needs.push_back({.shape = Shape{.cards = 1}, .models = {}, .in_gang = false, .only = {}});
  return needs;
}

bool over_quota(const Rules& rules, const JobSpec& job, const Tracker& tracker, std::int64_t job_milli) {
  for (const TeamSpec& team : rules.teams) {
    if (team.name != job.team || !team.has_quota || team.borrow) continue;
    if (milli_of(tracker.held_by_team(team.name)) + job_milli > team.quota_cards * kMilliPerCard) return true;
  }
  return false;
}

// Could the job be started now, by the rules alone? Unsure counts as no.
bool startable(const WorldPlan& plan, const Rules& rules, const JobSpec& job, const Tracker& tracker) {
  FreePool pool = empty_pool(plan.nodes);
  for (const Placement& place : tracker.held()) take(pool, place);
  std::vector<WorkerNeed> needs = needs_of(job);
  const NodeId home = tracker.checkpoint_node(job.id);
  if (job.ckpt.scope == CheckpointScope::node && home.valid()) {
    if (needs.size() > 1) return false;
    for (WorkerNeed& need : needs) need.only = home;
  }
  const std::vector<WorkerNeed> beside = owed(plan, rules, tracker);
  needs.insert(needs.end(), beside.begin(), beside.end());
  bool gave_up = false;
  const auto places = place_all(pool, needs, {.one_per_node = job.one_per_node, .within = job.within}, gave_up);
  if (!places) return false;
  const std::vector<Placement> own(places->begin(),
                                   places->begin() + static_cast<std::ptrdiff_t>(needs.size() - beside.size()));
  if (over_quota(rules, job, tracker, milli_of(own))) return false;
  const std::int64_t rigid = tracker.nonpreemptible_milli() + milli_of(own);
  const std::int64_t rigid_max = plan.settings.nonpreemptible_max_cards;
  return job.ckpt.mode != CheckpointMode::none || rigid_max >= kUnlimited || rigid <= rigid_max * kMilliPerCard;
}

bool all_before_ended(const JobSpec& job, const Tracker& tracker) {
  return std::all_of(job.after.begin(), job.after.end(), [&](JobId before) {
    const auto it = tracker.jobs().find(before.value);
    return it == tracker.jobs().end() || ended(it->second);
  });
}

void check_job(const World& world, const WorldPlan& plan, const Rules& rules, const Tracker& tracker, JobId id,
               JobState state, std::vector<std::string>& problems) {
  const std::string name = "job " + std::to_string(id.value);
  const JobSpec* spec = tracker.spec_of(id);
  const Reasons reasons = reasons_of(world.state(), id);
  if (state == JobState::running) problems.push_back(name + " is called running, and no run of it lives");
  if (reasons.empty()) problems.push_back(name + " waits and has no reason");
  if (spec == nullptr || state != JobState::waiting || !all_before_ended(*spec, tracker)) return;
  // Without backfill nobody passes the first that waits for cards, however long it does.
  const bool held = std::any_of(reasons.begin(), reasons.end(), [&](const Reason& r) {
    return r.code == ReasonCode::held || (r.code == ReasonCode::behind && !plan.settings.backfill);
  });
  if (held || !startable(plan, rules, *spec, tracker)) return;
  problems.push_back(name + " waits in an idle pool that has room for it; reasons: " + line_of(reasons));
}

}  // namespace

DurationMs longest_end_ms(const WorldPlan& plan) {
  DurationMs work_ms = 0;
  for (const PlannedJob& job : plan.jobs) {
    const CheckpointContract& ckpt = job.spec.ckpt;
    work_ms += job.truth.run_ms + 2 * ckpt.interval_ms + ckpt.write_ms + ckpt.restart_ms + plan.executor.exit_ms +
               plan.settings.min_run_ms + job.spec.max_retries * plan.settings.backoff_max_ms;
  }
  return plan.quiet_from_ms + kGraceMs + kTimesOver * work_ms;
}

std::vector<std::string> problems_at_the_end(const World& world, const WorldPlan& plan, const Tracker& tracker) {
  std::vector<std::string> problems;
  for (const std::string& claim : tracker.open_claims()) problems.push_back("never ended: " + claim);
  const Rules rules = rules_at_end(plan);
  for (const std::string& fault : faults_in_books(world.state())) problems.push_back(fault);
  const std::int64_t kept = cards_of_pool(world.state()).claimed;
  if (tracker.still() && kept > 0) problems.push_back(std::to_string(kept) + " cards are kept for nobody");
  if (!tracker.still()) problems.push_back("work still goes on long after all of it could have been done");
  for (const auto& [id, state] : tracker.jobs()) {
    if (!ended(state) && tracker.still()) check_job(world, plan, rules, tracker, JobId{id}, state, problems);
  }
  const auto live = tracker.live_replicas();
  for (const ServiceSpec& service : rules.services) {
    const auto it = live.find(service.id.value);
    const std::int64_t running = it == live.end() ? 0 : it->second;
    if (running < std::min(service.guard, service.max) && reasons_of(world.state(), service.id).empty()) {
      problems.push_back("service " + std::to_string(service.id.value) + " has " + std::to_string(running) +
                         " replicas, a guard of " + std::to_string(service.guard) + ", and no reason");
    }
  }
  return problems;
}

}  // namespace weir::property
