#include "cli/data_folder.h"

#include <system_error>
#include <vector>

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

constexpr auto kMark = "inference_load_10min.csv.gz";  // what no other tree has

}  // namespace

std::optional<fs::path> find_root() {
  std::error_code code;
  std::vector<fs::path> candidates{fs::current_path(code)};
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    candidates.push_back(folder);
    candidates.push_back(folder / "share" / "weir");
  }
  for (const fs::path& candidate : candidates) {
    if (fs::exists(candidate / "data" / "scenarios" / kMark, code)) return candidate;
  }
  return std::nullopt;
}

}  // namespace weir::cli
