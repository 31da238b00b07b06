#include "config/name_range.h"

#include <utility>

namespace weir {

namespace {

constexpr std::size_t kDigitsMax = 9;

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= kDigitsMax && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t value_of(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// A leading zero fixes the width; without one numbers are as wide as they are.
std::size_t width_of(std::string_view first) { return first.size() > 1 && first[0] == '0' ? first.size() : 0; }

struct Split {
  std::string_view stem;
  std::string_view digits;
};

Split split_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  return {name.substr(0, begin), name.substr(begin)};
}

}  // namespace

Result<std::vector<std::string>> expand_names(std::string_view pattern, std::int64_t names_max) {
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}');
  if (open == std::string_view::npos && close == std::string_view::npos) return std::vector{std::string(pattern)};
  const auto bad = [](std::string message) { return fail(ErrorCode::bad_input, std::move(message)); };
  const std::string shape = "a range in a name is written {1..8}, once";
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return bad(shape);
  const std::string_view inside = pattern.substr(open + 1, close - open - 1);
  const std::string_view after = pattern.substr(close + 1);
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos || after.find_first_of("{}") != std::string_view::npos) return bad(shape);
  const std::string_view first = inside.substr(0, dots);
  const std::string_view last = inside.substr(dots + 2);
  if (!all_digits(first) || !all_digits(last)) return bad(shape);
  const std::int64_t low = value_of(first);
  const std::int64_t high = value_of(last);
  if (high < low) return bad("the range {" + std::string(inside) + "} runs down");
  if (high - low >= names_max) {
    return fail(ErrorCode::too_large,
                "the range {" + std::string(inside) + "} stands for more than " + std::to_string(names_max) + " names");
  }
  std::vector<std::string> out;
  for (std::int64_t number = low; number <= high; ++number) {
    out.push_back(std::string(pattern.substr(0, open)) + padded(number, width_of(first)) + std::string(after));
  }
  return out;
}

NameRun first_run(std::span<const std::string> names) {
  const Split first = split_number(names[0]);
  if (!all_digits(first.digits)) return {names[0], 1};
  const std::int64_t low = value_of(first.digits);
  std::size_t count = 1;
  while (count < names.size() &&
         names[count] ==
             std::string(first.stem) + padded(low + static_cast<std::int64_t>(count), width_of(first.digits))) {
    ++count;
  }
  if (count == 1) return {names[0], 1};
  const std::string_view last = split_number(names[count - 1]).digits;
  return {std::string(first.stem) + "{" + std::string(first.digits) + ".." + std::string(last) + "}", count};
}

}  // namespace weir
