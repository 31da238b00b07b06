#include "config/reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "config/nearest.h"
#include "config/quantity.h"

namespace weir {

namespace {

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "no value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  return node.quoted ? "the text " + quoted_for_message(node.text) : quoted_for_message(node.text);
}

std::string join(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string bounds_message(const std::string& low, const std::string& high, const std::string& has) {
  return "must be between " + low + " and " + high + ", is " + has;
}

}  // namespace

std::string quoted_for_message(std::string_view text) {
  constexpr std::size_t kShown = 60;
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool begins = (byte & 0xC0U) != 0x80U;
    if (begins && shown++ == kShown) return out + "...\"";
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += text[i];
    }
  }
  return out + "\"";
}

std::string unknown_message(std::string_view what, std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kListed = 24;
  std::string out = "unknown " + std::string(what);
  if (const auto nearest = nearest_word(word, known)) return out + "; nearest is " + *nearest;
  if (!known.empty() && known.size() <= kListed) return out + "; known here: " + join(known);
  return out;
}

void Problems::add(Place at, std::string key, std::string message, ErrorCode code) {
  if (errors_.size() >= kProblemsMax) {
    ++dropped_;
    return;
  }
  // Keys come from the file: what a terminal would act on is not passed on.
  const bool clean = std::none_of(key.begin(), key.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  constexpr std::size_t kKeyShown = 200;
  if (!clean || key.size() > kKeyShown) key = quoted_for_message(key);
  errors_.push_back(Error{.code = code,
                          .message = std::move(message),
                          .file = file_,
                          .line = at.line,
                          .column = at.column,
                          .key = std::move(key)});
}

bool Problems::touches(std::string_view path) const {
  return std::any_of(errors_.begin(), errors_.end(), [&](const Error& error) {
    if (!error.key.starts_with(path)) return false;
    return error.key.size() == path.size() || error.key[path.size()] == '.' || error.key[path.size()] == '[';
  });
}

std::vector<Error> Problems::take() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  if (dropped_ > 0) {
    errors_.push_back(Error{.code = ErrorCode::too_large,
                            .message = "and " + std::to_string(dropped_) + " more problems",
                            .file = file_,
                            .key = {}});
  }
  dropped_ = 0;
  return std::exchange(errors_, {});
}

