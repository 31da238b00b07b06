// Checks and invariants on records made by hand: what holds passes, and what
// does not hold fails with what happened instead.
#include "scenario/check.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/invariants.h"

namespace weir::scenario {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPool = R"(
scenario:
  nodes: {n1: {gpus: 2, gpu_mem_mib: 1000, model: A}}
  teams: {T: {quota: 2, borrow: true}}
  services: [{id: S, guard: 1, max: 3}]
  jobs:
    - {id: J, team: T, run: 1000, ckpt: 100}
    - {id: K, at: 5, tier: 5, run: 50}
    - {id: R, run: 5, may_be_rejected: true}
  until: 1000
)";

// A scenario and an empty record of it, to be filled by the test.
class Checks : public testing::Test {
 protected:
  Checks() : scenario_(*load(kPool, "s.yaml")), world_(WorldOptions{}), record_(scenario_, world_, false) {
    record_.end_ms = 1000 * kSecond;
    record_.steps = steps_every(30 * kSecond, record_.end_ms);
  }

  static std::vector<TimeMs> steps_every(DurationMs gap, TimeMs until) {
    std::vector<TimeMs> steps;
    for (TimeMs t = 0; t <= until; t += gap) steps.push_back(t);
    return steps;
  }

  JobRecord& job(std::string_view name) { return record_.jobs[scenario_.job(name).value]; }

  void run(std::string_view name, TimeMs from_s, TimeMs to_s, DurationMs resume_s = 0) {
    const RunId id(static_cast<std::uint32_t>(record_.run_of.size()));
    record_.run_of[id] = {scenario_.job(name), job(name).attempts.size()};
    Attempt attempt{.run = id, .start_ms = from_s * kSecond, .end_ms = to_s * kSecond, .resume_ms = resume_s * kSecond};
    attempt.places.push_back({.node = NodeId(0), .cards = 1});
    job(name).attempts.push_back(attempt);
    job(name).states.emplace_back(from_s * kSecond, JobState::running);
    hold({.node = NodeId(0),
          .cards = 1,
          .from_ms = from_s * kSecond,
          .to_ms = to_s * kSecond,
          .job = scenario_.job(name),
          .run = id});
  }

  void hold(const Hold& hold) {
    record_.holds.push_back(hold);
    record_.change_times.push_back(hold.from_ms);
    record_.change_times.push_back(hold.to_ms);
    std::sort(record_.change_times.begin(), record_.change_times.end());
  }

  // The verdict on one check, written as in a file.
  Verdict verdict(const std::string& check) {
    const auto scenario = load(std::string(kPool) + "expect:\n  - " + check + "\n", "s.yaml");
    if (!scenario) return broken(scenario.error().front().text());
    return judge(record_, scenario->expect.front());
  }

  void expect_holds(const std::string& check) {
    const Verdict v = verdict(check);
    EXPECT_TRUE(v.holds) << check << "; instead " << v.instead;
  }
  void expect_fails(const std::string& check, const std::string& instead) {
    const Verdict v = verdict(check);
    EXPECT_FALSE(v.holds) << check;
    EXPECT_THAT(v.instead, HasSubstr(instead));
  }

  Scenario scenario_;
  World world_;
  Record record_;
};

TEST_F(Checks, StartsAndResumes) {
  run("J", 10, 300);
  run("J", 400, 900, 290);
  expect_holds("starts: {job: J, by: 10, not_before: 10}");
  expect_fails("starts: {job: J, by: 9}", "J started at t=10");
  expect_fails("starts: {job: J, not_before: 11}", "J started at t=10");
  expect_fails("starts: {job: K, by: 500}", "K did not start");
  expect_holds("resumes: {job: J, by: 400, progress_at_least: 290}");
  expect_fails("resumes: {job: J, by: 400, progress_at_least: 291}", "t=400 from 290 s of work");
  expect_holds("resume_points: {job: J, at_least: [200]}");
  expect_fails("resume_points: {job: J, at_least: [200, 400]}", "[290]");
  expect_holds("starts_count: {job: J, equals: 2}");
  expect_fails("attempts: {job: J, max: 1}", "2 starts of J at t=10, t=400");
  expect_holds("not_started: {job: K, until: 900}");
  expect_fails("not_started: {job: J, until: 900}", "J started at t=10");
}

TEST_F(Checks, StartsAfterHoldsWhenItNeverStarts) {
  run("J", 10, 300);
  job("J").states.emplace_back(300 * kSecond, JobState::succeeded);
  expect_holds("starts_after: {job: K, after_end_of: J}");
  expect_fails("starts_after: {job: K, after_end_of: J, within: 5}", "K did not start");
  run("K", 299, 400);
  expect_fails("starts_after: {job: K, after_end_of: J}", "K started at t=299; J ended t=300");
}

