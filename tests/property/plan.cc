#include "plan.h"

#include <algorithm>

#include "base/prng.h"

namespace weir::property {

namespace {

// One of the values given, each as likely.
template <class T>
T one_of(Prng& prng, std::initializer_list<T> values) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(prng.below(values.size())));
}

std::int32_t small(Prng& prng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(prng.between(low, high));
}

// Each part of a world has its own stream of numbers.
Prng part_of(std::uint64_t seed, std::uint64_t kind, std::uint64_t index) {
  Prng mixer(seed * 0x9e3779b97f4a7c15ULL + kind * 1'000'003 + index);
  return Prng(mixer.next());
}

enum Part : std::uint64_t { kSettings, kNode, kService, kJob, kNeed, kFault, kAct, kPool };

std::int64_t cards_of(const std::vector<NodeSpec>& nodes) {
  std::int64_t cards = 0;
  for (const NodeSpec& node : nodes) cards += node.cards;
  return cards;
}

// What all nodes of one world have in common.
struct PoolKind {
  std::int32_t models = 1;
  bool cpu_bounded = false;
  bool memory_bounded = false;
  bool groups = false;
};

PoolKind draw_pool_kind(std::uint64_t seed) {
  Prng prng = part_of(seed, kPool, 0);
  return {.models = one_of(prng, {1, 1, 2, 3}),
          .cpu_bounded = prng.chance(1, 4),
          .memory_bounded = prng.chance(1, 2),
          .groups = prng.chance(1, 3)};
}

NodeSpec draw_node(Prng prng, std::uint32_t index, const PoolKind& kind) {
  NodeSpec node;
  node.id = NodeId{index};
  node.name = "n" + std::to_string(index);
  node.cards = one_of(prng, {8, 8, 8, 4, 4, 2, 1});
  const std::int64_t model = prng.between(0, kind.models - 1);
  if (kind.models > 1) node.model = std::string(1, static_cast<char>('A' + model));
  if (kind.memory_bounded) node.card_mem_mib = 16'384 << model;
  if (kind.cpu_bounded) {
    node.cpu_milli = 8'000 * node.cards;
    node.ram_mib = 65'536 * node.cards;
  }
  if (kind.groups) {
    node.group = "g" + std::to_string(prng.between(0, 1));
    node.rack = node.group + "r" + std::to_string(prng.between(0, 1));
  }
  return node;
}

void draw_teams(Prng& prng, Settings& settings, std::int64_t cards) {
  const std::int64_t teams = one_of<std::int64_t>(prng, {0, 0, 1, 2, 3});
  for (std::int64_t i = 0; i < teams; ++i) {
    TeamSpec team;
    team.name = "team" + std::to_string(i);
    team.has_quota = prng.chance(3, 4);
    team.borrow = prng.chance(2, 3);
    team.quota_cards = team.has_quota ? prng.between(0, cards / teams) : 0;
    settings.teams.push_back(team);
  }
}

void draw_guard(Prng& prng, Settings& settings, std::int64_t cards) {
  if (prng.chance(2, 3)) settings.guard_min_cards = small(prng, 0, cards / 4);
  if (settings.guard_min_cards >= 2 && prng.chance(1, 4)) settings.guard_shapes = {Shape{.cards = 2}};
  if (prng.chance(1, 2)) settings.buffer_cards = small(prng, 0, cards / 8);
  settings.buffer_mode = prng.chance(4, 5) ? BufferMode::lend : BufferMode::hold;
  settings.lead_time_ms = one_of(prng, {0, 90, 300, 700}) * kSecond;
  const std::int64_t left = cards - settings.guard_min_cards - settings.buffer_cards;
  if (prng.chance(1, 2))
    settings.training_floor_cards = prng.between(0, std::max<std::int64_t>(0, std::min(left, cards / 4)));
  if (prng.chance(1, 3)) {
    settings.nonpreemptible_max_cards = std::max<std::int64_t>(0, left - settings.buffer_cards);
  }
}

