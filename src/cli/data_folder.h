// Where the recorded data that ships is.
#pragma once

#include <filesystem>
#include <optional>

namespace weir::cli {

// The tree that holds data/ and scenarios/pools: here, or above or beside the program.
[[nodiscard]] std::optional<std::filesystem::path> find_root();

}  // namespace weir::cli