TEST_F(Checks, OverlapAndEnds) {
  run("J", 10, 300);
  run("K", 300, 350);
  job("K").states.emplace_back(350 * kSecond, JobState::failed);
  expect_holds("overlap: {jobs: [J, K], allowed: false}");
  expect_fails("ends: {job: K, by: 400, state: succeeded}", "K failed at t=350");
  expect_fails("ends: {job: J, by: 400}", "J did not end; it is running");
  run("J", 340, 500);
  expect_fails("overlap: {jobs: [J, K], allowed: false}", "J and K ran together at t=340");
}

TEST_F(Checks, UseOverTime) {
  run("J", 10, 300);
  hold({.node = NodeId(0),
        .cards = 2,
        .share = true,
        .milli = 250,
        .from_ms = 50 * kSecond,
        .to_ms = 60 * kSecond,
        .service = ServiceId(0),
        .replica = ReplicaId(7)});
  expect_holds("uses: {during: [10, 49], node: n1, equals: 1}");
  expect_fails("uses: {during: [10, 299], node: n1, equals: 1}", "1.25 GPUs in use at t=50");
  expect_holds("uses: {t: 55, team: T, equals: 1}");
  expect_holds("uses: {t: 55, service: S, equals: 0.25}");
  expect_holds("per_gpu: {node: n1, t: 55, equals: [1, 0.25]}");
  expect_fails("per_gpu: {node: n1, t: 55, max: 0.2}", "1 GPU in use on card 0 of n1");
  expect_fails("ledger_zero: {at: 55}", "hold 1.25 GPU");
  expect_fails("uses: {t: 55, node: n1}", "names no amount");
}

