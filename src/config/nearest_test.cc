#include "config/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Nearest, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("quota", "quota"), 0);
  EXPECT_EQ(edit_distance("qouta", "quota"), 1);  // a swap
  EXPECT_EQ(edit_distance("quta", "quota"), 1);
  EXPECT_EQ(edit_distance("quotas", "quota"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Nearest, IsSymmetric) {
  const std::vector<std::string> words = {"", "a", "gpus", "gpu", "models", "model", "guard", "max_wait"};
  for (const auto& a : words) {
    for (const auto& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
  }
}

TEST(Nearest, FarWordsAreNotNear) {
  const std::vector<std::string> words = {"quota", "borrow", "tiers"};
  EXPECT_EQ(nearest_word("qouta", words), "quota");
  EXPECT_EQ(nearest_word("tier", words), "tiers");
  EXPECT_EQ(nearest_word("elephant", words), std::nullopt);
  EXPECT_EQ(nearest_word("", words), std::nullopt);
  EXPECT_EQ(nearest_word("H100", std::vector<std::string>{"A100", "L40S"}), "A100");
  EXPECT_EQ(nearest_word("H200", std::vector<std::string>{"A100", "L40S"}), std::nullopt);
  EXPECT_EQ(nearest_word("x", std::vector<std::string>{"y"}), std::nullopt);
}

TEST(Nearest, AWordCutShortIsNear) {
  const std::vector<std::string> words = {"cpu", "gpu_mem_mib", "mem"};
  EXPECT_EQ(nearest_word("gpu_mem", words), "gpu_mem_mib");
  EXPECT_EQ(nearest_word("memory", words), std::nullopt);
}

TEST(Nearest, AMillionCharactersCostNoMoreThanSixtyFour) {
  EXPECT_LE(edit_distance(std::string(1'000'000, 'a'), std::string(1'000'000, 'b')), 64);
}

}  // namespace
}  // namespace weir
