// The version of Weir: that of CMake's project(), so that it stands in one place.
#pragma once

namespace weir::cli {

inline constexpr const char* kVersion = WEIR_VERSION;

}  // namespace weir::cli
