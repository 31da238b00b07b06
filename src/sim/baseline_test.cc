#include "sim/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/split_nodes.h"

namespace weir {
namespace {

using ::testing::ElementsAre;

// Nodes of eight; one is pinned to inference, the others train. Times in seconds.
struct Row {
  std::int64_t submit_s;
  std::int64_t run_s;
  std::int32_t gpus;
};
Workload small(std::vector<Row> rows, std::uint32_t training_nodes) {
  Workload w;
  w.horizon_ms = 100'000 * kSecond;
  w.warmup_ms = 0;
  w.split_inference_cards = 8;
  for (std::uint32_t i = 0; i <= training_nodes; ++i) w.pool.nodes.push_back({.id = NodeId(i), .cards = 8});
  for (const Row& row : rows) {
    w.jobs.push_back({.submit_ms = row.submit_s * kSecond, .duration_ms = row.run_s * kSecond, .gpus = row.gpus});
  }
  return w;
}

std::vector<std::int64_t> starts(const PolicyRun& run) {
  std::vector<std::int64_t> out;
  for (const JobOutcome& job : run.jobs) out.push_back(job.first_start_ms < 0 ? -1 : job.first_start_ms / kSecond);
  return out;
}

TEST(Split, FifoWaitsForItsHead) {
  const Workload w = small({{0, 100, 6}, {1, 100, 4}, {2, 10, 1}}, 1);
  EXPECT_THAT(starts(run_split(w, SplitOrder::fifo)), ElementsAre(0, 100, 100));
}

TEST(Split, BackfillPassesTheHead) {
  const Workload w = small({{0, 100, 6}, {1, 100, 4}, {2, 10, 1}}, 1);
  EXPECT_THAT(starts(run_split(w, SplitOrder::backfill)), ElementsAre(0, 100, 2));
}

TEST(Split, BackfillLooksOnlySoFar) {
  Workload w = small({{0, 100, 6}, {1, 100, 4}, {2, 100, 5}, {3, 10, 1}}, 1);
  w.split_scan_jobs = 2;
  EXPECT_THAT(starts(run_split(w, SplitOrder::backfill)), ElementsAre(0, 100, 200, 100));
  w.split_scan_jobs = 3;
  EXPECT_THAT(starts(run_split(w, SplitOrder::backfill)), ElementsAre(0, 100, 200, 3));
}

TEST(Split, EndsFreeCardsForArrivalsOfTheSameInstant) {
  const Workload w = small({{0, 100, 8}, {100, 10, 8}}, 1);
  EXPECT_THAT(starts(run_split(w, SplitOrder::fifo)), ElementsAre(0, 100));
}

TEST(Split, WhatCouldNeverFitBlocksNobody) {
  const Workload w = small({{0, 100, 17}, {1, 100, 8}}, 2);
  const PolicyRun run = run_split(w, SplitOrder::fifo);
  EXPECT_THAT(starts(run), ElementsAre(-1, 1));
  EXPECT_EQ(run.jobs[0].queued_ms, w.horizon_ms);
}

TEST(Split, LargeGangsTakeWholeNodesAndARest) {
  const Workload w = small({{0, 100, 12}, {1, 100, 5}, {2, 100, 4}}, 2);
  EXPECT_THAT(starts(run_split(w, SplitOrder::backfill)), ElementsAre(0, 100, 2));  // 8 + 4, and the other 4
}

TEST(Split, BestFitTakesTheNodeWithLeastRoomAndTiesTheLowest) {
  SplitNodes nodes({8, 8, 8});
  EXPECT_EQ((*nodes.take(5))[0].node, 0U);
  EXPECT_EQ((*nodes.take(6))[0].node, 1U);
  EXPECT_EQ((*nodes.take(2))[0].node, 1U);  // exactly what is left of node 1
  EXPECT_EQ((*nodes.take(3))[0].node, 0U);
  EXPECT_EQ((*nodes.take(1))[0].node, 2U);
  EXPECT_EQ(nodes.free_cards(), 7);
}

TEST(Split, TakingWhatIsGivenBack) {
  SplitNodes nodes({8, 8});
  const auto gang = nodes.take(12);
  ASSERT_TRUE(gang);
  EXPECT_FALSE(nodes.take(5));
  nodes.give_back(*gang);
  EXPECT_TRUE(nodes.take(16));
  EXPECT_FALSE(nodes.could_hold(17));
}

TEST(Split, InferenceOwnsItsCardsAndServesAllOfItsLoad) {
  Workload w = small({{0, 50'000, 8}}, 1);
  w.load = {.services = {"a", "b"}, .start_ms = {0, 50'000 * kSecond}, .micro = {{1'000'000, 2'000'000}, {500'000, 0}}};
  const PolicyRun run = run_split(w, SplitOrder::fifo);
  const auto seconds = [](double card_ms) { return card_ms / kSecond; };
  EXPECT_DOUBLE_EQ(seconds(run.meter.total(Use::inference_held)), 8 * 100'000);
  EXPECT_DOUBLE_EQ(seconds(run.meter.total(Use::served)), 1.5 * 50'000 + 2 * 50'000);
  EXPECT_DOUBLE_EQ(run.meter.total(Use::unmet), 0);
  EXPECT_DOUBLE_EQ(seconds(run.meter.total(Use::training_useful)), 8 * 50'000);
}

}  // namespace
}  // namespace weir
