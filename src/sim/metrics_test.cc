#include "sim/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/recorder.h"

namespace weir {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Ten hours, the first of them warm-up, one node of eight cards, no load.
Workload workload(std::vector<TraceJob> jobs) {
  Workload w;
  w.jobs = std::move(jobs);
  w.horizon_ms = 10 * kHour;
  w.warmup_ms = kHour;
  w.pool.nodes = {{.id = NodeId(0), .cards = 8}};
  return w;
}

TraceJob job(TimeMs submit, DurationMs run, std::int32_t gpus) {
  return {.submit_ms = submit, .duration_ms = run, .gpus = gpus, .ckpt_ms = 10 * kMinute};
}

// Plays steps to a recorder by hand.
class Recorded : public ::testing::Test {
 protected:
  void begin(Workload w) {
    workload_ = std::move(w);
    recorder_ = std::make_unique<Recorder>(workload_, services_of(workload_));
  }
  void event(TimeMs now, event::Body body) {
    const Event e{now, std::move(body)};
    recorder_->on_step(now, {&e, 1}, {});
  }
  void decide(TimeMs now, std::vector<decision::Body> bodies, std::vector<Change> changes = {}) {
    StepResult result{.changes = std::move(changes)};
    for (decision::Body& body : bodies) result.decisions.push_back({next_++, std::move(body)});
    recorder_->on_step(now, {}, result);
  }
  void submit(std::uint32_t index) {
    event(workload_.jobs[index].submit_ms, event::JobSubmitted{job_spec(workload_, index)});
  }
  static decision::StartRun start(std::uint32_t run, std::uint32_t of, std::uint64_t cards, int incarnation = 1,
                                  DurationMs from = 0) {
    return {.run = RunId(run),
            .job = JobId(of),
            .incarnation = incarnation,
            .places = {{.node = NodeId(0), .cards = cards}},
            .resume_progress_ms = from};
  }
  static event::RunExited exit(std::uint32_t run, event::Exit how, DurationMs progress) {
    return {RunId(run), how, progress};
  }
  PolicyMetrics measured(const std::vector<JobOutcome>* baseline = nullptr) {
    const PolicyRun run = recorder_->finish();
    return measure(workload_, run, baseline);
  }

