// Names that stand for many: `n{1..8}` is n1 to n8, `gpu{01..16}` keeps two digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir {

// At most `names_max` names. A name without a range is itself. Errors: bad_input
// (a range that is none, or runs down), too_large.
[[nodiscard]] Result<std::vector<std::string>> expand_names(std::string_view pattern, std::int64_t names_max);

// The longest run at the start of `names` that one pattern stands for.
struct NameRun {
  std::string pattern;
  std::size_t count = 0;
};
[[nodiscard]] NameRun first_run(std::span<const std::string> names);

}  // namespace weir
