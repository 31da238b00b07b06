#include "base/hash.h"

#include <set>

#include <gtest/gtest.h>

namespace weir {
namespace {

template <class... Values>
std::uint64_t hash_of(Values... values) {
  Hasher hash;
  (hash.add(values), ...);
  return hash.value();
}

TEST(Hasher, TheSameValuesGiveTheSameHash) {
  EXPECT_EQ(hash_of(std::int64_t{1}, std::string_view("a")), hash_of(std::int64_t{1}, std::string_view("a")));
}

TEST(Hasher, OrderBoundariesAndValuesCount) {
  EXPECT_NE(hash_of(std::int64_t{1}, std::int64_t{2}), hash_of(std::int64_t{2}, std::int64_t{1}));
  EXPECT_NE(hash_of(std::string_view("ab"), std::string_view("c")),
            hash_of(std::string_view("a"), std::string_view("bc")));
  EXPECT_NE(hash_of(std::string_view("")), hash_of());
  EXPECT_NE(hash_of(std::int32_t{-1}), hash_of(std::uint32_t{0xFFFFFFFFU}));  // sign is kept
  EXPECT_EQ(hash_of(std::int32_t{-1}), hash_of(std::int64_t{-1}));            // width is not
}

TEST(Hasher, SmallNumbersDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (std::int64_t a = 0; a < 100; ++a) {
    for (std::int64_t b = 0; b < 100; ++b) seen.insert(hash_of(a, b));
  }
  EXPECT_EQ(seen.size(), 10'000U);
}

}  // namespace
}  // namespace weir
