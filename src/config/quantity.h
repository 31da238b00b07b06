// Numbers with units as people write them, read from their decimal text without
// floating point, and written back so that they read the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace weir {

// Errors are bad_input; the message says what is wrong with `text` ("0.0005 is
// no whole number of thousandths"), without a place.

// Digits, with a sign in front if need be. No exponent, no leading zero, no point.
[[nodiscard]] Result<std::int64_t> parse_whole(std::string_view text);

// A decimal number times `unit`, which must come out whole: ("1.5", 1000) is 1500.
[[nodiscard]] Result<std::int64_t> parse_scaled(std::string_view text, std::int64_t unit, std::string_view unit_name);

[[nodiscard]] Result<DurationMs> parse_duration_ms(std::string_view text, DurationMs plain_unit_ms);
[[nodiscard]] Result<std::int64_t> parse_memory_mib(std::string_view text);

[[nodiscard]] std::string print_duration(DurationMs duration_ms);               // "10min", "90s", "0s"
[[nodiscard]] std::string print_memory_mib(std::int64_t mib);                   // "16Gi", "100Mi"
[[nodiscard]] std::string print_scaled(std::int64_t value, std::int64_t unit);  // (1500, 1000): "1.5"

}  // namespace weir
