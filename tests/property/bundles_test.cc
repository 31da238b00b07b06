// Victim bundles against brute force over all sets of runs (engine.md 6.2, 6.3):
// a claim is made if and only if some set of victims makes room, no plan that is
// better in every part exists for a worker on one node, and no victim is in vain.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "driver.h"
#include "play.h"
#include "reference.h"

namespace weir::property {
namespace {

constexpr std::size_t kRunsMax = 10;                  // 1,024 sets at most
constexpr DurationMs kClearlyLaterMs = 60 * kSecond;  // two steps of lateness: no rounding hides it

Settings bare_settings() {
  Settings settings;
  settings.tiers = {{"infer", 100, TierRole::inference},
                    {"deadline", 80, TierRole::deadline},
                    {"high", 60, TierRole::training},
                    {"low", 40, TierRole::training},
                    {"lowest", 20, TierRole::training}};
  settings.default_tier = "low";
  settings.order = OrderRule::fifo;
  settings.rotation.on = false;
  settings.defrag = DefragMode::off;
  settings.aging_max_wait_ms = kNever;
  settings.min_run_ms = 0;
  return settings;
}

JobSpec draw_victim(Prng& prng, std::uint32_t id) {
  JobSpec job;
  job.id = JobId{id};
  job.tier = prng.chance(1, 2) ? "low" : "lowest";
  const auto cards = static_cast<std::int32_t>(prng.between(1, 4));
  job.roles = {{.role = "", .count = prng.chance(1, 5) ? 2 : 1, .shape = Shape{.cards = cards}}};
  if (prng.chance(1, 6)) return job;  // no checkpoints: never a victim
  job.ckpt.mode = CheckpointMode::interval;
  job.ckpt.interval_ms = prng.between(1, 20) * kMinute;
  job.ckpt.write_ms = prng.between(0, 3) * 10 * kSecond;
  job.ckpt.restart_ms = prng.between(0, 3) * 20 * kSecond;
  return job;
}

// One run as a victim: what it costs and when it can be gone.
struct Item {
  RunId run;
  std::vector<Placement> places;
  std::int32_t weight = 0;
  TimeMs free_ms = 0;
  GpuMs cost = 0;
};

struct Plan {
  std::int32_t weight = 0;  // highest tier touched
  TimeMs due_ms = 0;
  GpuMs cost = 0;
};

// Better or as good in the three leading parts of the order, and better in one.
bool clearly_better(const Plan& a, const Plan& b) {
  if (a.weight != b.weight) return a.weight < b.weight;
  if (a.due_ms + kClearlyLaterMs <= b.due_ms) return true;
  return a.due_ms <= b.due_ms && a.cost < b.cost;
}

struct Scene {
  std::vector<NodeSpec> nodes;
  std::vector<JobSpec> jobs;  // victims first, the beneficiary last
  std::vector<Item> items;
  FreePool free;
  JobSpec taker;
  TimeMs now_ms = 0;
  StepResult result;
  std::string text;
};

Item item_of(const LiveRun& run, const JobSpec& job, TimeMs now_ms) {
  Item item{.run = run.run, .places = run.places, .weight = job.tier == "low" ? 40 : 20};
  const DurationMs interval_ms = job.ckpt.interval_ms;
  const DurationMs done_ms = now_ms - run.started_ms;
  const std::int64_t boundary = std::max<std::int64_t>(1, (done_ms + interval_ms - 1) / interval_ms);
  item.free_ms = run.started_ms + boundary * interval_ms + job.ckpt.write_ms;
  std::int64_t cards = 0;
  for (const Placement& place : run.places) cards += std::popcount(place.cards);
  item.cost = cards * (job.ckpt.restart_ms + job.ckpt.write_ms);
  return item;
}

Scene draw_scene(std::uint64_t seed, bool gang) {
  Prng prng(seed);
  Scene scene;
  const std::int64_t count = prng.between(1, 3);
  Settings settings = bare_settings();
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    NodeSpec node;
    node.id = NodeId{i};
    node.name = "n" + std::to_string(i);
    node.cards = static_cast<std::int32_t>(prng.between(2, 8));
    settings.total_gpus += node.cards;
    scene.nodes.push_back(node);
  }
  Driver driver(settings, scene.nodes);
  TimeMs now_ms = 0;
  const std::int64_t wanted = prng.between(1, kRunsMax);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(wanted); ++i) {
    now_ms += prng.between(1, 600) * kSecond;
    JobSpec job = draw_victim(prng, i);
    job.submitted_ms = now_ms;
    scene.jobs.push_back(job);
    const StepResult result = driver.feed(now_ms, {event::JobSubmitted{job}});
    const bool runs = std::any_of(result.decisions.begin(), result.decisions.end(),
                                  [](const Decision& d) { return std::holds_alternative<decision::StartRun>(d.body); });
    if (!runs) (void)driver.feed(now_ms, {event::JobCancelled{job.id}});
  }
  scene.now_ms = now_ms + prng.between(1, 600) * kSecond;
  scene.free = empty_pool(scene.nodes);
  for (const auto& [id, run] : driver.live()) {
    for (const Placement& place : run.places) take(scene.free, place);
    const JobSpec& job = scene.jobs[run.job.value];
    if (job.ckpt.mode == CheckpointMode::interval) scene.items.push_back(item_of(run, job, scene.now_ms));
  }
  scene.taker.id = JobId{static_cast<std::uint32_t>(scene.jobs.size())};
  scene.taker.tier = "high";
  scene.taker.submitted_ms = scene.now_ms;
  const auto cards = static_cast<std::int32_t>(prng.between(1, 8));
  scene.taker.roles = {{.role = "",
                        .count = gang ? static_cast<std::int32_t>(prng.between(2, 3)) : 1,
                        .shape = Shape{.cards = gang ? std::min(cards, 4) : cards}}};
  scene.jobs.push_back(scene.taker);
  scene.result = driver.feed(scene.now_ms, {event::JobSubmitted{scene.taker}});
  WorldPlan plan;
  plan.seed = seed;
  plan.nodes = scene.nodes;
  for (const JobSpec& job : scene.jobs) plan.jobs.push_back({.spec = job, .truth = {}});
  scene.text = text_of(plan);
  for (const auto& [id, run] : driver.live()) {
    scene.text +=
        line_of(Decision{.body = decision::StartRun{.run = run.run, .job = run.job, .places = run.places}}) + "\n";
  }
  for (const Change& change : scene.result.changes) scene.text += line_of(change) + "\n";
  return scene;
}