  Workload workload_;
  std::unique_ptr<Recorder> recorder_;
  std::uint64_t next_ = 0;
};

TEST_F(Recorded, AYieldCostsItsSaveAndRestoreAndNothingElse) {
  begin(workload({job(0, 4 * kHour, 2)}));
  submit(0);
  decide(kHour, {start(0, 0, 0b11)});
  decide(kHour + 5 * kMinute, {decision::AskYield{.run = RunId(0), .cause = YieldCause::rotation}});
  const TimeMs gone = kHour + 10 * kMinute + 30 * kSecond;
  event(gone, exit(0, event::Exit::yielded, 10 * kMinute));
  decide(2 * kHour, {start(1, 0, 0b11, 2, 10 * kMinute)});
  const TimeMs end = 2 * kHour + 60 * kSecond + 4 * kHour - 10 * kMinute;
  event(end, exit(1, event::Exit::done, 4 * kHour));
  const PolicyMetrics m = measured();

  const double whole = 8.0 * 9 * kHour;
  EXPECT_THAT(m.useful, DoubleNear(2.0 * 4 * kHour / whole, 1e-12));
  EXPECT_THAT(m.allocated, DoubleNear(2.0 * (4 * kHour + 90 * kSecond) / whole, 1e-12));
  EXPECT_THAT(m.duty, DoubleNear(0.47 * 2.0 * (4 * kHour + 90 * kSecond) / whole, 1e-12));
  EXPECT_THAT(m.lost_share_all, DoubleNear(90.0 * kSecond / (4 * kHour + 90 * kSecond), 1e-12));
  EXPECT_DOUBLE_EQ(m.lost_share_inference, 0);
  EXPECT_DOUBLE_EQ(*m.all.wait_mean_s, 3600);
  EXPECT_DOUBLE_EQ(*m.all.queueing_mean_s, 3600 + (2 * kHour - gone) / 1000.0);
  EXPECT_DOUBLE_EQ(*m.all.jct_mean_s, end / 1000.0);
  EXPECT_EQ(m.preemption.by_cause.at(YieldCause::rotation), 1);
  EXPECT_DOUBLE_EQ(m.preemption.at_boundary_share, 1);
  EXPECT_EQ(m.preemption.lost_steps, 0);
}

TEST_F(Recorded, AYieldAwayFromItsBoundaryIsSeen) {
  begin(workload({job(0, 4 * kHour, 2)}));
  submit(0);
  decide(kHour, {start(0, 0, 0b11)});
  decide(kHour, {decision::AskYield{.run = RunId(0)}});
  event(kHour + 11 * kMinute, exit(0, event::Exit::yielded, 10 * kMinute));  // 30 s late
  decide(2 * kHour, {start(1, 0, 0b11, 2, 5 * kMinute)});                    // and from too early
  const PolicyMetrics m = measured();
  EXPECT_DOUBLE_EQ(m.preemption.at_boundary_share, 0);
  EXPECT_EQ(m.preemption.lost_steps, 1);
}

TEST_F(Recorded, StopsBySchedulerCountAsPreemptionsAwayFromABoundary) {
  begin(workload({job(0, 4 * kHour, 1)}));
  submit(0);
  decide(kHour, {start(0, 0, 1)});
  event(2 * kHour + 5 * kMinute, exit(0, event::Exit::stopped, kHour));
  const PolicyMetrics m = measured();
  EXPECT_EQ(m.preemption.forced_stops, 1);
  EXPECT_DOUBLE_EQ(m.preemption.at_boundary_share, 0);
  EXPECT_THAT(m.useful, DoubleNear(1.0 / (8 * 9), 1e-12));  // five minutes were not kept
}

// A yield belongs to the instant of its request, like the requests themselves.
TEST_F(Recorded, TheWarmUpHasItsOwnStopsAndLostSteps) {
  begin(workload({job(0, 4 * kHour, 1), job(0, 4 * kHour, 1)}));
  submit(0);
  submit(1);
  decide(0, {start(0, 0, 1), start(1, 1, 2)});
  decide(50 * kMinute, {decision::AskYield{.run = RunId(0)}});
  event(50 * kMinute + 30 * kSecond, exit(0, event::Exit::yielded, 50 * kMinute));
  event(55 * kMinute, exit(1, event::Exit::stopped, 50 * kMinute));
  decide(2 * kHour, {start(2, 0, 1, 2, 0), start(3, 1, 2, 2, 50 * kMinute)});  // job 0 begins anew
  const PolicyMetrics m = measured();
  EXPECT_EQ(m.preemption.yields, 0);
  EXPECT_EQ(m.preemption.lost_steps, 0);
  EXPECT_EQ(m.preemption.forced_stops, 0);
  EXPECT_DOUBLE_EQ(m.preemption.at_boundary_share, 1);
}

// A claim for inference with two victims: one leaves at its boundary, the other
// ends by itself before.
TEST_F(Recorded, RequestsSucceedWhenTheLastCardIsFree) {
  begin(workload({job(0, 4 * kHour, 1), job(0, 4 * kHour, 1)}));
  submit(0);
  submit(1);
  decide(kHour, {start(0, 0, 1), start(1, 1, 2)});
  const TimeMs asked = kHour + 8 * kMinute;
  const change::ClaimMade made{.claim = ClaimId(0),
                               .beneficiary = ClaimFor::service,
                               .service = ServiceId(0),
                               .victims = {{.run = RunId(0)}, {.run = RunId(1)}}};
  decide(asked,
         {decision::AskYield{.run = RunId(0), .claim = ClaimId(0)},
          decision::AskYield{.run = RunId(1), .claim = ClaimId(0)}},
         {made});
  event(asked + 60 * kSecond, exit(1, event::Exit::done, 4 * kHour));
  event(asked + 150 * kSecond, exit(0, event::Exit::yielded, 10 * kMinute));
  const PolicyMetrics m = measured();
  EXPECT_EQ(m.preemption.requests, 1);
  EXPECT_DOUBLE_EQ(*m.preemption.success_120s, 0);
  EXPECT_DOUBLE_EQ(*m.preemption.success_300s, 1);
  EXPECT_EQ(m.preemption.yields, 1);
  EXPECT_GT(m.lost_share_inference, 0);
}

TEST_F(Recorded, WithdrawnClaimsAndClaimsOfJobsAreNoRequests) {
  begin(workload({job(0, 4 * kHour, 1), job(0, 4 * kHour, 1)}));
  submit(0);
  decide(kHour, {start(0, 0, 1)});
  const change::ClaimMade inference{
      .claim = ClaimId(0), .beneficiary = ClaimFor::service, .victims = {{.run = RunId(0)}}};
  const change::ClaimMade training{.claim = ClaimId(1), .beneficiary = ClaimFor::job, .victims = {{.run = RunId(0)}}};
  decide(2 * kHour, {}, {inference, training});
  decide(2 * kHour + 1, {}, {change::ClaimEnded{ClaimId(0), ClaimEnd::withdrawn}});
  EXPECT_EQ(measured().preemption.requests, 0);
}

TEST_F(Recorded, AVictimThatIsDroppedIsNotWaitedFor) {
  begin(workload({job(0, 4 * kHour, 1), job(0, 4 * kHour, 1)}));
  submit(0);
  submit(1);
  decide(kHour, {start(0, 0, 1), start(1, 1, 2)});
  const change::ClaimMade made{
      .claim = ClaimId(0), .beneficiary = ClaimFor::guard_floor, .victims = {{.run = RunId(0)}, {.run = RunId(1)}}};
  decide(2 * kHour, {}, {made});
  event(2 * kHour + 40 * kSecond, exit(0, event::Exit::yielded, 10 * kMinute));
  decide(2 * kHour + 50 * kSecond, {}, {change::VictimDropped{ClaimId(0), RunId(1)}});
  const PolicyMetrics m = measured();
  EXPECT_DOUBLE_EQ(*m.preemption.success_120s, 1);
}

TEST_F(Recorded, WorseOffIsAgainstTheBaselineAndCensored) {
  begin(workload({job(0, kHour, 1), job(0, kHour, 1), job(0, 8 * kHour, 1)}));
  for (std::uint32_t i = 0; i < 3; ++i) submit(i);
  decide(0, {start(0, 0, 1)});
  event(kHour, exit(0, event::Exit::done, kHour));
  decide(kHour, {start(1, 1, 1)});
  event(2 * kHour, exit(1, event::Exit::done, kHour));
  std::vector<JobOutcome> baseline(3);
  baseline[0].end_ms = kHour;      // the same
  baseline[1].end_ms = kHour;      // half of it
  baseline[2].end_ms = 9 * kHour;  // here it never ran: ten hours, 1.11 x
  const PolicyMetrics m = measured(&baseline);
  EXPECT_THAT(*m.all.worse_off_share, DoubleNear(2.0 / 3, 1e-12));
  EXPECT_DOUBLE_EQ(*m.by_duration[2].worse_off_share, 1);
  EXPECT_FALSE(m.by_duration[0].worse_off_share.has_value());
}

TEST_F(Recorded, WorkLeftFromTheWarmUpIsCarriedOver) {
  begin(workload({job(0, 2 * kHour, 4)}));
  submit(0);
  decide(30 * kMinute, {start(0, 0, 0b1111)});
  event(150 * kMinute, exit(0, event::Exit::done, 2 * kHour));
  const PolicyMetrics m = measured();
  EXPECT_THAT(m.carry_over, DoubleNear(4.0 * 30 * kMinute / (8.0 * 9 * kHour), 1e-12));
  EXPECT_LE(m.useful, bounds_of(workload_).demand + m.carry_over + 1e-12);
}

TEST(Bounds, DemandAndSaturation) {
  Workload w = workload({job(0, 2 * kHour, 4), job(9 * kHour, 4 * kHour, 8)});
  w.load = {.services = {"s"}, .start_ms = {0, kHour}, .micro = {{0, 1'500'000}}};
  const Bounds bounds = bounds_of(w);
  EXPECT_THAT(bounds.demand, DoubleNear((1.5 * 9 + 4 * 1 + 8 * 1) / (8.0 * 9), 1e-12));
  EXPECT_THAT(bounds.saturation, DoubleNear(1.5 / 8 + (8 - 3.0) / 8, 1e-12));
}

TEST(Bounds, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.95), 4.8);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.99), 7);
  EXPECT_DOUBLE_EQ(median_of({5, 1, 3}), 3);
}

