// The scenario decoder: any bytes give a scenario or problems, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = weir::scenario::load(text, "fuzz.yaml");
  if (loaded) return 0;
  WEIR_CHECK(!loaded.error().empty());
  for (const weir::Error& error : loaded.error()) WEIR_CHECK(!error.message.empty());
  return 0;
}
