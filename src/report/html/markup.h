// Text into HTML. Everything that comes from data passes through `escaped`.
#pragma once

#include <string>
#include <string_view>

namespace weir::report::html {

// Safe between tags and inside quoted attributes. Control characters and bytes
// that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

// <name class="css">escaped text</name>; no attribute when css is empty.
[[nodiscard]] std::string element(std::string_view name, std::string_view css, std::string_view text);

// The same text with no-break spaces: a number stays with its unit.
[[nodiscard]] std::string unbroken(std::string_view text);

// A length as per cent of its container, for styles: "37.42%". 0 to 100.
[[nodiscard]] std::string percent(double share);

}  // namespace weir::report::html