TEST_F(Checks, CountsOfYields) {
  run("J", 0, 100);
  record_.yields = {{.job = scenario_.job("J"),
                     .run = RunId(0),
                     .claim = ClaimId(0),
                     .cause = YieldCause::claim,
                     .asked_ms = 20'000,
                     .left_ms = 100'000},
                    {.job = scenario_.job("J"),
                     .run = RunId(0),
                     .cause = YieldCause::move,
                     .asked_ms = 200'000,
                     .withdrawn_ms = 210'000}};
  expect_holds("preempted: {job: J, times: 1, not_before: 100}");
  expect_fails("preempted: {job: J, times: 1, not_before: 101}", "1 preemptions of J at t=100");
  expect_holds("total_preemptions: {equals: 1}");
  expect_holds("moves: {equals: 0}");
  expect_holds("yield_asked: {job: J, times: 2}");
  expect_holds("withdrawn: {job: J, times: 1}");
  expect_holds("counter: {name: weir_preemptions_total, equals: 1}");
  EXPECT_TRUE(verdict("counter: {name: http_requests, equals: 1}").skipped);
}

TEST_F(Checks, ReasonsByTheirWords) {
  job("K").states.emplace_back(5 * kSecond, JobState::waiting);
  job("K").reasons = {{5 * kSecond, {{.code = ReasonCode::capacity}}},
                      {90 * kSecond, {{.code = ReasonCode::behind, .job = scenario_.job("J")}}}};
  expect_holds("reason: {job: K, at: 89, code: [capacity]}");
  expect_fails("reason: {job: K, at: 90, code: [capacity]}", "the reasons at t=90 are: priority(J)");
  expect_holds("reason: {job: K, at: 95, code: [priority]}");
  expect_holds("reason_names: {job: K, at: 95, holder: J}");
  expect_fails("reason_never: {job: K, code: [priority]}", "t=90");
  expect_fails("reason: {job: K, at: 2, code: [capacity]}", "no reason is given");
  run("K", 100, 200);
  expect_holds("reason: {job: K, at: 150, code: [quota]}");  // it runs by then
}

TEST_F(Checks, ARejectedJobThatMayBe) {
  job("R").rejected = change::JobRejected{.job = scenario_.job("R"), .field = "gpus", .message = "no"};
  job("J").rejected = job("R").rejected;
  expect_holds("starts: {job: R, by: 5}");
  expect_holds("rejected: {job: R, field: gpus}");
  expect_fails("rejected: {job: R, field: models}", "naming gpus");
  expect_holds("starts: {job: J, by: 5, unless_rejected: true}");
  expect_fails("starts: {job: J, by: 5}", "it was rejected");
}

TEST_F(Checks, AnyOfNeedsOne) {
  run("J", 10, 300);
  expect_holds("any_of:\n      - starts: {job: K, by: 5}\n      - starts: {job: J, by: 20}");
  expect_fails("any_of:\n      - starts: {job: K, by: 5}\n      - starts: {job: J, by: 5}",
               "K did not start; J started at t=10");
  EXPECT_TRUE(verdict("check: what a person must look at").skipped);
}

// --- invariants ---

TEST_F(Checks, NothingIsWrongWithAnOrderlyRun) {
  run("J", 0, 100);
  run("K", 100, 150);
  EXPECT_THAT(breaches_of(record_), ElementsAre());
}

TEST_F(Checks, I1ACardGivenOutTwice) {
  run("J", 0, 100);
  run("K", 99, 150);
  EXPECT_THAT(breaches_of(record_), Contains(HasSubstr("I1: card 0 of n1")));
}

TEST_F(Checks, I1SharesAboveTheCard) {
  for (int i = 0; i < 3; ++i)
    hold({.node = NodeId(0),
          .cards = 1,
          .share = true,
          .milli = 400,
          .from_ms = 0,
          .to_ms = 9000,
          .service = ServiceId(0)});
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("3 shares, 1200 milli")));
}

TEST_F(Checks, I2AGangWithoutAllItsWorkers) {
  run("J", 0, 100);
  job("J").attempts[0].places.clear();
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I2: J started at t=0 with 0 of 1 workers")));
}

TEST_F(Checks, I3AwayFromABoundary) {
  run("J", 0, 100);
  record_.yields = {
      {.job = scenario_.job("J"), .run = RunId(0), .cause = YieldCause::drain, .left_ms = 99'000, .at_boundary = false},
      {.job = scenario_.job("K"), .run = RunId(0), .cause = YieldCause::drain, .left_ms = 99'000}};
  EXPECT_THAT(breaches_of(record_),
              ElementsAre(HasSubstr("I3: J yielded away"), HasSubstr("I3: K has no checkpoints")));
}

TEST_F(Checks, I4BelowTheGuard) {
  record_.replicas.push_back({.id = ReplicaId(0),
                              .service = ServiceId(0),
                              .start_ms = 0,
                              .drain_ms = 50'000,
                              .cause = decision::DrainCause::taken});
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I4: S has 0 replicas at t=50, below its guard of 1")));
}

TEST_F(Checks, I6AClaimThatCameToNothing) {
  run("J", 0, 100);
  ClaimRecord& claim = record_.claims[ClaimId(3)];
  claim.made.job = scenario_.job("K");
  claim.made.expires_ms = 300'000;
  claim.freed = job("J").attempts[0].places;
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I6: the claim of K")));
  claim.how = ClaimEnd::started;
  claim.started = {{.node = NodeId(0), .cards = 2}};
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I6: K started, but on none")));
  claim.started = {{.node = NodeId(0), .cards = 1}};
  EXPECT_THAT(breaches_of(record_), ElementsAre());
}

TEST_F(Checks, I7TakenFromAnEqual) {
  ClaimRecord& claim = record_.claims[ClaimId(3)];
  claim.takings = {{.victim = scenario_.job("J"), .victim_weight = 5, .taker_weight = 5, .borrowed = false}};
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I7: a claim of weight 5 takes J")));
  claim.takings[0].borrowed = true;
  EXPECT_THAT(breaches_of(record_), ElementsAre());
}

TEST_F(Checks, I8I9I10) {
  job("K").reasons = {{5 * kSecond, {}}};
  record_.expected_resume = {{.job = scenario_.job("J"), .at_ms = 70'000, .newest_ms = 600'000, .used_ms = 300'000}};
  record_.steps = steps_every(31 * kSecond, record_.end_ms);
  EXPECT_THAT(breaches_of(record_),
              ElementsAre(HasSubstr("I8: K waits without a reason at t=5"),
                          HasSubstr("I9: J starts at t=70 from 300 s"), HasSubstr("I10: no round for 31 s")));
}

TEST_F(Checks, AStopOfTheEngineIsNoGap) {
  record_.steps = {0};
  for (TimeMs t = 500'000; t <= record_.end_ms; t += 30'000) record_.steps.push_back(t);
  EXPECT_THAT(breaches_of(record_), ElementsAre(HasSubstr("I10: no round for 500 s")));
  record_.stopped = {{20'000, 490'000}};
  EXPECT_THAT(breaches_of(record_), ElementsAre());
}

}  // namespace
}  // namespace weir::scenario
