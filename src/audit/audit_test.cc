// For each invariant a stream that keeps it and one that breaks it.
#include "audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/stream_for_test.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

event::NodeDeclared declare(const NodeSpec& node) { return {node}; }
event::JobSubmitted submit(const JobSpec& job) { return {job}; }

JobSpec share_job(std::uint32_t id, std::int32_t milli, std::int64_t mem_mib = 0) {
  JobSpec job = job_of(id);
  job.roles[0].shape = Shape{.milli = milli, .card_mem_mib = mem_mib};
  return job;
}

// --- 1: no card above its size ---

TEST(AuditCards, AcceptsWholeCardsSideBySide) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0, 4)), submit(job_of(1, 4)), start_of(0, 0, {cards_on(0, 0x0f)}),
              start_of(1, 1, {cards_on(0, 0xf0)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  EXPECT_EQ(stream.auditor.milli_in_use_of_node(NodeId{0}), 8000);
}

TEST(AuditCards, CatchesTheSameCardTwice) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}),
              start_of(1, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
}

TEST(AuditCards, CatchesACardThatDoesNotExist) {
  Stream stream;
  stream.step(0, declare(node_of(0, 2)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 4)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
}

TEST(AuditCards, AcceptsSharesUpToACardAndCatchesOneTooMany) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(share_job(0, 600, 10)), submit(share_job(1, 400, 10)),
              submit(share_job(2, 1, 10)), start_of(0, 0, {share_on(0, 0, 600, 10)}),
              start_of(1, 1, {share_on(0, 0, 400, 10)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(2, 2, {share_on(0, 0, 1, 10)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
}

TEST(AuditCards, CatchesMemoryAboveTheCard) {
  NodeSpec node = node_of(0);
  node.card_mem_mib = 16;
  Stream stream;
  stream.step(0, declare(node), submit(share_job(0, 0, 10)), submit(share_job(1, 0, 7)),
              start_of(0, 0, {share_on(0, 0, 0, 10)}), start_of(1, 1, {share_on(0, 0, 0, 7)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
}

TEST(AuditCards, CatchesWholeUseOfASharedCardAndTheReverse) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(share_job(0, 100, 1)), submit(job_of(1)), submit(job_of(2)),
              submit(share_job(3, 100, 1)), start_of(0, 0, {share_on(0, 0, 100, 1)}), start_of(1, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
  stream.step(1, start_of(2, 2, {cards_on(0, 2)}), start_of(3, 3, {share_on(0, 1, 100, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1, 1));
}

TEST(AuditCards, CatchesMoreCpuThanTheNodeHas) {
  NodeSpec node = node_of(0);
  node.cpu_milli = 4000;
  node.ram_mib = 100;
  JobSpec first = job_of(0);
  first.roles[0].shape.cpu_milli = 3000;
  first.roles[0].shape.ram_mib = 60;
  JobSpec second = first;
  second.id = JobId{1};
  Placement place = cards_on(0, 1);
  place.cpu_milli = 3000;
  place.ram_mib = 60;
  Placement other = place;
  other.cards = 2;
  Stream stream;
  stream.step(0, declare(node), submit(first), submit(second), start_of(0, 0, {place}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(1, 1, {other}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
}

TEST(AuditCards, FreesOnAnExitAndNotOnAnAsk) {
  Stream stream;
  stream.step(0, declare(node_of(0, 1)), submit(job_of(0)), submit(job_of(1)), submit(job_of(2)),
              start_of(0, 0, {cards_on(0, 1)}));
  stream.step(kSecond, event::RunExited{.run = RunId{0}, .how = event::Exit::done}, start_of(1, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(2 * kSecond, event::JobCancelled{JobId{1}}, decision::StopRun{.run = RunId{1}},
              start_of(2, 2, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1)) << "the run was only asked to stop";
}

TEST(AuditCards, CatchesStartsWhereNoWorkMayGo) {
  const std::vector<event::Body> facts = {event::DrainSet{NodeId{0}, true}, event::NodeDown{NodeId{0}},
                                          event::NodeSilent{NodeId{0}}, event::CardFault{NodeId{0}, 0, 79},
                                          event::NodeCards{NodeId{0}, 0}};
  for (const event::Body& fact : facts) {
    Stream stream;
    stream.step(0, declare(node_of(0)), submit(job_of(0)));
    stream.step(1, fact, start_of(0, 0, {cards_on(0, 1)}));
    EXPECT_THAT(stream.broken(), ElementsAre(1)) << "fact " << fact.index();
  }
}

TEST(AuditCards, AcceptsStartsWhereWorkMayGoAgain) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)));
  stream.step(1, event::DrainSet{NodeId{0}, true}, event::CardFault{NodeId{0}, 0, 79});
  stream.step(2, event::DrainSet{NodeId{0}, false}, event::CardOk{NodeId{0}, 0}, start_of(0, 0, {cards_on(0, 1)}));
  stream.step(3, event::NodeDown{NodeId{0}});
  stream.step(4, event::NodeUp{NodeId{0}}, start_of(1, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

// --- 2: cards by state add up ---

TEST(AuditCounts, AcceptsCountsThatAgreeAndCatchesOthers) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0, 3)), submit(share_job(1, 500, 1)),
              start_of(0, 0, {cards_on(0, 7)}), start_of(1, 1, {share_on(0, 3, 500, 1)}));
  const CardCount right{.free = 4, .whole = 3, .shared = 1};
  EXPECT_EQ(stream.auditor.cards(), right);
  stream.auditor.compare(0, {.pool = right});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.auditor.compare(0, {.pool = {.free = 3, .whole = 3, .shared = 1}});
  stream.auditor.compare(0, {.pool = {.free = 5, .whole = 2, .shared = 1}});
  EXPECT_THAT(stream.broken(), ElementsAre(2, 2, 2, 2)) << "the sum, free; whole, free";
}

TEST(AuditCounts, KeepsMissingDownAndQuarantinedCardsInTheSum) {
  Stream stream;
  stream.step(0, declare(node_of(0)), declare(node_of(1)), declare(node_of(2)));
  stream.step(1, event::NodeCards{NodeId{0}, 6}, event::NodeDown{NodeId{1}}, event::CardFault{NodeId{2}, 1, 48});
  EXPECT_EQ(stream.auditor.cards(), (CardCount{.free = 13, .quarantined = 1, .missing = 2, .down = 8}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

// --- 3: a gang starts whole ---

TEST(AuditGang, CatchesAGangThatStartsInPart) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0, 2, 3)), start_of(0, 0, {cards_on(0, 3), cards_on(0, 12)}));
  EXPECT_THAT(stream.broken(), ElementsAre(3));
}

TEST(AuditGang, CatchesTheWrongShapeModelAndSpread) {
  JobSpec picky = job_of(0, 2);
  picky.models = {"A"};
  JobSpec spread = job_of(1, 1, 2);
  spread.one_per_node = true;
  JobSpec near = job_of(2, 1, 2);
  near.within = GangScope::group;
  NodeSpec first = node_of(0, 8, "A");
  first.group = "g1";
  NodeSpec second = node_of(1, 8, "B");
  second.group = "g2";
  Stream stream;
  stream.step(0, declare(first), declare(second), submit(picky), submit(spread), submit(near));
  stream.step(1, start_of(0, 0, {cards_on(1, 3)}));
  stream.step(2, start_of(1, 1, {cards_on(0, 1), cards_on(0, 2)}));
  stream.step(3, start_of(2, 2, {cards_on(0, 4), cards_on(1, 4)}));
  EXPECT_THAT(stream.broken(), ElementsAre(3, 3, 3)) << stream.text();
}

TEST(AuditGang, LossOfAMemberStopsTheRest) {
  for (const bool stops : {true, false}) {
    Stream stream;
    stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job_of(0, 8, 2)),
                start_of(0, 0, {cards_on(0, 0xff), cards_on(1, 0xff)}));
    if (stops) {
      stream.step(1, event::NodeDown{NodeId{0}},
                  decision::StopRun{.run = RunId{0}, .cause = decision::StopCause::member_lost});
      EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
    } else {
      stream.step(1, event::NodeDown{NodeId{0}});
      EXPECT_THAT(stream.broken(), ElementsAre(3));
    }
  }
}

TEST(AuditGang, AWorkerThatIsDoneFreesItsCards) {
  Stream stream;
  stream.step(0, declare(node_of(0, 2)), submit(job_of(0, 1, 2)), submit(job_of(1)),
              start_of(0, 0, {cards_on(0, 1), cards_on(0, 2)}));
  stream.step(1, event::WorkerDone{.run = RunId{0}, .worker = 1}, start_of(1, 1, {cards_on(0, 2)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

// --- 4: only at a boundary ---

TEST(AuditBoundary, AcceptsAYieldAtABoundaryAndCatchesOthers) {
  for (const auto& [exit_ms, progress_ms, good] :
       std::vector<std::tuple<TimeMs, DurationMs, bool>>{{200'000, 200'000, true},
                                                         {150'000, 150'000, false},  // between boundaries
                                                         {100'000, 200'000, false},  // more work than time
                                                         {350'000, 200'000, false},  // a boundary was passed
                                                         {10'000, 0, false}}) {      // nothing was done at all
    Stream stream;
    stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
    stream.step(1, claim_of(0, 1, {cards_on(0, 1)}, {0}), ask_of(0, 0));
    stream.step(exit_ms, event::RunExited{.run = RunId{0}, .how = event::Exit::yielded, .progress_ms = progress_ms},
                change::ClaimEnded{.claim = ClaimId{0}, .how = ClaimEnd::withdrawn});
    const bool expired = exit_ms > 300'000;
    if (good) {
      EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
    } else {
      EXPECT_THAT(stream.broken(), ElementsAre(4)) << exit_ms << " " << expired;
    }
  }
}

TEST(AuditBoundary, KnowsTheLongestExitWhenTold) {
  for (const DurationMs late_ms : {DurationMs{0}, DurationMs{5000}}) {
    Stream stream{AuditOptions{.exit_ms_max = kSecond}};
    stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
    stream.step(1, claim_of(0, 1, {cards_on(0, 1)}, {0}), ask_of(0, 0));
    stream.step(100'000 + late_ms,
                event::RunExited{.run = RunId{0}, .how = event::Exit::yielded, .progress_ms = 100'000});
    EXPECT_EQ(stream.broken().empty(), late_ms == 0) << stream.text();
  }
}

TEST(AuditBoundary, CatchesStopsWithoutTheirCause) {
  using decision::StopCause;
  for (const StopCause cause : {StopCause::cancel, StopCause::limit, StopCause::member_lost, StopCause::superseded,
                                StopCause::emergency, StopCause::operator_request}) {
    Stream stream;
    stream.step(0, declare(node_of(0)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
    stream.step(1, decision::StopRun{.run = RunId{0}, .cause = cause});
    ASSERT_FALSE(stream.broken().empty()) << name_of(cause);
    EXPECT_EQ(stream.broken()[0], 4) << name_of(cause);
  }
}

TEST(AuditBoundary, AcceptsStopsWithTheirCause) {
  using decision::StopCause;
  JobSpec limited = job_of(0);
  limited.limit_ms = kHour;
  limited.ckpt.mode = CheckpointMode::none;
  Stream stream;
  stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(limited), submit(job_of(1)), submit(job_of(2, 1, 2)),
              start_of(0, 0, {cards_on(0, 1)}), start_of(1, 1, {cards_on(0, 2)}),
              start_of(2, 2, {cards_on(0, 4), cards_on(1, 1)}));
  stream.step(kHour, event::JobCancelled{JobId{1}}, event::NodeDown{NodeId{1}},
              decision::StopRun{.run = RunId{0}, .cause = StopCause::limit},
              decision::StopRun{.run = RunId{1}, .cause = StopCause::cancel},
              decision::StopRun{.run = RunId{2}, .cause = StopCause::member_lost});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditBoundary, CatchesAnAskOfARunWithoutCheckpoints) {
  JobSpec job = job_of(0);
  job.ckpt.mode = CheckpointMode::none;
  job.limit_ms = kHour;
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(1, decision::AskYield{.run = RunId{0}, .cause = YieldCause::limit});
  EXPECT_THAT(stream.broken(), ElementsAre(4));
}

// --- 7: progress never goes back silently ---

TEST(AuditProgress, AcceptsTheNewestCheckpointAndCatchesOlderAndInvented) {
  for (const auto& [resume_ms, good] :
       std::vector<std::pair<DurationMs, bool>>{{300'000, true}, {200'000, false}, {0, false}, {400'000, false}}) {
    Stream stream;
    stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
    stream.step(300'000, event::CheckpointCommitted{.run = RunId{0}, .progress_ms = 300'000});
    decision::StartRun again = start_of(1, 0, {cards_on(1, 1)});
    again.incarnation = 2;
    again.resume_progress_ms = resume_ms;
    stream.step(310'000, event::NodeDown{NodeId{0}}, again);
    if (good) {
      EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
    } else {
      EXPECT_THAT(stream.broken(), ElementsAre(7)) << resume_ms;
    }
  }
}

TEST(AuditProgress, UsesNothingThatASupersededRunWrites) {
  Stream stream;
  decision::StartRun again = start_of(1, 0, {cards_on(1, 1)});
  again.incarnation = 2;
  decision::StartRun third = start_of(2, 0, {cards_on(1, 2)});
  third.incarnation = 3;
  stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(10, event::NodeSilent{NodeId{0}});
  stream.step(10 + kMinute, again);
  stream.step(200'000, event::NodeHeard{NodeId{0}},
              event::CheckpointCommitted{.run = RunId{0}, .progress_ms = 100'000});
  stream.step(210'000, event::RunExited{.run = RunId{1}, .how = event::Exit::failed}, third);
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditProgress, CatchesARestartAwayFromItsCheckpoint) {
  JobSpec job = job_of(0);
  job.ckpt.scope = CheckpointScope::node;
  decision::StartRun again = start_of(1, 0, {cards_on(1, 1)});
  again.incarnation = 2;
  again.resume_progress_ms = 100'000;
  Stream stream;
  stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(100'000, event::CheckpointCommitted{.run = RunId{0}, .progress_ms = 100'000},
              event::RunExited{.run = RunId{0}, .how = event::Exit::failed, .progress_ms = 100'000}, again);
  EXPECT_THAT(stream.broken(), ElementsAre(7));
}

// --- 8: every waiting piece of work has a reason ---

TEST(AuditReasons, CatchesWaitingWorkWithoutAReason) {
  Stream stream;
  stream.auditor.compare(0, {});
  EXPECT_THAT(stream.broken(), IsEmpty());
  stream.auditor.compare(0, {.waiting_without_reason = 2});
  EXPECT_THAT(stream.broken(), ElementsAre(8));
}

// --- 9: at most one current run, nothing lost, nothing twice ---

TEST(AuditRuns, CatchesTwoCurrentRunsOfAJob) {
  decision::StartRun again = start_of(1, 0, {cards_on(0, 2)});
  again.incarnation = 2;
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(1, again);
  EXPECT_THAT(stream.broken(), ElementsAre(9));
}

TEST(AuditRuns, CatchesARestartBeforeTheNodeHasTimedOut) {
  for (const DurationMs silent_ms : {kMinute - 1, kMinute}) {
    decision::StartRun again = start_of(1, 0, {cards_on(1, 1)});
    again.incarnation = 2;
    Stream stream;
    stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
    stream.step(10, event::NodeSilent{NodeId{0}});
    stream.step(10 + silent_ms, again);
    EXPECT_EQ(stream.broken().empty(), silent_ms == kMinute) << stream.text();
  }
}

TEST(AuditRuns, AStaleRunKeepsItsCardsUntilItsNodeIsProvenEmpty) {
  decision::StartRun again = start_of(1, 0, {cards_on(1, 1)});
  again.incarnation = 2;
  Stream stream;
  stream.step(0, declare(node_of(0)), declare(node_of(1)), submit(job_of(0)), submit(job_of(1)), submit(job_of(2)),
              start_of(0, 0, {cards_on(0, 1)}));
  stream.step(10, event::NodeSilent{NodeId{0}});
  stream.step(10 + kMinute, again);
  stream.step(100'000, event::NodeHeard{NodeId{0}}, start_of(2, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1));
  stream.step(200'000, event::RunExited{.run = RunId{0}, .how = event::Exit::stopped},
              event::RunExited{.run = RunId{2}, .how = event::Exit::failed});
  stream.step(200'001, start_of(3, 2, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(1)) << stream.text();
}

TEST(AuditRuns, AnExitHeardLateFreesItsCards) {
  Stream stream;
  stream.step(0, declare(node_of(0, 1)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(10, event::NodeSilent{NodeId{0}});
  Event exited{.at_ms = 20, .body = event::RunExited{.run = RunId{0}, .how = event::Exit::done}};
  Event heard{.at_ms = 30, .body = event::NodeHeard{NodeId{0}}};
  stream.auditor.on_step(30, std::vector<Event>{heard, exited}, {});
  stream.step(31, start_of(1, 1, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditRuns, CatchesRunsOfEndedUnknownAndHeldJobs) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
  decision::StartRun again = start_of(1, 0, {cards_on(0, 1)});
  again.incarnation = 2;
  stream.step(1, event::RunExited{.run = RunId{0}, .how = event::Exit::done}, again);
  EXPECT_THAT(stream.broken(), ElementsAre(9));
  stream.step(2, start_of(2, 77, {cards_on(0, 2)}));
  stream.step(3, event::JobHeld{JobId{1}, true}, start_of(3, 1, {cards_on(0, 4)}));
  EXPECT_THAT(stream.broken(), ElementsAre(9, 9, 0));
}

TEST(AuditRuns, CatchesUsedNumbers) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}),
              start_of(0, 1, {cards_on(0, 2)}));
  EXPECT_THAT(stream.broken(), ElementsAre(9));
}

TEST(AuditRuns, CatchesEndsThatNobodyReported) {
  Stream stream;
  stream.step(0, declare(node_of(0)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
  stream.step(1, change::RunEnded{.run = RunId{0}, .job = JobId{0}});
  stream.step(2, change::JobStateSet{.job = JobId{0}, .state = JobState::succeeded});
  EXPECT_THAT(stream.broken(), ElementsAre(5, 9));
}

// --- 10: steps go forward ---

TEST(AuditSteps, CatchesTimeThatGoesBack) {
  Stream stream;
  stream.step(5, declare(node_of(0)));
  stream.step(4, submit(job_of(0)));
  EXPECT_THAT(stream.broken(), ElementsAre(10));
}

}  // namespace
}  // namespace weir
