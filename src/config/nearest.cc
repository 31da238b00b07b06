#include "config/nearest.h"

#include <algorithm>
#include <array>

namespace weir {

namespace {
constexpr std::size_t kCompared = 64;  // keys are short; a bound keeps hostile ones cheap
constexpr std::size_t kPrefix = 4;
constexpr int kShort = 4;  // half of such a word changed is another word
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kCompared);
  b = b.substr(0, kCompared);
  std::array<std::array<int, kCompared + 1>, 3> rows{};  // two rows back, one back, this one
  for (std::size_t j = 0; j <= b.size(); ++j) rows[1][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows[2][0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[2][j] = std::min({rows[1][j] + 1, rows[2][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
    }
    rows[0] = rows[1];
    rows[1] = rows[2];
  }
  return rows[1][b.size()];
}

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> words) {
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : words) {
    const int longer = static_cast<int>(std::min(kCompared, std::max(word.size(), candidate.size())));
    const int allowed = longer <= kShort ? longer / 3 : std::max(2, longer / 3);
    // A word cut short or drawn out (gpu_mem, quotas_of_team) is near, however long the rest.
    const bool begins = word.size() >= kPrefix && candidate.size() >= kPrefix &&
                        (candidate.starts_with(word) || word.starts_with(candidate));
    const int distance = begins ? 1 : edit_distance(word, candidate);
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace weir
