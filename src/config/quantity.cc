#include "config/quantity.h"

#include <array>
#include <optional>
#include <span>
#include <utility>

namespace weir {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t size;
};

// Largest first: the printer takes the first that divides.
constexpr std::array kDurationUnits = {Unit{"d", kDay}, Unit{"h", kHour}, Unit{"min", kMinute}, Unit{"s", kSecond},
                                       Unit{"ms", 1}};

constexpr std::int64_t kKi = 1024;
constexpr std::array kMemoryUnits = {  // bytes
    Unit{"Ti", kKi* kKi* kKi* kKi},
    Unit{"Gi", kKi* kKi* kKi},
    Unit{"Mi", kKi* kKi},
    Unit{"Ki", kKi},
    Unit{"T", 1'000'000'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"M", 1'000'000},
    Unit{"K", 1000},
    Unit{"k", 1000}};
constexpr std::int64_t kMiB = kKi * kKi;

constexpr std::size_t kFractionDigitsMax = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Result<std::int64_t> bad(std::string message) { return fail(ErrorCode::bad_input, std::move(message)); }

// The end of the number that `text` begins with: sign, digits, point, digits.
std::size_t number_length(std::string_view text) {
  std::size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  return i;
}

std::optional<std::int64_t> digits_value(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, static_cast<std::int64_t>(c - '0'), &value)) return std::nullopt;
  }
  return value;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace

Result<std::int64_t> parse_whole(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return bad("no whole number");
  }
  if (digits.size() > 1 && digits[0] == '0') return bad("a number does not begin with 0");
  const auto value = digits_value(digits);
  if (!value) return bad("too large");
  return negative ? -*value : *value;
}

Result<std::int64_t> parse_scaled(std::string_view text, std::int64_t unit, std::string_view unit_name) {
  const bool negative = text.starts_with('-');
  std::string_view rest = text.substr(negative || text.starts_with('+') ? 1 : 0);
  const std::size_t point = rest.find('.');
  const std::string_view whole = rest.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view{} : rest.substr(point + 1);
  const bool plain =
      rest.find_first_not_of("0123456789.") == std::string_view::npos && fraction.find('.') == std::string_view::npos;
  if (!plain || whole.empty() || (point != std::string_view::npos && fraction.empty())) return bad("no number");
  if (whole.size() > 1 && whole[0] == '0') return bad("a number does not begin with 0");
  while (fraction.ends_with('0')) fraction.remove_suffix(1);

  const auto whole_value = digits_value(whole);
  std::int64_t value = 0;
  if (!whole_value || __builtin_mul_overflow(*whole_value, unit, &value)) return bad("too large");
  const std::string not_whole = "not a whole number of " + std::string(unit_name);
  if (fraction.size() > kFractionDigitsMax) return bad(not_whole);
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) scale *= 10;
  std::int64_t numerator = 0;
  if (__builtin_mul_overflow(digits_value(fraction).value_or(0), unit, &numerator)) return bad(not_whole);
  if (numerator % scale != 0) return bad(not_whole);
  if (__builtin_add_overflow(value, numerator / scale, &value)) return bad("too large");
  return negative ? -value : value;
}

Result<DurationMs> parse_duration_ms(std::string_view text, DurationMs plain_unit_ms) {
  const std::size_t length = number_length(text);
  const std::string_view name = text.substr(length);
  if (length == 0) return bad("no duration");
  const Unit* unit = find_unit(kDurationUnits, name);
  if (!name.empty() && unit == nullptr) {
    return bad("no unit of time: \"" + std::string(name) + "\" (ms, s, min, h, d)");
  }
  return parse_scaled(text.substr(0, length), name.empty() ? plain_unit_ms : unit->size, "milliseconds");
}

Result<std::int64_t> parse_memory_mib(std::string_view text) {
  const std::size_t length = number_length(text);
  std::string_view name = text.substr(length);
  if (length == 0) return bad("no amount of memory");
  if (name.empty()) return parse_scaled(text, 1, "MiB");
  if (name.size() > 1 && name.ends_with('B')) name.remove_suffix(1);  // GiB, GB
  const Unit* unit = find_unit(kMemoryUnits, name);
  if (unit == nullptr) return bad("no unit of memory: \"" + std::string(name) + "\" (Mi, Gi, Ti)");
  if (unit->size >= kMiB && unit->size % kMiB == 0) {
    return parse_scaled(text.substr(0, length), unit->size / kMiB, "MiB");
  }
  const auto bytes = parse_scaled(text.substr(0, length), unit->size, "bytes");
  if (!bytes) return bytes;
  if (*bytes % kMiB != 0) {
    return bad("not a whole number of MiB; " + std::string(name) +
               (name.ends_with('i') ? " is 1024 bytes" : " counts in thousands, " + std::string(name) + "i in 1024s"));
  }
  return *bytes / kMiB;
}

std::string print_duration(DurationMs duration_ms) {
  if (duration_ms == 0) return "0s";
  for (const Unit& unit : kDurationUnits) {
    if (duration_ms % unit.size == 0) return std::to_string(duration_ms / unit.size) + std::string(unit.name);
  }
  return std::to_string(duration_ms) + "ms";
}

std::string print_memory_mib(std::int64_t mib) {
  if (mib != 0 && mib % kKi == 0) return std::to_string(mib / kKi) + "Gi";
  return std::to_string(mib) + "Mi";
}

std::string print_scaled(std::int64_t value, std::int64_t unit) {
  std::string out = value < 0 ? "-" : "";
  const std::int64_t positive = value < 0 ? -value : value;
  out += std::to_string(positive / unit);
  std::int64_t rest = positive % unit;
  if (rest != 0) out += '.';
  for (std::size_t i = 0; rest != 0 && i < kFractionDigitsMax; ++i) {
    rest *= 10;
    out += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return out;
}

}  // namespace weir
