#include "base/units.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Units, SumsOfAFewNeversDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_LT(kNever, kMost / 4);
  EXPECT_GT(kNever, std::int64_t{1'000'000} * 365 * kDay);  // a million years
}

TEST(Units, AMaskOfCardsFitsItsNumber) {
  EXPECT_EQ(kCardsPerNodeMax, 64);
  EXPECT_LT(kUnlimited, std::numeric_limits<std::int64_t>::max() / 1000);  // times a node's workers
}

}  // namespace
}  // namespace weir
