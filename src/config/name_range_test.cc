#include "config/name_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::ElementsAre;

TEST(NameRange, StandsForMany) {
  EXPECT_THAT(*expand_names("n{1..3}", 10), ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(*expand_names("g{08..10}-a", 10), ElementsAre("g08-a", "g09-a", "g10-a"));
  EXPECT_THAT(*expand_names("n{7..7}", 10), ElementsAre("n7"));
  EXPECT_THAT(*expand_names("plain", 10), ElementsAre("plain"));
}

TEST(NameRange, WhatIsNoRangeIsRefused) {
  for (const char* pattern : {"n{1..}", "n{..3}", "n{a..b}", "n{3..1}", "n{1,2}", "n}1..2{", "n{1..2", "n1..2}",
                              "{1..2}{1..2}", "n{1..2}}", "n{-1..2}", "n{1...3}", "n{9999999999..9999999999}"}) {
    EXPECT_FALSE(expand_names(pattern, 10)) << pattern;
  }
  EXPECT_EQ(expand_names("n{1..11}", 10).error().code, ErrorCode::too_large);
  EXPECT_EQ(expand_names("n{0..999999999}", 100'000).error().code, ErrorCode::too_large);
}

TEST(NameRange, RunsReadBackAsTheSameNames) {
  const std::vector<std::vector<std::string>> lists = {{"n1", "n2", "n3"},
                                                       {"n9", "n10", "n11"},
                                                       {"a08", "a09", "a10"},
                                                       {"x"},
                                                       {"n1", "n3"},
                                                       {"n1", "m2"},
                                                       {"7", "8"},
                                                       {"n1a", "n2a"},
                                                       {"n00", "n01"},
                                                       {"n0", "n1"},
                                                       {"n99", "n100"},
                                                       {"a09", "a10", "a11", "b1"},
                                                       {"n1234567890123", "n1234567890124"}};
  for (const auto& names : lists) {
    std::vector<std::string> again;
    for (std::size_t i = 0; i < names.size();) {
      const NameRun run = first_run(std::span(names).subspan(i));
      const auto expanded = expand_names(run.pattern, 100);
      ASSERT_TRUE(expanded) << run.pattern;
      ASSERT_EQ(expanded->size(), run.count);
      again.insert(again.end(), expanded->begin(), expanded->end());
      i += run.count;
    }
    EXPECT_EQ(again, names);
  }
  EXPECT_EQ(first_run(lists[1]).pattern, "n{9..11}");
}

}  // namespace
}  // namespace weir
