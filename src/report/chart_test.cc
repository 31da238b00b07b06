#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>

#include "report/format.h"
#include "report/report.h"
#include "report/sample_for_test.h"

namespace weir::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Chart, GoldenAscii) {
  auto data = sample_report();
  data.policies.erase(data.policies.begin());
  for (std::size_t slot = 24; slot < 48; ++slot) data.policies[0].series.training_useful[slot] = 2;
  EXPECT_EQ(use_chart(data, {.colour = false, .unicode = false, .width = 60}), R"(Cards in use over time
## training   oo inference   :: held for inference   -- saving, restoring   (blank) free

weir: 62.5 % useful
8 |
  |::::::::::::::::::::::::::::
  |oooooooooooooooooooooooooooo-
  |############################:
4 |############################o::::::::::::::::::::::::::::
  |#############################oooooooooooooooooooooooooooo
  |#########################################################
  |#########################################################
0 +---------------------------------------------------------
   1                            2
   day of the trace; height in cards
)");
}

TEST(Chart, EveryLineFitsTheWidth) {
  for (const int width : {0, 60, 100, 173}) {
    std::istringstream lines(use_chart(sample_report(), {.colour = false, .unicode = true, .width = width}));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("(blank) free") != std::string::npos) continue;  // the legend has its own length
      EXPECT_LE(columns_of(line), static_cast<std::size_t>(std::max(width, 60))) << line;
    }
  }
}

TEST(Chart, ColourAddsNothingButColour) {
  const auto plain = use_chart(sample_report(), {.colour = false});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  auto bare = std::regex_replace(use_chart(sample_report(), {.colour = true}), std::regex("\x1b\\[[0-9;]*m"), "");
  bare = std::regex_replace(bare, std::regex(" +\n"), "\n");
  EXPECT_EQ(bare, std::regex_replace(plain, std::regex(" +\n"), "\n"));
}

TEST(Chart, NothingMeasuredIsNoChart) {
  EXPECT_EQ(use_chart(ReportData{}, {}), "");
  auto data = sample_report();
  data.pool_cards = 0;
  EXPECT_EQ(use_chart(data, {}), "");
}

TEST(Chart, StandsWhateverItIsGiven) {
  const auto text = use_chart(hostile_report(), {.width = 80});
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, HasSubstr("weir: 62.5 % useful"));
}

}  // namespace
}  // namespace weir::report