Settings draw_settings(std::uint64_t seed, std::int64_t cards) {
  Prng prng = part_of(seed, kSettings, 0);
  Settings settings;
  settings.total_gpus = static_cast<std::int32_t>(cards);
  settings.tiers = {{"infer_core", 100, TierRole::inference},
                    {"train_deadline_near", 80, TierRole::deadline},
                    {"train_normal", 40, TierRole::training},
                    {"train_best_effort", 20, TierRole::training}};
  settings.default_tier = "train_normal";
  draw_guard(prng, settings, cards);
  draw_teams(prng, settings, cards);
  settings.preempt_enabled = !prng.chance(1, 10);
  settings.only_at_checkpoint = !prng.chance(1, 10);
  settings.min_run_ms = one_of(prng, {0, 120, 600}) * kSecond;
  settings.on_emergency = one_of(prng, {EmergencyRule::wait, EmergencyRule::on_demand, EmergencyRule::kill});
  settings.order = one_of(prng, {OrderRule::attained, OrderRule::response_ratio, OrderRule::fifo});
  settings.rotation.on = prng.chance(1, 2);
  settings.rotation.first_service = std::int64_t{kMilliPerCard} * prng.between(5, 60) * kMinute;
  settings.rotation.victim_after_ms = prng.between(1, 10) * kMinute;
  settings.rotation.gang_after_ms = prng.between(10, 60) * kMinute;
  settings.rotation.gang_victim_after_ms = prng.between(10, 60) * kMinute;
  settings.aging_max_wait_ms = one_of<DurationMs>(prng, {kNever, 20 * kMinute, 2 * kHour});
  if (prng.chance(1, 3)) settings.promote_slack_ms = prng.between(1, 30) * kMinute;
  if (prng.chance(1, 4)) settings.deadline_budget_ms = prng.between(0, 8) * kHour;
  settings.backfill = !prng.chance(1, 6);
  settings.backfill_depth = small(prng, 1, 8);
  settings.defrag = one_of(prng, {DefragMode::off, DefragMode::waiter, DefragMode::background});
  settings.moves_per_hour = small(prng, 0, 20);
  settings.hold_down_ms = one_of(prng, {0, 60, 300}) * kSecond;
  settings.stale_need_ms = one_of<DurationMs>(prng, {kMinute, kNever});
  settings.heartbeat_ms = one_of(prng, {30, 30, 120}) * kSecond;
  settings.fault_policy = {{13, FaultPolicy::restart_job}, {79, FaultPolicy::remove_gpu_until_ok}};
  return settings;
}

std::vector<std::string> draw_models(Prng& prng, const WorldPlan& plan) {
  std::vector<std::string> models;
  if (plan.nodes.empty() || plan.nodes[0].model.empty()) return models;
  models.push_back(plan.nodes[prng.below(plan.nodes.size())].model);
  const std::string& other = plan.nodes[prng.below(plan.nodes.size())].model;
  if (other != models[0]) models.push_back(other);
  return models;
}

Shape draw_shape(Prng& prng, const WorldPlan& plan) {
  Shape shape;
  if (prng.chance(1, 5)) {
    shape.milli = small(prng, 1, 9) * 100;
    if (prng.chance(1, 3)) shape.card_mem_mib = prng.between(1, 12) * 1024;
    if (prng.chance(1, 6) && shape.card_mem_mib > 0) shape.milli = 0;
  } else {
    shape.cards = one_of(prng, {1, 1, 1, 2, 2, 4, 8});
  }
  if (!plan.nodes.empty() && plan.nodes[0].cpu_milli < kUnlimited) {
    shape.cpu_milli = prng.between(1, 8) * 1000 * std::max(1, shape.cards);
    shape.ram_mib = prng.between(1, 64) * 1024 * std::max(1, shape.cards);
  }
  return shape;
}

ServiceSpec draw_service(Prng prng, std::uint32_t index, const WorldPlan& plan) {
  ServiceSpec service;
  service.id = ServiceId{index};
  service.name = "s" + std::to_string(index);
  if (!plan.settings.teams.empty() && prng.chance(1, 2)) {
    service.team = plan.settings.teams[prng.below(plan.settings.teams.size())].name;
  }
  service.service_class = prng.chance(2, 3) ? ServiceClass::core : ServiceClass::standard;
  if (service.service_class == ServiceClass::standard && prng.chance(1, 2)) service.tier_weight = 0;
  service.shape = draw_shape(prng, plan);
  service.shape.cards = std::min(service.shape.cards, 2);
  if (prng.chance(1, 4)) service.models = draw_models(prng, plan);
  service.guard = small(prng, 0, 2);
  service.max = service.guard + small(prng, 0, 4);
  service.start_ms = one_of(prng, {0, 20, 60}) * kSecond;
  service.drain_ms = one_of(prng, {0, 10, 30}) * kSecond;
  service.max_missing = small(prng, 0, 1);
  return service;
}

