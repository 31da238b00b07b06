#include "executor/simulated/simulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A world of one executor, told decisions and asked what happened.
class Executor : public ::testing::Test {
 protected:
  explicit Executor(SimulatedOptions options = {.report_checkpoints = false}) : executor_(options) {}

  void know(std::uint32_t job, DurationMs run_ms, CheckpointContract ckpt) {
    JobSpec spec{.id = JobId(job), .roles = {{.count = 1, .shape = {.cards = 1}}}, .ckpt = ckpt};
    executor_.know(spec, {.run_ms = run_ms});
  }
  void know_gang(std::uint32_t job, std::vector<DurationMs> worker_run_ms, std::vector<WorkerGroup> roles,
                 std::string done_when = {}) {
    JobSpec spec{.id = JobId(job), .roles = std::move(roles), .done_when = std::move(done_when)};
    executor_.know(spec, {.run_ms = 900, .worker_run_ms = std::move(worker_run_ms)});
  }
  void tell(TimeMs now, decision::Body body) {
    const Decision decision{next_id_++, std::move(body)};
    executor_.carry_out({&decision, 1}, now);
  }
  void start(TimeMs now, std::uint32_t run, std::uint32_t job, std::vector<std::uint32_t> nodes = {0},
             int incarnation = 1, DurationMs from = 0, std::int32_t speed = 1000) {
    decision::StartRun body{.run = RunId(run), .job = JobId(job), .incarnation = incarnation};
    for (const std::uint32_t node : nodes) body.places.push_back({.node = NodeId(node), .cards = 1});
    body.resume_progress_ms = from;
    body.speed_milli = speed;
    tell(now, body);
  }
  void ask(TimeMs now, std::uint32_t run, TimeMs not_before = 0) {
    tell(now, decision::AskYield{.run = RunId(run), .not_before_ms = not_before});
  }
  // What happened up to `until`, as "1800000 exit 0 yielded 600000".
  std::vector<std::string> until(TimeMs until_ms) {
    std::vector<std::string> lines;
    for (const Event& e : executor_.take_events(until_ms)) lines.push_back(text(e));
    return lines;
  }
  static std::string text(const Event& e) {
    const std::string at = std::to_string(e.at_ms) + " ";
    if (const auto* b = std::get_if<event::RunStarted>(&e.body)) return at + "started " + std::to_string(b->run.value);
    if (const auto* b = std::get_if<event::ReadyToYield>(&e.body)) return at + "ready " + std::to_string(b->run.value);
    if (const auto* b = std::get_if<event::CheckpointCommitted>(&e.body)) {
      return at + "saved " + std::to_string(b->progress_ms);
    }
    if (const auto* b = std::get_if<event::WorkerDone>(&e.body)) return at + "worker " + std::to_string(b->worker);
    if (const auto* b = std::get_if<event::ReplicaReady>(&e.body)) return at + "up " + std::to_string(b->replica.value);
    if (const auto* b = std::get_if<event::ReplicaExited>(&e.body)) {
      return at + (b->failed ? "broke " : "down ") + std::to_string(b->replica.value);
    }
    const auto& exit = std::get<event::RunExited>(e.body);
    static constexpr const char* kHow[] = {"done", "yielded", "failed", "stopped", "lost"};
    return at + kHow[static_cast<int>(exit.how)] + " " + std::to_string(exit.run.value) + " " +
           std::to_string(exit.progress_ms);
  }

  SimulatedExecutor executor_;
  std::uint64_t next_id_ = 0;
};

constexpr CheckpointContract kEvery600{
    .mode = CheckpointMode::interval, .interval_ms = 600, .write_ms = 30, .restart_ms = 60};
constexpr CheckpointContract kNoSaves{};

TEST_F(Executor, RunsToTheEnd) {
  know(1, 1000, kNoSaves);
  start(5, 7, 1);
  EXPECT_THAT(until(5), ElementsAre("5 started 7"));
  EXPECT_EQ(executor_.next_event_ms(), 1005);
  EXPECT_THAT(until(1004), IsEmpty());
  EXPECT_THAT(until(1005), ElementsAre("1005 done 7 1000"));
  EXPECT_EQ(executor_.next_event_ms(), kNever);
}

