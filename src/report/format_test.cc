#include "report/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace weir::report {
namespace {

TEST(Format, SharesKeepTheirSmallDifferences) {
  struct Case {
    double share;
    std::string_view text;
  };
  for (const auto& [share, text] :
       {Case{0, "0 %"}, Case{0.725, "72.5 %"}, Case{0.0055, "0.55 %"}, Case{0.00003, "0.003 %"},
        Case{0.000001, "<0.001 %"}, Case{1, "100 %"}, Case{0.9996, "99.96 %"}, Case{0.99999, ">99.99 %"},
        Case{0.09, "9.0 %"}, Case{-0.02, "-2.0 %"}, Case{-0.000001, ">-0.001 %"}, Case{1.5, "150.0 %"}})
    EXPECT_EQ(share_text(share), text) << share;
}

TEST(Format, WhatWasNotMeasuredIsADash) {
  for (const auto& value : {std::optional<double>{}, std::optional<double>{std::nan("")},
                            std::optional<double>{std::numeric_limits<double>::infinity()}}) {
    EXPECT_EQ(share_text(value), "-");
    EXPECT_EQ(seconds_text(value), "-");
    EXPECT_EQ(number_text(value), "-");
    EXPECT_EQ(words_text(value), "-");
    EXPECT_EQ(quantity_text(value, Quantity::cards), "-");
  }
}

TEST(Format, NumbersHaveSeparatorsAndUnits) {
  EXPECT_EQ(seconds_text(147720.4), "147,720 s");
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(number_text(1234), "1,234");
  EXPECT_EQ(number_text(12.44), "12.4");
  EXPECT_EQ(number_text(1234.6), "1,235");
  EXPECT_EQ(quantity_text(6216, Quantity::cards), "6,216 cards");
  EXPECT_EQ(quantity_text(6216, Quantity::count), "6,216");
  EXPECT_EQ(quantity_text(1, Quantity::cards), "1 card");
  EXPECT_EQ(counted_text(1, "node"), "1 node");
  EXPECT_EQ(counted_text(4376, "job"), "4,376 jobs");
}

TEST(Format, WordsKeepAboutTwoFigures) {
  EXPECT_EQ(words_text(3248), "54 min");
  EXPECT_EQ(words_text(644), "11 min");
  EXPECT_EQ(words_text(95), "1 min 35 s");
  EXPECT_EQ(words_text(19163), "5 h 19 min");
  EXPECT_EQ(words_text(147720), "1 d 17 h");
  EXPECT_EQ(words_text(938603), "11 d");
  EXPECT_EQ(words_text(0.05), "50 ms");
  EXPECT_EQ(words_text(-3248), "-54 min");
}

TEST(Format, ColumnsCountCodePoints) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("─│x"), 3U);
  EXPECT_EQ(columns_of(""), 0U);
}

}  // namespace
}  // namespace weir::report