void draw_checkpoints(Prng& prng, JobSpec& job) {
  job.ckpt.mode = one_of(prng, {CheckpointMode::none, CheckpointMode::interval, CheckpointMode::interval,
                                CheckpointMode::interval, CheckpointMode::on_demand});
  if (job.ckpt.mode == CheckpointMode::none) return;
  if (job.ckpt.mode == CheckpointMode::interval) job.ckpt.interval_ms = prng.between(1, 20) * 30 * kSecond;
  job.ckpt.write_ms = one_of(prng, {0, 0, 5, 20}) * kSecond;
  job.ckpt.restart_ms = one_of(prng, {0, 0, 15, 60}) * kSecond;
  if (prng.chance(1, 12)) job.ckpt.scope = CheckpointScope::node;
}

// What makes a job more than a plain gang.
void draw_extras(Prng& prng, PlannedJob& job, const WorldPlan& plan) {
  JobSpec& spec = job.spec;
  if (prng.chance(1, 5)) spec.models = draw_models(prng, plan);
  spec.models_in_order = !spec.models.empty() && prng.chance(1, 2);
  if (prng.chance(1, 10)) spec.one_per_node = true;
  if (prng.chance(1, 10)) spec.within = one_of(prng, {GangScope::group, GangScope::rack});
  if (prng.chance(1, 10) && spec.id.value > 0)
    spec.after = {JobId{static_cast<std::uint32_t>(prng.below(spec.id.value))}};
  if (prng.chance(1, 10)) job.truth.fails_at_launch = small(prng, 1, 5);
  spec.max_retries = small(prng, 0, 4);
  const bool whole = spec.roles.size() == 1 && spec.roles[0].shape.whole();
  if (prng.chance(1, 12) && whole && spec.roles[0].count == 1) {
    spec.roles[0].shape.cards = 1;
    spec.elastic = {
        {.gpus = 1, .speed_milli = 1000}, {.gpus = 2, .speed_milli = 1800}, {.gpus = 4, .speed_milli = 3200}};
  }
  if (prng.chance(1, 12)) {
    spec.roles.push_back({.role = "helper", .count = 1, .shape = Shape{.cards = 1}});
    spec.roles[0].role = "main";
    if (prng.chance(1, 2)) {
      // A helper that never ends by itself: the job is over when its main role is.
      spec.done_when = "main";
      job.truth.worker_run_ms.assign(static_cast<std::size_t>(spec.roles[0].count), job.truth.run_ms);
      job.truth.worker_run_ms.push_back(kNever);
    }
  }
}

PlannedJob draw_job(Prng prng, std::uint32_t index, const WorldPlan& plan) {
  PlannedJob job;
  JobSpec& spec = job.spec;
  spec.id = JobId{index};
  spec.name = "j" + std::to_string(index);
  spec.submitted_ms = prng.between(0, 5400) * kSecond;
  if (!plan.settings.teams.empty()) spec.team = plan.settings.teams[prng.below(plan.settings.teams.size())].name;
  spec.type = one_of<const char*>(prng, {"", "", "t1", "t2"});
  spec.tier = prng.chance(1, 3) ? "train_best_effort" : "";
  const Shape shape = draw_shape(prng, plan);
  const std::int32_t workers = shape.whole() ? one_of(prng, {1, 1, 1, 1, 2, 3, 4}) : 1;
  spec.roles = {{.role = "", .count = workers, .shape = shape}};
  draw_checkpoints(prng, spec);
  job.truth.run_ms = one_of<DurationMs>(prng, {30, 300, 900, 2400}) * prng.between(200, 1000);
  if (prng.chance(1, 2)) spec.limit_ms = job.truth.run_ms * one_of<std::int64_t>(prng, {1, 2, 4});
  if (prng.chance(1, 20)) spec.limit_ms = job.truth.run_ms / 2 + 1;
  if (prng.chance(1, 3)) spec.declared_run_ms = job.truth.run_ms;
  if (prng.chance(1, 5)) spec.deadline_ms = spec.submitted_ms + job.truth.run_ms * prng.between(1, 6);
  draw_extras(prng, job, plan);
  return job;
}

void draw_needs(std::uint64_t seed, WorldPlan& plan) {
  for (const ServiceSpec& service : plan.services) {
    Prng prng = part_of(seed, kNeed, service.id.value);
    const std::int64_t steps = prng.between(0, 5);
    for (std::int64_t i = 0; i < steps; ++i) {
      PlannedNeed need{.at_ms = prng.between(0, 5400) * kSecond};
      need.need.service = service.id;
      need.need.replicas = small(prng, 0, service.max + 1);
      need.need.ramp = small(prng, 0, 1);
      if (prng.chance(1, 4)) need.need.valid_until_ms = need.at_ms + prng.between(1, 10) * kMinute;
      plan.needs.push_back(need);
    }
    plan.needs.push_back({.at_ms = plan.quiet_from_ms, .need = {.service = service.id}});
  }
}

