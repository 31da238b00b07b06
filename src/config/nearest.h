// The valid word that a misspelt one is nearest to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

// Insertions, deletions, changes and swaps of neighbours that turn one word into
// the other (optimal string alignment). Only the first 64 characters count.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

// The nearest of `words`, the first among equals; nothing when more than a third
// of the longer word would have to change (two characters are allowed from five
// on). A word of four characters or more is near to what begins with it, and the
// reverse.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> words);

}  // namespace weir
