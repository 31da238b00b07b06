#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.h"

namespace weir::report {
namespace {

constexpr double kLargestPrinted = 1e15;  // beyond, a 64-bit count of milliseconds would not hold it
constexpr const char* kDash = "-";

// What a duration is rounded to so that two figures or so remain.
DurationMs grain_of(DurationMs duration_ms) {
  if (duration_ms >= 10 * kDay) return kDay;
  if (duration_ms >= 10 * kHour) return kHour;
  if (duration_ms >= 10 * kMinute) return kMinute;
  return duration_ms >= 10 * kSecond ? kSecond : 1;
}

}  // namespace

std::optional<double> measured(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return std::clamp(*value, -kLargestPrinted, kLargestPrinted);
}

std::string share_text(std::optional<double> share) {
  const auto value = measured(share);
  if (!value) return kDash;
  const double percent = *value * 100;
  const double size = std::abs(percent);
  if (percent == 0) return "0 %";
  if (percent == 100) return "100 %";
  if (size < 0.0005) return percent > 0 ? "<0.001 %" : ">-0.001 %";
  if (size < 0.1) return fmt::format("{:.3f} %", percent);
  if (size < 1) return fmt::format("{:.2f} %", percent);
  if (size >= 99.95 && size < 100) return size < 99.995 ? fmt::format("{:.2f} %", percent) : ">99.99 %";
  return fmt::format("{:.1f} %", percent);
}

std::string seconds_text(std::optional<double> seconds) {
  const auto value = measured(seconds);
  return value ? count_text(std::llround(*value)) + " s" : kDash;
}

std::string number_text(std::optional<double> number) {
  const auto value = measured(number);
  if (!value) return kDash;
  if (*value == std::trunc(*value) || std::abs(*value) >= 99.95) return count_text(std::llround(*value));
  return fmt::format("{:.1f}", *value);
}

std::string counted_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

std::string quantity_text(std::optional<double> value, Quantity kind) {
  switch (kind) {
    case Quantity::share:
      return share_text(value);
    case Quantity::seconds:
      return seconds_text(value);
    case Quantity::count:
      return number_text(value);
    case Quantity::cards:
      return measured(value) ? number_text(value) + (*value == 1 ? " card" : " cards") : kDash;
  }
  return kDash;
}

std::string words_text(std::optional<double> seconds) {
  const auto value = measured(seconds);
  if (!value) return kDash;
  const double bounded = std::clamp(*value, -kLargestPrinted / 1000, kLargestPrinted / 1000);
  const auto exact_ms = static_cast<DurationMs>(std::llround(bounded * 1000));
  const auto grain_ms = grain_of(exact_ms < 0 ? -exact_ms : exact_ms);
  const auto half_ms = exact_ms < 0 ? -grain_ms / 2 : grain_ms / 2;
  return duration_text((exact_ms + half_ms) / grain_ms * grain_ms, Language::english);
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace weir::report
