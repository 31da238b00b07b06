#include "report/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/sample_for_test.h"

namespace weir::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> labels(const std::vector<ComparisonGroup>& groups) {
  std::vector<std::string> out;
  for (const auto& group : groups)
    for (const auto& row : group.rows) out.push_back(group.title + ": " + row.label);
  return out;
}

TEST(Rows, EveryRowHasOneValuePerPolicyAndSaysWhatItCounts) {
  const auto data = sample_report();
  for (const auto& group : comparison_groups(data, Detail::whole)) {
    EXPECT_FALSE(group.rows.empty()) << group.title;
    for (const auto& row : group.rows) {
      EXPECT_EQ(row.values.size(), data.policies.size()) << row.label;
      EXPECT_FALSE(row.help.empty()) << row.label;
    }
  }
}

TEST(Rows, ClassesAppearInTheWholeOnlyAndOnlyIfTheyHaveJobs) {
  const auto data = sample_report();
  const auto whole = labels(comparison_groups(data, Detail::whole));
  EXPECT_THAT(whole, Contains("Wait to the first start: mean, 1 card"));
  EXPECT_THAT(whole, Contains("Wait to the first start: mean, 8 cards"));
  EXPECT_THAT(whole, Contains("Wait to the first start: mean, tier train_normal"));
  EXPECT_THAT(whole, Contains("Later waits and the end: queueing, jobs of >=8 h"));
  EXPECT_THAT(whole, Not(Contains("Wait to the first start: mean, more than 8 cards")));
  EXPECT_THAT(labels(comparison_groups(data, Detail::overall)), Not(Contains("Wait to the first start: mean, 1 card")));
}

TEST(Rows, WhatNobodyMeasuredIsLeftOut) {
  auto data = sample_report();
  for (auto& policy : data.policies) policy.duty_share = std::nullopt;
  EXPECT_THAT(labels(comparison_groups(data, Detail::whole)), Not(Contains("Use of the pool: duty")));
  data.policies.back().duty_share = 0.5;
  EXPECT_THAT(labels(comparison_groups(data, Detail::whole)), Contains("Use of the pool: duty"));
}

TEST(Rows, AForcedStopIsNoLeaveAtABoundary) {
  auto data = sample_report();
  data.policies.back().preemption = {.at_boundary = 3, .forced_stops = 1, .yields = {{YieldCause::claim, 3}}};
  for (const auto& group : comparison_groups(data, Detail::overall)) {
    for (const auto& row : group.rows) {
      if (row.label != "left at a boundary") continue;
      EXPECT_EQ(row.values.back(), 0.75);
    }
  }
  EXPECT_THAT(labels(comparison_groups(data, Detail::overall)), Contains("Preemption: left at a boundary"));
}

TEST(Rows, TheBestIsMarkedOnlyWhereThereIsOne) {
  EXPECT_THAT(best_of({"", Quantity::share, Better::higher, {0.1, 0.3, {}}, {}, ""}), ElementsAre(false, true, false));
  EXPECT_THAT(best_of({"", Quantity::share, Better::lower, {0.1, 0.3, 0.1}, {}, ""}), ElementsAre(true, false, true));
  EXPECT_THAT(best_of({"", Quantity::share, Better::lower, {0.2, 0.2}, {}, ""}), ElementsAre(false, false));
  EXPECT_THAT(best_of({"", Quantity::share, Better::neither, {0.1, 0.3}, {}, ""}), ElementsAre(false, false));
  EXPECT_THAT(best_of({"", Quantity::share, Better::higher, {{}, 0.3}, {}, ""}), ElementsAre(false, false));
}

TEST(Rows, WeirIsMeasuredAgainstSplitBackfill) {
  ReportData data;
  EXPECT_EQ(subject_of(data), -1);
  EXPECT_EQ(baseline_of(data), -1);
  data.policies.resize(3);
  data.policies[0].name = "weir";
  data.policies[1].name = "split-fifo";
  data.policies[2].name = "split-backfill";
  EXPECT_EQ(subject_of(data), 0);
  EXPECT_EQ(baseline_of(data), 2);
  data.policies[0].name = "other";
  EXPECT_EQ(subject_of(data), 2);
  EXPECT_EQ(baseline_of(data), 0);
}

}  // namespace
}  // namespace weir::report