TEST_F(Executor, YieldsAtTheFirstBoundaryAndHoldsItsCardsForTheSave) {
  know(1, 10'000, kEvery600);
  start(0, 7, 1);
  ask(700, 7);
  EXPECT_THAT(until(1199), ElementsAre("0 started 7"));
  EXPECT_THAT(until(1229), ElementsAre("1200 ready 7"));
  ASSERT_EQ(executor_.live_runs(1215).size(), 1U);
  EXPECT_TRUE(executor_.live_runs(1215)[0].writing);
  EXPECT_EQ(executor_.live_runs(1215)[0].progress_ms, 1200);
  EXPECT_THAT(until(5000), ElementsAre("1230 yielded 7 1200"));
}

TEST_F(Executor, TheSameMillisecondCounts) {
  know(1, 10'000, kEvery600);
  start(0, 7, 1);
  until(0);
  ask(600, 7);
  EXPECT_THAT(until(630), ElementsAre("600 ready 7", "630 yielded 7 600"));
}

TEST_F(Executor, InsideAPeriodicWriteTheNextBoundaryCounts) {
  know(1, 10'000, kEvery600);
  start(0, 7, 1);
  until(0);
  ask(601, 7);
  EXPECT_THAT(until(1300), ElementsAre("1200 ready 7", "1230 yielded 7 1200"));
}

TEST_F(Executor, NotBeforeChoosesALaterBoundary) {
  know(1, 10'000, kEvery600);
  start(0, 7, 1);
  until(0);
  ask(100, 7, 1201);
  EXPECT_THAT(until(2000), ElementsAre("1800 ready 7", "1830 yielded 7 1800"));
}

TEST_F(Executor, ARestartDelaysUsefulWorkAndBoundaries) {
  know(1, 10'000, kEvery600);
  start(1000, 8, 1, {0}, 2, 1200);
  ask(1000, 8);
  EXPECT_THAT(until(1689), ElementsAre("1000 started 8", "1660 ready 8"));
  EXPECT_THAT(until(1690), ElementsAre("1690 yielded 8 1800"));
  start(2000, 9, 1, {0}, 3, 1800);
  EXPECT_THAT(until(20'000), ElementsAre("2000 started 9", "10260 done 9 10000"));
}

TEST_F(Executor, SpeedStretchesWorkAndIsRoundedUp) {
  know(1, 1000, kEvery600);
  start(0, 7, 1, {0}, 1, 0, 700);
  ask(0, 7);
  EXPECT_THAT(until(858), ElementsAre("0 started 7", "858 ready 7"));
  tell(858, decision::StopRun{RunId(7)});
  until(858);
  start(1000, 8, 1, {0}, 1, 0, 700);
  EXPECT_THAT(until(3000), ElementsAre("1000 started 8", "2429 done 8 1000"));
}

TEST_F(Executor, ARunThatWouldEndBeforeItsSaveEnds) {
  know(1, 629, kEvery600);
  know(2, 600, kEvery600);
  know(3, 630, kEvery600);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    start(0, i, i);
    ask(0, i);
  }
  until(0);
  EXPECT_THAT(until(1000), ElementsAre("600 done 2 600", "600 ready 3", "629 done 1 629", "630 yielded 3 600"));
}

TEST_F(Executor, AWithdrawalReachesTheRunUntilItsBoundary) {
  know(1, 3000, kEvery600);
  start(0, 7, 1);
  ask(10, 7);
  tell(599, decision::WithdrawYield{RunId(7)});
  EXPECT_THAT(until(700), ElementsAre("0 started 7"));
  ask(700, 7);
  EXPECT_THAT(until(1200), ElementsAre("1200 ready 7"));
  tell(1200, decision::WithdrawYield{RunId(7)});
  EXPECT_THAT(until(1230), ElementsAre("1230 yielded 7 1200"));
}

TEST_F(Executor, AskingAgainReplacesTheRequest) {
  know(1, 3000, kEvery600);
  start(0, 7, 1);
  ask(0, 7, 1800);
  ask(5, 7, 0);
  EXPECT_THAT(until(2000), ElementsAre("0 started 7", "600 ready 7", "630 yielded 7 600"));
}

TEST_F(Executor, OnDemandEveryMomentIsABoundary) {
  CheckpointContract contract = kEvery600;
  contract.mode = CheckpointMode::on_demand;
  know(1, 3000, contract);
  start(0, 7, 1);
  ask(123, 7);
  EXPECT_THAT(until(500), ElementsAre("0 started 7", "123 ready 7", "153 yielded 7 123"));
  start(500, 8, 1, {0}, 2, 123);
  ask(520, 8, 540);  // still restarting: nothing was done, nothing is lost
  EXPECT_THAT(until(600), ElementsAre("500 started 8", "540 ready 8", "570 yielded 8 123"));
}

TEST_F(Executor, WithoutCheckpointsARequestIsNeverFollowed) {
  know(1, 3000, kNoSaves);
  start(0, 7, 1);
  ask(0, 7);
  EXPECT_THAT(until(9000), ElementsAre("0 started 7", "3000 done 7 3000"));
}

TEST_F(Executor, AStopKeepsTheNewestCompleteCheckpoint) {
  know(1, 9000, kEvery600);
  start(0, 7, 1, {0}, 1, 0);
  until(0);
  tell(1300, decision::StopRun{RunId(7)});
  EXPECT_THAT(until(1300), ElementsAre("1300 stopped 7 1200"));
  start(2000, 8, 1, {0}, 2, 1200);
  ask(2000, 8);
  until(2670);  // writing since 2660
  tell(2670, decision::StopRun{RunId(8)});
  EXPECT_THAT(until(9000), ElementsAre("2670 stopped 8 1200"));
}

TEST_F(Executor, WorkersThatFinishLeaveOneByOne) {
  know_gang(1, {300, 900, 400}, {{.count = 3, .shape = {.cards = 1}}});
  start(0, 7, 1, {0, 0, 0});
  EXPECT_THAT(until(2000), ElementsAre("0 started 7", "300 worker 0", "400 worker 2", "900 done 7 900"));
}

TEST_F(Executor, EndlessHelpersDoNotHoldAJobOpen) {
  know_gang(1, {100, kNever, kNever}, {{"main", 1, {.cards = 1}}, {"helper", 2, {.cards = 1}}}, "main");
  start(0, 7, 1, {0, 0, 0});
  EXPECT_THAT(until(2000), ElementsAre("0 started 7", "100 done 7 100"));
}

TEST_F(Executor, AWorkerThatIsMadeToFinishMayEndTheRunEarlier) {
  know_gang(1, {300, 900}, {{.count = 2, .shape = {.cards = 1}}});
  start(0, 7, 1, {0, 0});
  until(0);
  executor_.worker_done(JobId(1), 1, 100);
  EXPECT_THAT(until(2000), ElementsAre("100 worker 1", "300 done 7 300"));
}

TEST_F(Executor, AnyOtherLossStopsTheGang) {
  know_gang(1, {300, 900}, {{.count = 2, .shape = {.cards = 1}}});
  start(0, 7, 1, {0, 0});
  until(0);
  executor_.worker_failed(JobId(1), 1, 100);
  EXPECT_THAT(until(2000), ElementsAre("100 failed 7 0"));
}

TEST_F(Executor, LaunchesFailAsOftenAsTold) {
  JobSpec spec{.id = JobId(1), .roles = {{.count = 1, .shape = {.cards = 1}}}};
  executor_.know(spec, {.run_ms = 50, .fails_at_launch = 1});
  start(0, 1, 1);
  start(10, 2, 1, {0}, 2);
  EXPECT_THAT(until(100), ElementsAre("0 failed 1 0", "10 started 2", "60 done 2 50"));
}

TEST_F(Executor, TheSameDecisionTwiceDoesNothing) {
  know(1, 1000, kNoSaves);
  const Decision decision{0, decision::StartRun{.run = RunId(7), .job = JobId(1), .places = {{.node = NodeId(0)}}}};
  executor_.carry_out({&decision, 1}, 0);
  executor_.carry_out({&decision, 1}, 500);
  EXPECT_THAT(until(5000), ElementsAre("0 started 7", "1000 done 7 1000"));
}

TEST_F(Executor, ALostNodeReportsNothing) {
  know(1, 1000, kNoSaves);
  start(0, 7, 1, {3});
  until(0);
  executor_.node_lost(NodeId(3), 500);
  EXPECT_THAT(until(5000), IsEmpty());
  EXPECT_THAT(executor_.live_runs(600), IsEmpty());
}

TEST_F(Executor, TheRestOfALostGangHangsUntilItIsStopped) {
  know(1, 9000, kEvery600);
  start(0, 7, 1, {3, 4});
  until(0);
  executor_.node_lost(NodeId(3), 700);
  ASSERT_EQ(executor_.live_runs(700).size(), 1U);
  EXPECT_EQ(executor_.live_runs(700)[0].places.size(), 1U);
  tell(700, decision::StopRun{RunId(7)});
  EXPECT_THAT(until(20'000), ElementsAre("700 stopped 7 600"));
}

TEST_F(Executor, BehindAPartitionWorkGoesOnUnheard) {
  know(1, 1000, kNoSaves);
  know(2, 9000, kNoSaves);
  start(0, 7, 1, {3});
  start(0, 8, 2, {3});
  until(0);
  executor_.node_partitioned(NodeId(3), 500);
  tell(600, decision::StopRun{RunId(8)});
  EXPECT_THAT(until(2000), IsEmpty());
  EXPECT_EQ(executor_.live_runs(2000).size(), 1U);
  executor_.node_healed(NodeId(3), 2000);
  EXPECT_THAT(until(2000), ElementsAre("1000 done 7 1000", "2000 stopped 8 0"));
}

TEST_F(Executor, ReplicasTakeTheirTimeToStartAndToDrain) {
  executor_.know(ServiceSpec{.id = ServiceId(0), .start_ms = 90, .drain_ms = 10});
  tell(0, decision::StartReplica{ReplicaId(1), ServiceId(0), {.node = NodeId(0)}});
  tell(0, decision::StartReplica{ReplicaId(2), ServiceId(0), {.node = NodeId(0)}});
  tell(50, decision::StopReplica{ReplicaId(2)});
  EXPECT_THAT(until(90), ElementsAre("50 down 2", "90 up 1"));
  tell(100, decision::StopReplica{ReplicaId(1)});
  EXPECT_THAT(until(200), ElementsAre("110 down 1"));
  tell(300, decision::StartReplica{ReplicaId(3), ServiceId(0), {.node = NodeId(0)}});
  executor_.replica_fails(ReplicaId(3), 310);
  EXPECT_THAT(until(900), ElementsAre("310 broke 3"));
}

class ReportingExecutor : public Executor {
 protected:
  ReportingExecutor() : Executor({.report_checkpoints = true, .exit_ms = 5}) {}
};

TEST_F(ReportingExecutor, CheckpointsAreReportedAtEveryBoundary) {
  know(1, 1800, kEvery600);
  start(0, 7, 1);
  EXPECT_THAT(until(9000), ElementsAre("0 started 7", "600 saved 600", "1200 saved 1200", "1800 done 7 1800"));
}

TEST_F(ReportingExecutor, TheSaveOfAYieldIsReportedByItsExit) {
  know(1, 9000, kEvery600);
  start(0, 7, 1);
  ask(700, 7);
  EXPECT_THAT(until(9000), ElementsAre("0 started 7", "600 saved 600", "1200 ready 7", "1235 yielded 7 1200"));
}

}  // namespace
}  // namespace weir
