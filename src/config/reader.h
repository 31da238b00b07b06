// Reading YAML that people write: a bounded tree with places, and readers of its
// values that collect every problem instead of stopping at the first.
//
//   Problems problems{"pool.yaml"};
//   if (auto root = read_yaml(text, problems)) {
//     if (auto top = Value{*root, "", problems}.section()) {
//       const auto gpus = top->whole("gpus", 1, {1, 64});   // absent: 1
//       if (auto teams = top->get("teams")) ...              // absent: nothing
//       top->finish();                                       // unknown keys
//     }
//   }
//   if (!problems.empty()) return std::unexpected(problems.take());
//
// Nothing here throws, and work and memory are bounded by YamlLimits. Keys that
// stand twice, anchors, aliases, merge keys, tags, NUL bytes and invalid UTF-8
// are problems. Lines and columns count from 1, columns in characters.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace weir {

struct Place {
  int line = 0;
  int column = 0;
  auto operator<=>(const Place&) const = default;
};

struct YamlEntry;

// A plain value of the file. Scalars keep their text as written: nothing is
// turned into a number on the way (1e400 and 010 stay what they are).
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;             // scalar in quotes or a text block
  bool reported = false;           // already a problem (an alias, a tag): readers stay silent
  Place at;                        // a null value stands where its key stands
  std::string text;                // scalar
  std::vector<YamlNode> items;     // list
  std::vector<YamlEntry> entries;  // map, in file order, keys all different
};

struct YamlEntry {
  std::string key;
  Place at;
  YamlNode value;
};

struct YamlLimits {
  std::size_t bytes_max = std::size_t{1} << 20;
  std::size_t nodes_max = 200'000;  // keys and values
  int depth_max = 32;
};

// The problems of one file, given back in file order. Beyond kProblemsMax only
// their number is kept.
class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 200;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(Place at, std::string key, std::string message, ErrorCode code = ErrorCode::bad_input);
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  // Whether a problem lies at a path or below it: rules over it are then moot.
  [[nodiscard]] bool touches(std::string_view path) const;
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::vector<Error> take();  // sorted by place; leaves this empty

 private:
  std::string file_;
  std::vector<Error> errors_;
  std::size_t dropped_ = 0;
};

// The one document of a text. Nothing if it is no YAML or goes over a limit;
// problems say why. A tree that comes with problems is still worth checking: its
// doubtful parts are marked `reported`. An empty text is a null node.
[[nodiscard]] std::optional<YamlNode> read_yaml(std::string_view text, Problems& problems,
                                                const YamlLimits& limits = {});

// The bytes of a file, read only if it is no larger than bytes_max. Errors:
// not_found, io, too_large.
[[nodiscard]] Result<std::string> read_bounded_file(const std::string& path,
                                                    std::size_t bytes_max = YamlLimits{}.bytes_max);

struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

class Section;

// One value and the path to it ("teams.A.quota", "nodes[3].gpus"). Each reader
// gives nothing after adding a problem that says what was expected, what is
// there, and the bounds (both included). Lives no longer than its tree.
class Value {
 public:
  Value(const YamlNode& node, std::string path, Problems& problems)
      : node_(&node), path_(std::move(path)), problems_(&problems) {}

  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Place at() const { return node_->at; }
  [[nodiscard]] bool is_null() const { return node_->kind == YamlNode::Kind::null; }
  [[nodiscard]] bool is_scalar() const { return node_->kind == YamlNode::Kind::scalar; }
  [[nodiscard]] bool is_list() const { return node_->kind == YamlNode::Kind::list; }
  [[nodiscard]] bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  [[nodiscard]] bool is_word(std::string_view word) const {  // `off`, not "off"
    return is_scalar() && !node_->quoted && node_->text == word;
  }

  [[nodiscard]] std::optional<std::string> text() const;  // any scalar that is not empty
  [[nodiscard]] std::optional<bool> yes_no() const;       // true false on off yes no
  [[nodiscard]] std::optional<std::int64_t> whole(Range range) const;
  // A decimal number counted in thousandths, exactly: 0.3 is 300, 0.0005 is refused.
  [[nodiscard]] std::optional<std::int64_t> milli(Range range_milli) const;
  // 90s, 10min, 12h, 7d, 500ms, 1.5h; a plain number counts plain_unit_ms.
  [[nodiscard]] std::optional<DurationMs> duration(DurationMs plain_unit_ms, Range range_ms) const;
  // 16Gi, 16384Mi, 16GiB; a plain number is MiB. Refuses what is no whole MiB.
  [[nodiscard]] std::optional<std::int64_t> memory_mib(Range range_mib) const;
  // The index in `words` of the word that is there.
  [[nodiscard]] std::optional<std::size_t> word(std::span<const std::string_view> words) const;

  [[nodiscard]] std::optional<Section> section() const;                 // a map
  [[nodiscard]] std::optional<std::vector<Value>> items() const;        // a list
  [[nodiscard]] std::optional<std::vector<std::string>> texts() const;  // a list of scalars, or one scalar

  void problem(std::string message, ErrorCode code = ErrorCode::bad_input) const;
  [[nodiscard]] Problems& problems() const { return *problems_; }

  // For readers of further types: "expects <what>, has <what is there>".
  void expected(std::string_view what) const;

 private:
  const YamlNode* node_;
  std::string path_;
  Problems* problems_;
};

// A map whose keys are known by being asked for.
class Section {
 public:
  Section(const YamlNode& map, std::string path, Problems& problems)
      : map_(&map), path_(std::move(path)), problems_(&problems) {}

  // The value of a key; nothing when the key is absent. Makes the key known.
  [[nodiscard]] std::optional<Value> get(std::string_view key);
  [[nodiscard]] std::optional<Value> require(std::string_view key);  // absent: a problem
  [[nodiscard]] bool has(std::string_view key) const;
  void allow(std::string_view key) { known_.emplace(key); }  // known, read elsewhere or by nobody
  // Every entry in file order, all of them then known: for maps from names.
  [[nodiscard]] std::vector<std::pair<std::string, Value>> all();

  // Shortcuts: the value, or `fallback` when it is absent or a problem.
  [[nodiscard]] std::string text(std::string_view key, std::string fallback = {});
  [[nodiscard]] bool yes_no(std::string_view key, bool fallback);
  [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t fallback, Range range);
  [[nodiscard]] std::int64_t milli(std::string_view key, std::int64_t fallback, Range range_milli);
  [[nodiscard]] DurationMs duration(std::string_view key, DurationMs fallback, DurationMs plain_unit_ms,
                                    Range range_ms);
  [[nodiscard]] std::int64_t memory_mib(std::string_view key, std::int64_t fallback, Range range_mib);

  // A problem for every key that nobody asked for, with the nearest known one.
  void finish() const;

  [[nodiscard]] Place at() const { return map_->at; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] Place place_of(std::string_view key) const;  // of the key; of the map when it is absent
  [[nodiscard]] Problems& problems() const { return *problems_; }
  void problem(std::string message, ErrorCode code = ErrorCode::bad_input) const;

 private:
  [[nodiscard]] const YamlEntry* entry(std::string_view key) const;

  const YamlNode* map_;
  std::string path_;
  Problems* problems_;
  std::set<std::string, std::less<>> known_;
};

// "unknown key; nearest is quota", or the known ones when none is near.
[[nodiscard]] std::string unknown_message(std::string_view what, std::string_view word,
                                          std::span<const std::string> known);

// Text of a file made fit for a message: quoted, control characters escaped,
// cut after 60 characters.
[[nodiscard]] std::string quoted_for_message(std::string_view text);

}  // namespace weir
