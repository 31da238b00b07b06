#include "config/quantity.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

struct Case {
  std::string_view text;
  std::int64_t value;
};

TEST(Quantity, DurationsAreExact) {
  for (const Case& c : {Case{"600", 600'000},
                        {"0", 0},
                        {"90s", 90'000},
                        {"10min", 600'000},
                        {"12h", 12 * kHour},
                        {"7d", 7 * kDay},
                        {"250ms", 250},
                        {"1.5h", 90 * kMinute},
                        {"0.001s", 1},
                        {"-5s", -5000}}) {
    const auto value = parse_duration_ms(c.text, kSecond);
    ASSERT_TRUE(value) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
  }
  EXPECT_EQ(parse_duration_ms("10", kMinute).value(), 10 * kMinute);
}

TEST(Quantity, DurationsThatDoNotFitAreRefused) {
  for (const std::string_view text : {"", "s", "10m", "10 min", "1h30min", "1e3", "0.0001s", "9223372036854775807d",
                                      "1..5s", "1.s", ".5s", "--1s", "0x5s", "10MIN", "\xEF\xBC\x91s"}) {
    EXPECT_FALSE(parse_duration_ms(text, kSecond)) << text;
  }
  EXPECT_EQ(parse_duration_ms("10m", kSecond).error().message, "no unit of time: \"m\" (ms, s, min, h, d)");
}

TEST(Quantity, MemoryIsInMiB) {
  for (const Case& c : {Case{"16Gi", 16'384},
                        {"16384Mi", 16'384},
                        {"16384", 16'384},
                        {"16GiB", 16'384},
                        {"1Ti", 1 << 20},
                        {"1.5Gi", 1536},
                        {"1048576Ki", 1024},
                        {"1048576K", 1000},
                        {"0", 0}}) {
    const auto value = parse_memory_mib(c.text);
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(*value, c.value) << c.text;
  }
  EXPECT_EQ(parse_memory_mib("16G").error().message, "not a whole number of MiB; G counts in thousands, Gi in 1024s");
  for (const std::string_view text : {"16gb", "16 Gi", "Gi", "1.5", "1e3", "9999999999999Ti", "0.1Mi", "B", "1B"}) {
    EXPECT_FALSE(parse_memory_mib(text)) << text;
  }
}

TEST(Quantity, SharesAreExactThousandths) {
  const auto milli = [](std::string_view text) { return parse_scaled(text, 1000, "thousandths"); };
  EXPECT_EQ(milli("0.1").value() + milli("0.2").value(), milli("0.3").value());
  EXPECT_EQ(milli("0.3").value(), 300);
  EXPECT_EQ(milli("1").value(), 1000);
  EXPECT_EQ(milli("1.000").value(), 1000);
  EXPECT_EQ(milli("0.1000000000000000000").value(), 100);
  EXPECT_EQ(milli("-0.5").value(), -500);
  EXPECT_EQ(milli("0.0005").error().message, "not a whole number of thousandths");
  for (const std::string_view text :
       {"1e400", ".nan", ".inf", "", "-", ".", "0.", "00.5", "1,5", "0.30000000000000004"}) {
    EXPECT_FALSE(milli(text)) << text;
  }
}

TEST(Quantity, WholeNumbersAreStrict) {
  EXPECT_EQ(parse_whole("-9223372036854775807").value(), -9223372036854775807);
  EXPECT_FALSE(parse_whole("9223372036854775808"));
  for (const std::string_view text : {"", "-", "+", "1.0", "010", "0x1", "1e3", " 1", "1 ", "--1"}) {
    EXPECT_FALSE(parse_whole(text)) << text;
  }
}

TEST(Quantity, WhatIsPrintedReadsTheSame) {
  for (const std::int64_t value :
       {0L, 1L, 999L, 1000L, 60'000L, 90'000L, 3'600'000L, 86'400'000L, 86'400'001L, -90'000L}) {
    EXPECT_EQ(parse_duration_ms(print_duration(value), kSecond).value(), value) << print_duration(value);
    EXPECT_EQ(parse_scaled(print_scaled(value, 1000), 1000, "x").value(), value) << print_scaled(value, 1000);
  }
  for (const std::int64_t value : {0L, 1L, 1023L, 1024L, 46'068L, 81'920L}) {
    EXPECT_EQ(parse_memory_mib(print_memory_mib(value)).value(), value) << print_memory_mib(value);
  }
  EXPECT_EQ(print_duration(90'000), "90s");
  EXPECT_EQ(print_memory_mib(16'384), "16Gi");
  EXPECT_EQ(print_scaled(1500, 1000), "1.5");
}

}  // namespace
}  // namespace weir
