// The one table of pool.yaml. Parser, validator, `weir check --print-defaults`
// and the reference page walk these rows; a key is added by adding its row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "config/reader.h"
#include "model/settings.h"

namespace weir {

// A pool file as far as it is read: what was given and where, before defaults
// that depend on other keys are worked out (resolve.h).
struct Draft {
  PoolConfig config;
  Given given;
  // Paths of the elements, in the order of the lists in `config`.
  std::vector<std::string> tier_paths;
  std::vector<std::string> team_paths;
  std::vector<std::string> service_paths;
  std::vector<std::string> profile_paths;
  std::map<std::string, int> node_lines;  // name to line
  std::int64_t nameless_nodes = 0;        // so far; they are called n1, n2, ...
  std::int64_t names_expanded = 0;        // node names made of ranges, doubles included

  [[nodiscard]] bool has(std::string_view path) const { return given.contains(path); }
  // Where a path stands, or the nearest thing around it that is in the file.
  [[nodiscard]] Place place_of(std::string_view path) const;
  // A problem of a whole element, at its key or its dash.
  void problem(const Value& element, std::string message, ErrorCode code = ErrorCode::bad_input) const;
};

struct SectionRow {
  std::string name;
  std::string form;  // how the section is written
  std::string help;
  std::vector<FieldDoc> fields;
  std::function<void(const Value&, Draft&)> read;
  std::function<std::string(const PoolConfig&)> print;  // whole lines; "" = leave out
};

[[nodiscard]] const std::vector<SectionRow>& settings_table();

// A config with every default that does not depend on other keys.
[[nodiscard]] PoolConfig fresh_config();

// Sections of lists and named things (settings_nodes.cc, settings_work.cc), for
// settings_table().
[[nodiscard]] SectionRow tiers_section();
[[nodiscard]] SectionRow nodes_section();
[[nodiscard]] SectionRow teams_section();
[[nodiscard]] SectionRow services_section();
[[nodiscard]] SectionRow profiles_section();

// pool.guard_shapes (shape_fields.cc).
void read_guard_shapes(const Value& value, PoolConfig& out);
[[nodiscard]] std::string show_guard_shapes(const PoolConfig& in);

inline constexpr std::int64_t kCardsMax = 1'000'000;  // of a pool
inline constexpr std::int64_t kNodesMax = 100'000;
inline constexpr std::int64_t kGuardShapesMax = 100'000;

}  // namespace weir