bool makes_room(const Scene& scene, const std::vector<const Item*>& victims) {
  FreePool pool = scene.free;
  for (const Item* victim : victims) {
    for (const Placement& place : victim->places) {
      for (FreeNode& node : pool) {
        if (node.spec.id != place.node) continue;
        for (std::size_t card = 0; card < node.cards.size(); ++card) {
          if ((place.cards >> card & 1) != 0) node.cards[card] = FreeCard{.mem_mib = node.spec.card_mem_mib};
        }
      }
    }
  }
  bool gave_up = false;
  return place_all(pool, needs_of(scene.taker), {}, gave_up).has_value();
}

Plan plan_of(const std::vector<const Item*>& victims, TimeMs now_ms) {
  Plan plan{.weight = 0, .due_ms = now_ms, .cost = 0};
  for (const Item* victim : victims) {
    plan.weight = std::max(plan.weight, victim->weight);
    plan.due_ms = std::max(plan.due_ms, victim->free_ms);
    plan.cost += victim->cost;
  }
  return plan;
}

// The best plan by brute force, over all sets that make room.
std::vector<Plan> all_plans(const Scene& scene) {
  std::vector<Plan> plans;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << scene.items.size(); ++set) {
    std::vector<const Item*> victims;
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
      if ((set >> i & 1) != 0) victims.push_back(&scene.items[i]);
    }
    if (makes_room(scene, victims)) plans.push_back(plan_of(victims, scene.now_ms));
  }
  return plans;
}

const change::ClaimMade* claim_in(const StepResult& result) {
  for (const Change& change : result.changes) {
    if (const auto* made = std::get_if<change::ClaimMade>(&change)) return made;
  }
  return nullptr;
}

bool starts(const StepResult& result) {
  return std::any_of(result.decisions.begin(), result.decisions.end(),
                     [](const Decision& d) { return std::holds_alternative<decision::StartRun>(d.body); });
}

std::vector<const Item*> victims_of(const Scene& scene, const change::ClaimMade& made) {
  std::vector<const Item*> victims;
  for (const change::ClaimVictim& victim : made.victims) {
    for (const Item& item : scene.items) {
      if (item.run == victim.run) victims.push_back(&item);
    }
  }
  return victims;
}

// What is wrong with the engine's answer to this scene; empty when nothing is.
std::string judge(const Scene& scene, bool exact) {
  const std::vector<Plan> plans = all_plans(scene);
  const change::ClaimMade* made = claim_in(scene.result);
  if (makes_room(scene, {})) return starts(scene.result) ? "" : "there is room and the job does not start";
  if (plans.empty()) return made == nullptr ? "" : "a claim is made though no set of victims makes room";
  if (made == nullptr) return "a set of victims makes room, and no claim is made";
  const std::vector<const Item*> victims = victims_of(scene, *made);
  if (victims.size() != made->victims.size()) return "the claim names a run that cannot yield";
  if (!makes_room(scene, victims)) return "the victims of the claim do not make room";
  for (const Item* spared : victims) {
    std::vector<const Item*> fewer = victims;
    std::erase(fewer, spared);
    if (makes_room(scene, fewer)) return "run " + std::to_string(spared->run.value) + " yields for nothing";
  }
  const Plan chosen = plan_of(victims, scene.now_ms);
  if (made->due_ms < chosen.due_ms) return "the claim is due before its victims can be gone";
  if (!exact) return "";
  for (const Plan& plan : plans) {
    if (clearly_better(plan, chosen)) {
      return "a better plan exists: tier " + std::to_string(plan.weight) + ", due " + std::to_string(plan.due_ms) +
             ", cost " + std::to_string(plan.cost) + "; chosen: " + std::to_string(chosen.weight) + ", " +
             std::to_string(chosen.due_ms) + ", " + std::to_string(chosen.cost);
    }
  }
  return "";
}

std::uint64_t draw_seed() {
  return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1'000'000'000)));
}

void check(bool gang) {
  const Scene scene = draw_scene(draw_seed(), gang);
  RC_CLASSIFY(claim_in(scene.result) != nullptr, "a claim was made");
  const std::string fault = judge(scene, !gang);
  if (!fault.empty()) {
    RC_LOG() << scene.text;
    RC_FAIL(fault);
  }
}

RC_GTEST_PROP(Bundles, OfOneWorkerAreTheBest, ()) { check(false); }
RC_GTEST_PROP(Bundles, OfGangsAreFeasibleAndTrimmed, ()) { check(true); }

}  // namespace
}  // namespace weir::property
