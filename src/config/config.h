// pool.yaml: read, checked, printed. Everything here is generated from one
// table of settings (settings_table.h), so file, messages, printed defaults and
// reference page cannot disagree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/settings.h"

namespace weir {

// A pool file with every default resolved to a number. On failure every problem
// of the file at once, in file order. `warnings`, if given, gets what is allowed
// and probably not meant in a file that loads. Never throws; input beyond 1 MiB is refused.
[[nodiscard]] ResultAll<PoolConfig> load_pool_text(std::string_view text, std::string file_name,
                                                   std::vector<Error>* warnings = nullptr);
[[nodiscard]] ResultAll<PoolConfig> load_pool_file(const std::string& path, std::vector<Error>* warnings = nullptr);

// A pool.yaml that says everything and loads as the same config again.
[[nodiscard]] std::string print_pool(const PoolConfig& config);

// Cards that the guard comes to: the larger of inference_guard_min and what the
// services' guards use (shares of a service rounded up to whole cards).
[[nodiscard]] std::int64_t guard_cards(const PoolConfig& config);

// The customer's file (engine.md 1), whose defaults `--print-defaults` shows.
[[nodiscard]] std::string_view example_pool_text();

// docs/reference/pool-yaml.md.
[[nodiscard]] std::string pool_reference_page();

}  // namespace weir
