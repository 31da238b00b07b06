#include "play.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "end_state.h"
#include "tracker.h"

namespace weir::property {

namespace {

constexpr DurationMs kLookEveryMs = 5 * kMinute;
constexpr DurationMs kStillForMs = 30 * kMinute;  // above every back-off and hold-down of a plan

void add_settings(World& world, const WorldPlan& plan) {
  world.at(Event{0, event::ConfigSet{std::make_shared<const Settings>(plan.settings)}});
  for (const NodeSpec& node : plan.nodes) world.at(Event{0, event::NodeDeclared{node}});
  for (const ServiceSpec& service : plan.services) world.at(Event{0, event::ServiceDeclared{service}});
  for (const PlannedNeed& need : plan.needs) world.at(Event{need.at_ms, need.need});
  for (const PlannedJob& job : plan.jobs) world.submit(job.spec, job.truth);
}

void add_fault(World& world, const PlannedFault& fault, const NodeSpec& node) {
  const NodeId id = fault.node;
  switch (fault.kind) {
    case FaultKind::down:
      world.at(fault.at_ms, [id](World& w) {
        w.executor().node_lost(id, w.now_ms());
        w.at(Event{w.now_ms(), event::NodeDown{id}});
      });
      world.at(Event{fault.until_ms, event::NodeUp{id}});
      return;
    case FaultKind::silent:
      world.at(fault.at_ms, [id](World& w) {
        w.executor().node_partitioned(id, w.now_ms());
        w.at(Event{w.now_ms(), event::NodeSilent{id}});
      });
      world.at(fault.until_ms, [id](World& w) {
        w.at(Event{w.now_ms(), event::NodeHeard{id}});
        w.executor().node_healed(id, w.now_ms());
      });
      return;
    case FaultKind::drain:
      world.at(Event{fault.at_ms, event::DrainSet{id, true}});
      world.at(Event{fault.until_ms, event::DrainSet{id, false}});
      return;
    case FaultKind::card:
      world.at(Event{fault.at_ms, event::CardFault{id, fault.card, fault.code}});
      world.at(Event{fault.until_ms, event::CardOk{id, fault.card}});
      return;
    case FaultKind::fewer_cards:
      world.at(Event{fault.at_ms, event::NodeCards{id, fault.cards}});
      world.at(Event{fault.until_ms, event::NodeCards{id, node.cards}});
      return;
  }
}

// Of two outages of one node that overlap only the first is played: a node is not
// lost and cut off at once.
void add_faults(World& world, const WorldPlan& plan) {
  std::vector<PlannedFault> played;
  for (const PlannedFault& fault : plan.faults) {
    const auto node =
        std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](const NodeSpec& n) { return n.id == fault.node; });
    const bool overlaps = std::any_of(played.begin(), played.end(), [&](const PlannedFault& other) {
      return other.node == fault.node && other.at_ms <= fault.until_ms && fault.at_ms <= other.until_ms;
    });
    if (node == plan.nodes.end() || overlaps || fault.at_ms >= fault.until_ms) continue;
    add_fault(world, fault, *node);
    played.push_back(fault);
  }
}