Result<std::string> read_bounded_file(const std::string& path, std::size_t bytes_max) {
  const auto refuse = [&](ErrorCode code, std::string message) {
    return std::unexpected(Error{.code = code, .message = std::move(message), .file = path, .key = {}});
  };
  const std::string too_large = "larger than " + std::to_string(bytes_max) + " bytes";
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return refuse(ErrorCode::not_found, "no such file");
  if (std::filesystem::is_directory(status)) return refuse(ErrorCode::io, "a folder, not a file");
  if (std::filesystem::is_regular_file(status)) {
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > bytes_max) return refuse(ErrorCode::too_large, too_large);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse(ErrorCode::io, "cannot be opened");
  std::string text(bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return refuse(ErrorCode::io, "cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > bytes_max) return refuse(ErrorCode::too_large, too_large);
  return text;
}

void Value::problem(std::string message, ErrorCode code) const {
  if (!node_->reported) problems_->add(at(), path_, std::move(message), code);
}

void Value::expected(std::string_view what) const {
  problem("expects " + std::string(what) + ", has " + describe(*node_));
}

std::optional<std::string> Value::text() const {
  if (!is_scalar() || node_->reported || node_->text.empty()) {
    expected("text");
    return std::nullopt;
  }
  return node_->text;
}

std::optional<bool> Value::yes_no() const {
  for (const std::string_view word : {"true", "on", "yes"}) {
    if (is_word(word)) return true;
  }
  for (const std::string_view word : {"false", "off", "no"}) {
    if (is_word(word)) return false;
  }
  expected("true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Value::whole(Range range) const {
  if (!is_scalar() || node_->quoted || node_->reported) {
    const bool number_in_quotes = is_scalar() && parse_whole(node_->text).has_value();
    expected(number_in_quotes ? "a whole number without quotes" : "a whole number");
    return std::nullopt;
  }
  const auto value = parse_whole(node_->text);
  if (!value) {
    expected("a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max));
    return std::nullopt;
  }
  if (*value < range.min || *value > range.max) {
    problem(bounds_message(std::to_string(range.min), std::to_string(range.max), std::to_string(*value)));
    return std::nullopt;
  }
  return *value;
}

std::optional<std::int64_t> Value::milli(Range range_milli) const {
  constexpr std::int64_t kMilli = 1000;
  if (!is_scalar() || node_->reported) {
    expected("a decimal number");
    return std::nullopt;
  }
  const auto value = parse_scaled(node_->text, kMilli, "thousandths");
  if (!value) {
    problem("expects a decimal number with at most three decimals, has " + describe(*node_) + " (" +
            value.error().message + ")");
    return std::nullopt;
  }
  if (*value < range_milli.min || *value > range_milli.max) {
    problem(bounds_message(print_scaled(range_milli.min, kMilli), print_scaled(range_milli.max, kMilli),
                           print_scaled(*value, kMilli)));
    return std::nullopt;
  }
  return *value;
}

std::optional<DurationMs> Value::duration(DurationMs plain_unit_ms, Range range_ms) const {
  if (!is_scalar() || node_->reported) {
    expected("a duration such as 90s, 10min, 12h or 7d");
    return std::nullopt;
  }
  const auto value = parse_duration_ms(node_->text, plain_unit_ms);
  if (!value) {
    problem("expects a duration such as 90s, 10min, 12h or 7d, has " + describe(*node_) + " (" + value.error().message +
            ")");
    return std::nullopt;
  }
  if (*value < range_ms.min || *value > range_ms.max) {
    problem(bounds_message(print_duration(range_ms.min), print_duration(range_ms.max), print_duration(*value)));
    return std::nullopt;
  }
  return *value;
}

std::optional<std::int64_t> Value::memory_mib(Range range_mib) const {
  if (!is_scalar() || node_->reported) {
    expected("an amount of memory such as 16Gi, or a number of MiB");
    return std::nullopt;
  }
  const auto value = parse_memory_mib(node_->text);
  if (!value) {
    problem("expects an amount of memory such as 16Gi, or a number of MiB, has " + describe(*node_) + " (" +
            value.error().message + ")");
    return std::nullopt;
  }
  if (*value < range_mib.min || *value > range_mib.max) {
    problem(bounds_message(print_memory_mib(range_mib.min), print_memory_mib(range_mib.max), print_memory_mib(*value)));
    return std::nullopt;
  }
  return *value;
}

std::optional<std::size_t> Value::word(std::span<const std::string_view> words) const {
  const std::vector<std::string> known(words.begin(), words.end());
  if (!is_scalar() || node_->reported) {
    expected("one of " + join(known));
    return std::nullopt;
  }
  const auto found = std::find(words.begin(), words.end(), node_->text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto nearest = nearest_word(node_->text, known);
  problem("expects one of " + join(known) + ", has " + describe(*node_) +
          (nearest ? "; nearest is " + *nearest : std::string()));
  return std::nullopt;
}

std::optional<Section> Value::section() const {
  if (!is_map()) {
    expected("a map of keys");
    return std::nullopt;
  }
  return Section(*node_, path_, *problems_);
}

std::optional<std::vector<Value>> Value::items() const {
  if (!is_list()) {
    expected("a list");
    return std::nullopt;
  }
  std::vector<Value> out;
  out.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    out.emplace_back(node_->items[i], path_ + "[" + std::to_string(i) + "]", *problems_);
  }
  return out;
}

std::optional<std::vector<std::string>> Value::texts() const {
  if (is_scalar()) {
    auto one = text();
    if (!one) return std::nullopt;
    return std::vector<std::string>{std::move(*one)};
  }
  const auto values = items();
  if (!values) return std::nullopt;
  std::vector<std::string> out;
  for (const Value& value : *values) {
    auto one = value.text();
    if (!one) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

const YamlEntry* Section::entry(std::string_view key) const {
  for (const YamlEntry& entry : map_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string Section::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

Place Section::place_of(std::string_view key) const {
  const YamlEntry* found = entry(key);
  return found == nullptr ? at() : found->at;
}

bool Section::has(std::string_view key) const { return entry(key) != nullptr; }

std::optional<Value> Section::get(std::string_view key) {
  known_.emplace(key);
  const YamlEntry* found = entry(key);
  if (found == nullptr) return std::nullopt;
  return Value(found->value, path_of(key), *problems_);
}

std::optional<Value> Section::require(std::string_view key) {
  auto value = get(key);
  if (!value) problems_->add(at(), path_, "the key " + std::string(key) + " is missing");
  return value;
}

std::vector<std::pair<std::string, Value>> Section::all() {
  std::vector<std::pair<std::string, Value>> out;
  for (const YamlEntry& entry : map_->entries) {
    known_.insert(entry.key);
    out.emplace_back(entry.key, Value(entry.value, path_of(entry.key), *problems_));
  }
  return out;
}

std::string Section::text(std::string_view key, std::string fallback) {
  const auto value = get(key);
  return value ? value->text().value_or(std::move(fallback)) : fallback;
}

bool Section::yes_no(std::string_view key, bool fallback) {
  const auto value = get(key);
  return value ? value->yes_no().value_or(fallback) : fallback;
}

std::int64_t Section::whole(std::string_view key, std::int64_t fallback, Range range) {
  const auto value = get(key);
  return value ? value->whole(range).value_or(fallback) : fallback;
}

std::int64_t Section::milli(std::string_view key, std::int64_t fallback, Range range_milli) {
  const auto value = get(key);
  return value ? value->milli(range_milli).value_or(fallback) : fallback;
}

DurationMs Section::duration(std::string_view key, DurationMs fallback, DurationMs plain_unit_ms, Range range_ms) {
  const auto value = get(key);
  return value ? value->duration(plain_unit_ms, range_ms).value_or(fallback) : fallback;
}

std::int64_t Section::memory_mib(std::string_view key, std::int64_t fallback, Range range_mib) {
  const auto value = get(key);
  return value ? value->memory_mib(range_mib).value_or(fallback) : fallback;
}

void Section::finish() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const YamlEntry& entry : map_->entries) {
    if (known_.contains(entry.key)) continue;
    problems_->add(entry.at, path_of(entry.key), unknown_message("key", entry.key, known));
  }
}

void Section::problem(std::string message, ErrorCode code) const {
  problems_->add(at(), path_, std::move(message), code);
}

}  // namespace weir
