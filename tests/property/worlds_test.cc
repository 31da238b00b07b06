// Random worlds: safety at every step (the auditor), an end for all work and all
// claims, and the same decisions each time.
//
// How many: RC_PARAMS="max_success=N seed=S" (CMakeLists.txt sets it). A failure
// prints the world; `property_world --seed N --trace` plays it alone and
// `--minimise` cuts it down.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "play.h"

namespace weir::property {
namespace {

constexpr std::uint64_t kSeedsMax = 1'000'000'000;

// What is drawn for one world. Only the bounds shrink: another seed is another world.
struct Draw {
  std::uint64_t seed = 0;
  PlanBounds bounds;
};

std::ostream& operator<<(std::ostream& out, const Draw& draw) {
  return out << "seed " << draw.seed << ", at most " << draw.bounds.nodes_max << " nodes, " << draw.bounds.jobs_max
             << " jobs, " << draw.bounds.services_max << " services, " << draw.bounds.faults_max << " faults, "
             << draw.bounds.acts_max << " acts";
}

// Bounds start wide open and shrink towards an empty world.
rc::Gen<std::int32_t> bound_of(std::int32_t least, std::int32_t most) {
  return rc::gen::map(
      rc::gen::shrink(rc::gen::just(most - least), [](std::int32_t over) { return rc::shrink::towards(over, 0); }),
      [least](std::int32_t over) { return least + over; });
}

rc::Gen<Draw> draws() {
  const PlanBounds open;
  return rc::gen::build<Draw>(
      rc::gen::set(&Draw::seed,
                   rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, kSeedsMax)))),
      rc::gen::set(&Draw::bounds,
                   rc::gen::build<PlanBounds>(rc::gen::set(&PlanBounds::nodes_max, bound_of(1, open.nodes_max)),
                                              rc::gen::set(&PlanBounds::jobs_max, bound_of(0, open.jobs_max)),
                                              rc::gen::set(&PlanBounds::services_max, bound_of(0, open.services_max)),
                                              rc::gen::set(&PlanBounds::faults_max, bound_of(0, open.faults_max)),
                                              rc::gen::set(&PlanBounds::acts_max, bound_of(0, open.acts_max)))));
}

std::string all_of(const Verdict& verdict) {
  std::string out;
  for (const std::string& problem : verdict.problems) out += problem + "\n";
  return out;
}

// Over all worlds of the suite below.
Coverage& covered() {
  static Coverage coverage;
  return coverage;
}

RC_GTEST_PROP(Worlds, KeepEveryInvariantAndComeToAnEnd, ()) {
  const Draw draw = *draws();
  const WorldPlan plan = plan_world(draw.seed, draw.bounds);
  const Verdict verdict = play(plan, {.check_clone = true});
  for (const auto& [what, times] : verdict.coverage) covered()[what] += times;
  if (!verdict.problems.empty()) {
    RC_LOG() << draw << "\n" << text_of(plan) << all_of(verdict);
    RC_FAIL("the world went wrong");
  }
}

RC_GTEST_PROP(Worlds, PlayTheSameTwice, ()) {
  const Draw draw = *draws();
  const WorldPlan plan = plan_world(draw.seed, draw.bounds);
  const Verdict first = play(plan, {.liveness = false});
  const Verdict second = play(plan, {.liveness = false});
  RC_ASSERT(first.steps == second.steps);
  RC_ASSERT(first.decisions_hash == second.decisions_hash);
  RC_ASSERT(first.state_hash == second.state_hash);
}

// A suite whose worlds never do what it is there to check would pass for nothing.
// Needs some hundred worlds: with fewer it has nothing to say.
TEST(WorldsCoverage, EverythingHappened) {
  if (covered()["start"] < 5'000) GTEST_SKIP() << "too few worlds played in this run";
  for (const char* what : {"resume",        "start on claim",   "start on loan", "replica",         "withdraw",
                           "node down",     "exit done",        "exit yielded",  "exit failed",     "exit stopped",
                           "ask claim",     "ask rotation",     "ask limit",     "ask drain",       "stop cancel",
                           "stop limit",    "stop member_lost", "claim started", "claim withdrawn", "claim superseded",
                           "claim expired", "promoted",         "aged",          "job rejected",    "job succeeded",
                           "job failed",    "job backoff"}) {
    EXPECT_GT(covered()[what], 0) << what;
  }
  for (const auto& [what, times] : covered()) std::printf("%9lld  %s\n", static_cast<long long>(times), what.c_str());
}

}  // namespace
}  // namespace weir::property