void add_act(World& world, const WorldPlan& plan, const PlannedAct& act, Tracker& tracker) {
  const TimeMs at_ms = act.at_ms;
  const JobId job = act.job;
  const ServiceId service = act.service;
  const auto amount = static_cast<std::int32_t>(std::min<std::int64_t>(act.amount, 1'000'000));
  const auto happens = [&](event::Body body) { world.at(Event{at_ms, std::move(body)}); };
  switch (act.kind) {
    case ActKind::cancel:
      return happens(event::JobCancelled{job});
    case ActKind::hold:
      happens(event::JobHeld{job, true});
      world.at(Event{act.until_ms, event::JobHeld{job, false}});
      return;
    case ActKind::requeue:
      return happens(event::JobRequeued{job});
    case ActKind::edit_tier:
      return happens(event::JobEdited{.job = job, .tier = act.name});
    case ActKind::edit_deadline:
      return happens(event::JobEdited{.job = job, .deadline_ms = act.amount});
    case ActKind::edit_limit:
      return happens(event::JobEdited{.job = job, .limit_ms = act.amount});
    case ActKind::freeze:
      happens(event::FreezeSet{true});
      world.at(Event{act.until_ms, event::FreezeSet{false}});
      return;
    case ActKind::process_fails:
      world.at(at_ms, [job](World& w) { w.executor().run_exits(job, false, w.now_ms()); });
      return;
    case ActKind::replica_fails:
      world.at(at_ms, [service, &tracker](World& w) {
        w.executor().replica_fails(tracker.oldest_replica(service), w.now_ms());
      });
      return;
    case ActKind::guard:
      return happens(event::GuardPublished{service, amount});
    case ActKind::need_planned:
      return happens(event::NeedPlanned{service, amount, at_ms + 10 * kMinute, act.until_ms + 10 * kMinute});
    case ActKind::stop_service:
      return happens(event::ServiceStopped{service});
    case ActKind::quota:
      for (TeamSpec team : plan.settings.teams) {
        if (team.name != act.name) continue;
        team.has_quota = true;
        team.quota_cards = act.amount;
        happens(event::QuotaSet{team});
      }
      return;
    case ActKind::restart_engine:
      world.at(at_ms, [](World& w) { (void)w.restart_engine(); });  // a difference is a violation of the world's
      return;
    case ActKind::request:
      return happens(event::RequestArrived{service});
  }
}

WorldOptions options_of(const WorldPlan& plan) {
  WorldOptions options;
  options.executor = plan.executor;
  options.audit = true;
  options.keep_events = std::any_of(plan.acts.begin(), plan.acts.end(),
                                    [](const PlannedAct& act) { return act.kind == ActKind::restart_engine; });
  return options;
}

// Until all has ended or nothing has moved for long.
void run_out(World& world, const WorldPlan& plan, const Tracker& tracker) {
  const TimeMs last_ms = longest_end_ms(plan);
  TimeMs still_since_ms = plan.quiet_from_ms;
  while (world.now_ms() < last_ms && tracker.problems.empty() && world.violations().empty()) {
    if (!tracker.still()) still_since_ms = world.now_ms();
    if (world.now_ms() - still_since_ms >= (tracker.all_ended() ? kLookEveryMs : kStillForMs)) return;
    world.run_until(world.now_ms() + kLookEveryMs);
  }
}

}  // namespace

Verdict play(const WorldPlan& plan, const PlayOptions& options) {
  World world(options_of(plan));
  Tracker tracker(world, plan, options);
  world.observe(&tracker);
  if (options.observer != nullptr) world.observe(options.observer);
  add_settings(world, plan);
  add_faults(world, plan);
  for (const PlannedAct& act : plan.acts) add_act(world, plan, act, tracker);
  world.run_until(plan.quiet_from_ms);
  if (options.liveness) run_out(world, plan, tracker);

  Verdict verdict{.problems = world.violations(),
                  .decisions_hash = world.decisions_hash(),
                  .state_hash = hash_of(world.state()),
                  .steps = world.steps(),
                  .coverage = tracker.coverage};
  verdict.problems.insert(verdict.problems.end(), tracker.problems.begin(), tracker.problems.end());
  const std::int64_t gap_max_ms = std::max(plan.settings.heartbeat_ms, 30 * kSecond);
  if (world.longest_gap_ms() > gap_max_ms) {
    verdict.problems.push_back("two steps lie " + std::to_string(world.longest_gap_ms()) + " ms apart");
  }
  if (options.liveness && verdict.problems.empty()) verdict.problems = problems_at_the_end(world, plan, tracker);
  return verdict;
}

std::string kind_of(const std::string& problem) {
  std::string out;
  for (const char c : problem.substr(0, problem.find("; reasons"))) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out;
}

namespace {

// Tries to do without each element of a list, last ones first.
template <class T>
bool thin(std::vector<T> WorldPlan::* part, WorldPlan& plan, const std::function<bool(const WorldPlan&)>& fails) {
  bool thinner = false;
  for (std::size_t size = std::max<std::size_t>(1, (plan.*part).size() / 2); size >= 1; size /= 2) {
    for (std::size_t end = (plan.*part).size(); end >= size && end > 0;) {
      WorldPlan trial = plan;
      auto& list = trial.*part;
      const std::size_t begin = end - size;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end));
      if (fails(trial)) {
        plan = std::move(trial);
        thinner = true;
        end = std::min(begin, (plan.*part).size());
      } else {
        end = end > size ? end - size : 0;
      }
    }
  }
  return thinner;
}

