#include "base/ids.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Ids, NoneIsNotValidAndLast) {
  EXPECT_FALSE(JobId{}.valid());
  EXPECT_TRUE(JobId{0}.valid());
  EXPECT_LT(JobId{0}, JobId{1});
  EXPECT_LT(JobId{1}, JobId{});
  EXPECT_EQ(RunId{7}, RunId{7});
}

TEST(Ids, OneKindIsNeverTakenForAnother) {
  static_assert(!std::is_convertible_v<JobId, RunId>);
  static_assert(!std::is_constructible_v<JobId, RunId>);
  static_assert(!std::is_convertible_v<std::uint32_t, JobId>);
  EXPECT_EQ(sizeof(NodeId), sizeof(std::uint32_t));
}

}  // namespace
}  // namespace weir