PlannedFault draw_fault(Prng prng, const WorldPlan& plan) {
  const NodeSpec& node = plan.nodes[prng.below(plan.nodes.size())];
  PlannedFault fault{.kind = static_cast<FaultKind>(prng.below(5)), .node = node.id};
  fault.at_ms = prng.between(1, 5400) * kSecond;
  fault.until_ms = std::min(plan.quiet_from_ms, fault.at_ms + prng.between(10, 2400) * kSecond);
  fault.card = small(prng, 0, node.cards - 1);
  fault.code = one_of(prng, {13, 79, 12345});
  fault.cards = small(prng, 0, node.cards - 1);
  return fault;
}

PlannedAct draw_act(Prng prng, const WorldPlan& plan) {
  PlannedAct act{.kind = static_cast<ActKind>(prng.below(15))};
  act.at_ms = prng.between(1, 5400) * kSecond;
  act.until_ms = act.at_ms + prng.between(10, 1200) * kSecond;
  if (!plan.jobs.empty()) act.job = JobId{static_cast<std::uint32_t>(prng.below(plan.jobs.size()))};
  if (!plan.services.empty()) act.service = plan.services[prng.below(plan.services.size())].id;
  switch (act.kind) {
    case ActKind::edit_tier:
      act.name = prng.chance(1, 2) ? "train_normal" : "train_best_effort";
      break;
    case ActKind::edit_deadline:
      act.amount = act.at_ms + prng.between(1, 120) * kMinute;
      break;
    case ActKind::edit_limit:
      act.amount = prng.between(1, 60) * kMinute;
      break;
    case ActKind::guard:
      act.amount = prng.between(0, 3);
      break;
    case ActKind::need_planned:
      act.amount = prng.between(0, 4);
      break;
    case ActKind::quota:
      act.amount = prng.between(0, cards_of(plan.nodes));
      if (!plan.settings.teams.empty()) act.name = plan.settings.teams[prng.below(plan.settings.teams.size())].name;
      break;
    default:
      break;
  }
  return act;
}

}  // namespace

WorldPlan plan_world(std::uint64_t seed, const PlanBounds& bounds) {
  WorldPlan plan;
  plan.seed = seed;
  plan.quiet_from_ms = 2 * kHour;
  Prng prng = part_of(seed, kPool, 1);
  plan.executor.exit_ms = one_of(prng, {0, 0, 5}) * kSecond;
  const std::int64_t nodes = prng.between(1, 6);
  const std::int64_t jobs = prng.between(1, prng.chance(1, 4) ? 60 : 20);
  const std::int64_t services = prng.between(0, 3);
  const std::int64_t faults = prng.chance(1, 2) ? prng.between(0, 6) : 0;
  const std::int64_t acts = prng.chance(1, 2) ? prng.between(0, 8) : 0;

  const PoolKind kind = draw_pool_kind(seed);
  const auto count = [](std::int64_t drawn, std::int32_t most) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(drawn, 0, most));
  };
  for (std::uint32_t i = 0; i < count(nodes, bounds.nodes_max); ++i) {
    plan.nodes.push_back(draw_node(part_of(seed, kNode, i), i, kind));
  }
  plan.settings = draw_settings(seed, cards_of(plan.nodes));
  for (std::uint32_t i = 0; i < count(services, bounds.services_max); ++i) {
    plan.services.push_back(draw_service(part_of(seed, kService, i), i, plan));
  }
  for (std::uint32_t i = 0; i < count(jobs, bounds.jobs_max); ++i) {
    plan.jobs.push_back(draw_job(part_of(seed, kJob, i), i, plan));
  }
  draw_needs(seed, plan);
  for (std::uint32_t i = 0; i < count(faults, bounds.faults_max) && !plan.nodes.empty(); ++i) {
    plan.faults.push_back(draw_fault(part_of(seed, kFault, i), plan));
  }
  for (std::uint32_t i = 0; i < count(acts, bounds.acts_max); ++i) {
    plan.acts.push_back(draw_act(part_of(seed, kAct, i), plan));
  }
  return plan;
}

}  // namespace weir::property
