#include "base/check.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Check, ABrokenInvariantEndsTheProgramAndSaysWhere) {
  const int cards = 9;
  EXPECT_DEATH(WEIR_CHECK(cards <= 8), "check_test.cc:[0-9]+: broken invariant: cards <= 8");
}

TEST(Check, ATrueOneCostsOneLookAtIt) {
  int looked = 0;
  WEIR_CHECK(++looked == 1);
  EXPECT_EQ(looked, 1);
}

}  // namespace
}  // namespace weir