TEST(Workload, RotationMovesDeadlinesWithSubmissions) {
  Workload w = workload({job(kHour, kHour, 1), job(9 * kHour, kHour, 2)});
  w.jobs[1].deadline_ms = 12 * kHour;
  const Workload r = rotated(w, 2 * kHour);
  ASSERT_EQ(r.jobs.size(), 2U);
  EXPECT_EQ(r.jobs[0].gpus, 2);
  EXPECT_EQ(r.jobs[0].submit_ms, kHour);
  EXPECT_EQ(r.jobs[0].deadline_ms, 4 * kHour);
  EXPECT_EQ(r.jobs[1].submit_ms, 3 * kHour);
  const Workload d = doubled(w, 2 * kHour);
  EXPECT_EQ(d.jobs.size(), 4U);
}

TEST(Workload, JobsSayNothingOfTheirLength) {
  Workload w = workload({job(0, kHour, 12), job(0, kHour, 3)});
  w.jobs[0].tier = 1;
  w.jobs[0].deadline_ms = 5 * kHour;
  w.jobs[1].tier = 3;
  w.jobs[1].deadline_ms = 6 * kHour;
  const JobSpec large = job_spec(w, 0);
  ASSERT_EQ(large.roles.size(), 2U);
  EXPECT_EQ(large.roles[0].shape.cards, 8);
  EXPECT_EQ(large.roles[1].shape.cards, 4);
  EXPECT_EQ(large.declared_run_ms, 0);
  EXPECT_EQ(large.limit_ms, 0);
  EXPECT_EQ(large.deadline_ms, 5 * kHour);
  EXPECT_EQ(large.ckpt.write_ms, 30 * kSecond);
  EXPECT_EQ(job_spec(w, 1).deadline_ms, kNever);
}

}  // namespace
}  // namespace weir
