#include "report/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace weir::report {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Series, ResamplingKeepsTheMean) {
  EXPECT_THAT(resampled({1, 3, 5, 7}, 2), ElementsAre(2, 6));
  EXPECT_THAT(resampled({2, 4}, 4), ElementsAre(2, 2, 4, 4));
  EXPECT_THAT(resampled({3, 6, 9}, 2), ElementsAre(DoubleNear(4, 1e-9), DoubleNear(8, 1e-9)));
  EXPECT_THAT(resampled({}, 3), IsEmpty());
  EXPECT_THAT(resampled({1}, 0), IsEmpty());
}

TEST(Series, WhatIsNoNumberCountsAsNothing) {
  EXPECT_THAT(resampled({std::nan(""), 4}, 1), ElementsAre(2));
  EXPECT_EQ(largest({1, std::numeric_limits<double>::infinity(), 3}), 3);
  EXPECT_EQ(largest({-1}), 0);
}

TEST(Series, AxesEndAtRoundNumbers) {
  EXPECT_EQ(axis_end(28), 30);
  EXPECT_EQ(axis_end(64), 80);
  EXPECT_EQ(axis_end(2650), 3000);
  EXPECT_EQ(axis_end(0.7), 0.8);
  EXPECT_EQ(axis_end(9.5), 10);
  EXPECT_EQ(axis_end(0), 1);
  EXPECT_EQ(axis_end(std::nan("")), 1);
}

TEST(Series, DayMarksStayWithinTheirNumber) {
  EXPECT_THAT(day_marks({1, 4}, 10), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(day_marks({0.5, 4.5}, 2), ElementsAre(1, 3));
  EXPECT_THAT(day_marks({0, 14}, 3), ElementsAre(0, 7, 14));
  EXPECT_LE(day_marks({0, 100000}, 5).size(), 5U);
  EXPECT_LE(day_marks({-1e18, 1e18}, 5).size(), 5U);
  EXPECT_THAT(day_marks({0, 4}, 0), IsEmpty());
  EXPECT_THAT(day_marks({0.2, 0.8}, 5), IsEmpty());
}

TEST(Series, DaysComeFromTheGrid) {
  ReportData data;
  data.grid_start_ms = kDay;
  data.grid_step_ms = kHour;
  const auto span = days_of(data, 48);
  EXPECT_DOUBLE_EQ(span.start, 1);
  EXPECT_DOUBLE_EQ(span.end, 3);
}

}  // namespace
}  // namespace weir::report
