#include "base/result.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Error, TextHoldsThePlaceAsFarAsItIsKnown) {
  Error error{
      .message = "unknown key; nearest is quota", .file = "pool.yaml", .line = 12, .column = 3, .key = "teams.A.qouta"};
  EXPECT_EQ(error.text(), "pool.yaml:12:3: teams.A.qouta: unknown key; nearest is quota");
  error.column = 0;
  EXPECT_EQ(error.text(), "pool.yaml:12: teams.A.qouta: unknown key; nearest is quota");
  error.line = 0;
  EXPECT_EQ(error.text(), "pool.yaml: teams.A.qouta: unknown key; nearest is quota");
  error.file.clear();
  EXPECT_EQ(error.text(), "teams.A.qouta: unknown key; nearest is quota");
  error.key.clear();
  EXPECT_EQ(error.text(), "unknown key; nearest is quota");
}

TEST(Error, AColumnWithoutALineIsNoPlace) {
  const Error error{.message = "m", .file = "f", .column = 3, .key = {}};
  EXPECT_EQ(error.text(), "f: m");
}

TEST(Result, FailBecomesAResultOfAnyType) {
  const Result<int> number = fail(ErrorCode::too_large, "too large");
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().code, ErrorCode::too_large);
  EXPECT_EQ(number.error().message, "too large");
  EXPECT_EQ(number.error().line, 0);
  const Result<std::string> text = fail(ErrorCode::io, "refused");
  EXPECT_EQ(text.error().text(), "refused");
}

}  // namespace
}  // namespace weir
