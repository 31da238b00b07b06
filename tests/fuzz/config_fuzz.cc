// pool.yaml: any bytes give a config or problems with places, never a crash; and
// what loads is printed as a file that loads as the same config.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<weir::Error> warnings;
  const auto loaded = weir::load_pool_text(text, "fuzz.yaml", &warnings);
  if (!loaded) {
    WEIR_CHECK(!loaded.error().empty());
    int line = 0;
    for (const weir::Error& error : loaded.error()) {
      WEIR_CHECK(!error.message.empty());
      WEIR_CHECK(error.line >= line || error.line == 0);  // in file order; without a place only at the ends
      line = error.line;
    }
    return 0;
  }
  const std::string printed = weir::print_pool(*loaded);
  const auto again = weir::load_pool_text(printed, "printed.yaml");
  if (printed.size() > (std::size_t{1} << 20)) return 0;  // irregular names: a larger file than may be read
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(again->settings == loaded->settings);
  WEIR_CHECK(again->nodes == loaded->nodes);
  WEIR_CHECK(again->services == loaded->services);
  WEIR_CHECK(again->outer == loaded->outer);
  return 0;
}
