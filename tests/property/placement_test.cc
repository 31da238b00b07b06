// The engine's placement against brute force: a piece of work that comes to a
// pool where nothing else waits starts at once if and only if a place exists.
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

Settings bare_settings() {
  Settings settings;
  settings.tiers = {{"infer", 100, TierRole::inference},
                    {"deadline", 80, TierRole::deadline},
                    {"train_normal", 40, TierRole::training}};
  settings.default_tier = "train_normal";
  settings.order = OrderRule::fifo;
  settings.rotation.on = false;
  settings.defrag = DefragMode::off;
  settings.preempt_enabled = false;
  return settings;
}

NodeSpec draw_node(Prng& prng, std::uint32_t index) {
  NodeSpec node;
  node.id = NodeId{index};
  node.name = "n" + std::to_string(index);
  node.model = prng.chance(1, 2) ? "A" : "B";
  node.cards = static_cast<std::int32_t>(prng.between(1, 8));
  node.card_mem_mib = prng.chance(1, 2) ? 16'384 : 32'768;
  node.cpu_milli = 4'000 * node.cards;
  node.ram_mib = 1'000 * node.cards;
  node.group = prng.chance(1, 2) ? "g0" : "g1";
  node.rack = node.group + (prng.chance(1, 2) ? "r0" : "r1");
  return node;
}

Shape draw_shape(Prng& prng) {
  Shape shape;
  if (prng.chance(1, 3)) {
    shape.milli = static_cast<std::int32_t>(prng.between(1, 9)) * 100;
    if (prng.chance(1, 3)) shape.card_mem_mib = prng.between(1, 20) * 1024;
  } else {
    shape.cards = static_cast<std::int32_t>(prng.between(1, 4));
    if (prng.chance(1, 6)) shape.card_mem_mib = 20'000;
  }
  shape.cpu_milli = prng.between(0, 3) * 1000;
  shape.ram_mib = prng.between(0, 3) * 250;
  return shape;
}

// What stands in the pool already: work that stays, each piece put on given cards.
std::vector<JobSpec> draw_occupants(Prng& prng, const std::vector<NodeSpec>& nodes) {
  FreePool pool = empty_pool(nodes);
  std::vector<JobSpec> jobs;
  const std::int64_t wanted = prng.between(0, 12);
  for (std::int64_t i = 0; i < wanted; ++i) {
    const NodeSpec& node = nodes[prng.below(nodes.size())];
    const WorkerNeed need{.shape = draw_shape(prng), .models = {}, .in_gang = true, .only = node.id};
    bool gave_up = false;
    const auto places = place_all(pool, {need}, {}, gave_up);
    if (!places) continue;
    take(pool, (*places)[0]);
    JobSpec job;
    job.id = JobId{static_cast<std::uint32_t>(jobs.size())};
    job.roles = {{.role = "", .count = 1, .shape = need.shape}};
    job.first_node = node.name;
    job.first_cards = (*places)[0].cards;
    jobs.push_back(job);
  }
  return jobs;
}

JobSpec draw_newcomer(Prng& prng, JobId id) {
  JobSpec job;
  job.id = id;
  const Shape shape = draw_shape(prng);
  job.roles = {{.role = "a", .count = static_cast<std::int32_t>(prng.between(1, 4)), .shape = shape}};
  if (prng.chance(1, 5)) job.roles.push_back({.role = "b", .count = 1, .shape = draw_shape(prng)});
  if (prng.chance(1, 4)) job.models = {prng.chance(1, 2) ? "A" : "B"};
  job.one_per_node = prng.chance(1, 6);
  if (prng.chance(1, 5)) job.within = prng.chance(1, 2) ? GangScope::group : GangScope::rack;
  return job;
}

bool started(const StepResult& result, JobId job) {
  return std::any_of(result.decisions.begin(), result.decisions.end(), [&](const Decision& decision) {
    const auto* start = std::get_if<decision::StartRun>(&decision.body);
    return start != nullptr && start->job == job;
  });
}

struct Outcome {
  bool exists = false;
  bool starts = false;
  bool sure = true;    // brute force came to its end
  bool staged = true;  // what stands in the pool stands where it was put
  std::string text;
};

Outcome compare(std::uint64_t seed) {
  Prng prng(seed);
  std::vector<NodeSpec> nodes;
  const std::int64_t count = prng.between(1, 5);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) nodes.push_back(draw_node(prng, i));
  Settings settings = bare_settings();
  for (const NodeSpec& node : nodes) settings.total_gpus += node.cards;
  Driver driver(settings, nodes);
  const std::vector<JobSpec> occupants = draw_occupants(prng, nodes);
  TimeMs now_ms = kSecond;
  for (const JobSpec& job : occupants) {
    now_ms += kSecond;
    (void)driver.feed(now_ms, {event::JobSubmitted{job}});
  }
  Outcome out;
  FreePool pool = empty_pool(nodes);
  for (const auto& [id, run] : driver.live()) {
    for (const Placement& place : run.places) take(pool, place);
  }
  out.staged = driver.live().size() == occupants.size();
  JobSpec job = draw_newcomer(prng, JobId{static_cast<std::uint32_t>(occupants.size())});
  job.submitted_ms = now_ms + kSecond;
  bool gave_up = false;
  const auto places = place_all(pool, needs_of(job), {.one_per_node = job.one_per_node, .within = job.within}, gave_up);
  out.exists = places.has_value();
  out.sure = !gave_up;
  out.starts = started(driver.feed(now_ms + kSecond, {event::JobSubmitted{job}}), job.id);
  WorldPlan plan;
  plan.seed = seed;
  plan.nodes = nodes;
  for (const JobSpec& occupant : occupants) plan.jobs.push_back({.spec = occupant, .truth = {}});
  plan.jobs.push_back({.spec = job, .truth = {}});
  out.text += text_of(plan) + "reasons: " + line_of(reasons_of(driver.state(), job.id));
  return out;
}

RC_GTEST_PROP(Placement, StartsIfAndOnlyIfAPlaceExists, ()) {
  const auto seed =
      *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1'000'000'000)));
  const Outcome out = compare(seed);
  RC_CLASSIFY(out.exists, "a place exists");
  RC_PRE(out.sure);
  if (!out.staged) {
    RC_LOG() << out.text;
    RC_FAIL("work does not start on the cards it names, though they are free");
  }
  if (out.exists != out.starts) {
    RC_LOG() << out.text;
    RC_FAIL(out.exists ? "a place exists and the job does not start" : "the job starts where there is no place");
  }
}

}  // namespace
}  // namespace weir::property
