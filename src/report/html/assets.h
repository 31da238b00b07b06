// What the page carries with it: style, patterns and a small script. The page
// reads without the script; it only adds the value under the pointer.
#pragma once

#include <string_view>

namespace weir::report::html {

extern const std::string_view kStyle;
extern const std::string_view kPatterns;
extern const std::string_view kScript;

}  // namespace weir::report::html
