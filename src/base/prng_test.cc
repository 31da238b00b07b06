#include "base/prng.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace weir {
namespace {

// The sequence is part of the product: recorded runs depend on it.
TEST(Prng, TheSequenceOfASeedNeverChanges) {
  Prng zero(0);
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(zero.next(), 0x06c45d188009454fULL);
  Prng other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317ULL);
  EXPECT_EQ(other.next(), 3203168211198807973ULL);
}

TEST(Prng, BelowStaysBelowAndReachesAll) {
  Prng prng(7);
  std::array<int, 6> seen{};
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t value = prng.below(6);
    ASSERT_LT(value, 6U);
    ++seen[value];
  }
  for (const int count : seen) {
    EXPECT_GT(count, 800);
    EXPECT_LT(count, 1200);
  }
  EXPECT_EQ(prng.below(1), 0U);
}

TEST(Prng, BetweenHoldsBothEnds) {
  Prng prng(9);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(prng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(prng.between(5, 5), 5);
}

TEST(Prng, ChanceIsAboutItsShare) {
  Prng prng(11);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) hits += prng.chance(1, 4) ? 1 : 0;
  EXPECT_GT(hits, 2300);
  EXPECT_LT(hits, 2700);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(prng.chance(0, 4));
    EXPECT_TRUE(prng.chance(4, 4));
  }
}

}  // namespace
}  // namespace weir
