// Numbers for people: shares as per cent, seconds and counts with thousands
// separators. What was not measured, or is no number, is a dash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::report {

enum class Quantity { share, seconds, count, cards };

// The value if it was measured and is a finite number.
[[nodiscard]] std::optional<double> measured(std::optional<double> value);

// "72.5 %", "0.003 %". Only a whole is "100 %" and only nothing is "0 %".
[[nodiscard]] std::string share_text(std::optional<double> share);
// "25,760 s"
[[nodiscard]] std::string seconds_text(std::optional<double> seconds);
// "1,234"; a fraction of one decimal below 100: "12.4"
[[nodiscard]] std::string number_text(std::optional<double> number);
// "1 node", "8 nodes", "4,376 jobs"
[[nodiscard]] std::string counted_text(std::int64_t count, std::string_view noun);
// By its kind; cards carry their word, counts none.
[[nodiscard]] std::string quantity_text(std::optional<double> value, Quantity kind);
// Seconds in words, to about two figures: "54 min", "7 h 9 min", "1 d 17 h"
[[nodiscard]] std::string words_text(std::optional<double> seconds);

// Columns that a text takes on a terminal: code points, since Weir prints no
// wide ones in tables.
[[nodiscard]] std::size_t columns_of(std::string_view utf8);

}  // namespace weir::report
