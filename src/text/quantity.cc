// Numbers, durations and instants in words.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "text/text.h"

namespace weir {
namespace {

struct Unit {
  DurationMs size_ms;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array kUnits{
    Unit{kDay, "d", "天"},    Unit{kHour, "h", "小时"}, Unit{kMinute, "min", "分钟"},
    Unit{kSecond, "s", "秒"}, Unit{1, "ms", "毫秒"},
};

// The largest unit that the duration reaches.
std::size_t first_unit(DurationMs duration_ms) {
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && duration_ms < kUnits[unit].size_ms) ++unit;
  return unit;
}

// Days go with hours, hours with minutes, minutes with seconds; seconds and
// milliseconds stand alone.
std::size_t last_unit(std::size_t first) { return kUnits[first].size_ms >= kMinute ? first + 1 : first; }

}  // namespace

std::string duration_text(DurationMs duration_ms, Language language) {
  const bool chinese = language == Language::chinese;
  if (duration_ms >= kNever || duration_ms <= -kNever) return chinese ? "永不" : "never";
  if (duration_ms == 0) return chinese ? "0 秒" : "0 s";
  if (duration_ms < 0) return "-" + duration_text(-duration_ms, language);
  // Rounding may carry into a larger unit ("59 min 59.9 s" is 1 h).
  auto first = first_unit(duration_ms);
  const auto grain_ms = kUnits[last_unit(first)].size_ms;
  auto left_ms = (duration_ms + grain_ms / 2) / grain_ms * grain_ms;
  first = first_unit(left_ms);
  std::string out;
  for (auto unit = first; unit <= last_unit(first); ++unit) {
    const auto count = left_ms / kUnits[unit].size_ms;
    left_ms -= count * kUnits[unit].size_ms;
    if (count == 0) continue;
    if (!out.empty()) out += ' ';
    out += fmt::format("{} {}", count_text(count), chinese ? kUnits[unit].chinese : kUnits[unit].english);
  }
  return out;
}

std::string instant_text(TimeMs at_ms, Language language) {
  if (at_ms >= kNever) return duration_text(at_ms, language);
  auto day = at_ms / kDay;
  auto of_day_ms = at_ms % kDay;
  if (of_day_ms < 0) {
    of_day_ms += kDay;
    --day;
  }
  const auto hour = of_day_ms / kHour;
  const auto minute = of_day_ms % kHour / kMinute;
  const auto second = of_day_ms % kMinute / kSecond;
  if (language == Language::chinese) return fmt::format("第 {} 天 {:02}:{:02}:{:02}", day, hour, minute, second);
  return fmt::format("day {}, {:02}:{:02}:{:02}", day, hour, minute, second);
}

std::string count_text(std::int64_t count) {
  auto digits = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (auto at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace weir