// Settings and job fields back to what is plain, one at a time.
void plain(WorldPlan& plan, const std::function<bool(const WorldPlan&)>& fails) {
  const std::vector<std::function<void(WorldPlan&)>> ways = {
      [](WorldPlan& p) {
        p.settings.teams.clear();
        for (PlannedJob& j : p.jobs) j.spec.team.clear();
        for (ServiceSpec& s : p.services) s.team.clear();
      },
      [](WorldPlan& p) { p.settings.rotation.on = false; },
      [](WorldPlan& p) { p.settings.order = OrderRule::fifo; },
      [](WorldPlan& p) { p.settings.aging_max_wait_ms = kNever; },
      [](WorldPlan& p) { p.settings.defrag = DefragMode::off; },
      [](WorldPlan& p) { p.settings.buffer_cards = 0; },
      [](WorldPlan& p) {
        p.settings.guard_min_cards = 0;
        p.settings.guard_shapes.clear();
      },
      [](WorldPlan& p) { p.settings.training_floor_cards = 0; },
      [](WorldPlan& p) { p.settings.nonpreemptible_max_cards = kUnlimited; },
      [](WorldPlan& p) { p.settings.only_at_checkpoint = true; },
      [](WorldPlan& p) { p.settings.min_run_ms = 0; },
      [](WorldPlan& p) { p.settings.backfill = false; },
      [](WorldPlan& p) { p.settings.hold_down_ms = 0; },
      [](WorldPlan& p) { p.executor.exit_ms = 0; },
      [](WorldPlan& p) {
        for (NodeSpec& n : p.nodes) {
          n.cpu_milli = kUnlimited;
          n.ram_mib = kUnlimited;
          n.group.clear();
          n.rack.clear();
        }
      },
  };
  for (const auto& way : ways) {
    WorldPlan trial = plan;
    way(trial);
    if (fails(trial)) plan = std::move(trial);
  }
  const std::vector<std::function<void(PlannedJob&)>> job_ways = {
      [](PlannedJob& j) { j.spec.deadline_ms = kNever; },
      [](PlannedJob& j) { j.spec.limit_ms = 0; },
      [](PlannedJob& j) { j.spec.declared_run_ms = 0; },
      [](PlannedJob& j) { j.spec.after.clear(); },
      [](PlannedJob& j) { j.spec.models.clear(); },
      [](PlannedJob& j) {
        j.spec.one_per_node = false;
        j.spec.within = GangScope::any;
      },
      [](PlannedJob& j) { j.spec.ckpt.write_ms = 0; },
      [](PlannedJob& j) { j.spec.ckpt.restart_ms = 0; },
      [](PlannedJob& j) { j.spec.ckpt.scope = CheckpointScope::shared; },
      [](PlannedJob& j) { j.truth.fails_at_launch = 0; },
      [](PlannedJob& j) { j.spec.type.clear(); },
      [](PlannedJob& j) { j.spec.elastic.clear(); },
  };
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    for (const auto& way : job_ways) {
      WorldPlan trial = plan;
      way(trial.jobs[i]);
      if (fails(trial)) plan = std::move(trial);
    }
  }
}

}  // namespace

WorldPlan cut_down(WorldPlan plan, const PlayOptions& options, const std::function<bool(const Verdict&)>& still_fails) {
  const std::function<bool(const WorldPlan&)> fails = [&](const WorldPlan& trial) {
    return still_fails(play(trial, options));
  };
  bool thinner = true;
  for (int round = 0; round < 4 && thinner; ++round) {
    thinner = thin(&WorldPlan::acts, plan, fails);
    thinner = thin(&WorldPlan::faults, plan, fails) || thinner;
    thinner = thin(&WorldPlan::jobs, plan, fails) || thinner;
    thinner = thin(&WorldPlan::needs, plan, fails) || thinner;
    thinner = thin(&WorldPlan::services, plan, fails) || thinner;
    thinner = thin(&WorldPlan::nodes, plan, fails) || thinner;
    plain(plan, fails);
  }
  return plan;
}

}  // namespace weir::property
