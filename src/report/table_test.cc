#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Table, Golden) {
  EXPECT_EQ(comparison_table(sample_report(), {.colour = false, .unicode = true, .width = 100}),
            R"(tiny: 8 cards, 1 node, 100 jobs, measured from day 1 to day 3
Two days on one node.

                                split-backfill       weir    bound
──────────────────────────────────────────────────────────────────
Use of the pool
  useful                                37.5 %     62.5 %   70.0 %
  allocated                             62.5 %     87.5 %
Wait to the first start
  mean                               147,720 s    3,248 s
  median                              73,860 s    1,624 s
  p95                                590,880 s   12,992 s
  p99                              1,181,760 s   25,984 s
  mean, 1 card                       147,720 s    3,248 s
  mean, 8 cards                      443,160 s    9,744 s
  mean, jobs of <1 h                 147,720 s    3,248 s
  mean, jobs of >=8 h                147,720 s    3,248 s
  mean, tier train_normal            147,720 s    3,248 s
Later waits and the end
  queueing, mean                     295,440 s    6,496 s
  queueing, jobs of <1 h             295,440 s    6,496 s
  queueing, jobs of >=8 h            295,440 s    6,496 s
  completion, mean                   151,320 s    6,848 s
  completion, jobs of <1 h           151,320 s    6,848 s
  completion, jobs of >=8 h          151,320 s    6,848 s
What was promised
  inference load not served            0.003 %    0.003 %
  deadlines met                              -     96.0 %
  worse off                                  -     0.60 %
Preemption
  requests for inference                     -          4
  free within 120 s                          -     75.0 %
  free within 300 s                          -      100 %
  yields, claim                              -          4
  yields, rotation                           -          2
  left at a boundary                         -     83.3 %
  lost steps                                 -          0
  lost GPU time                              -     0.55 %
  lost GPU time, by inference                -    0.050 %

Useful cannot pass 70.0 % with these jobs, nor 90.0 % with an endless queue.
That of these jobs counts what was submitted before the window and left over, too.
1.2 s of wall time, engine step 5 us (median), 80.5 us (p99), hash 00c0ffee00c0ffee
)");
}

TEST(Table, ColourOnlyWhenAsked) {
  EXPECT_THAT(comparison_table(sample_report(), {.colour = false}), Not(HasSubstr("\x1b")));
  const auto coloured = comparison_table(sample_report(), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;32m"));
  const auto bare = std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), "");
  EXPECT_EQ(bare, comparison_table(sample_report(), {.colour = false}));
}

TEST(Table, AsciiWhenAsked) {
  const auto text = comparison_table(sample_report(), {.unicode = false});
  EXPECT_EQ(text.size(), columns_of(text));
}

TEST(Table, FitsATerminalOfOneHundredColumns) {
  std::istringstream lines(comparison_table(sample_report(), {}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 100U) << line;
}

TEST(Table, StandsWhateverItIsGiven) {
  EXPECT_THAT(comparison_table(hostile_report(), {}), Not(HasSubstr("nan")));
  EXPECT_THAT(comparison_table(ReportData{}, {}), HasSubstr("0.0 s of wall time"));
}

TEST(Table, RotationsGiveMedianAndRange) {
  auto data = sample_report();
  data.rotations = {{0, 0.70, 3000.0}, {2, 0.76, 2000.0}, {4, 0.74, 9000.0}};
  EXPECT_THAT(
      comparison_table(data, {}),
      HasSubstr(
          "3 shifted runs, median [range]: useful 74.0 % [70.0 % to 76.0 %], wait 3,000 s [2,000 s to 9,000 s]\n"));
}

}  // namespace
}  // namespace weir::report
