#include "config/fields.h"

#include <array>
#include <set>

namespace weir {

namespace {

constexpr std::size_t kNameBytesMax = 128;

bool plain_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

bool reads_back_plain(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNulls = {"null", "Null", "NULL"};
  if (text.empty() || text.starts_with('-') || text.starts_with('.')) return false;
  if (std::find(kNulls.begin(), kNulls.end(), text) != kNulls.end()) return false;
  return std::all_of(text.begin(), text.end(), plain_character);
}

}  // namespace

std::string yaml_text(std::string_view text) {
  if (reads_back_plain(text)) return std::string(text);
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string yaml_list(std::span<const std::string> texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : ", ") + yaml_text(text);
  return out + ']';
}

std::optional<std::string> read_name(const Value& value) {
  auto text = value.text();
  if (!text) return std::nullopt;
  if (text->size() > kNameBytesMax) {
    value.problem("a name has at most " + std::to_string(kNameBytesMax) + " bytes, this one has " +
                  std::to_string(text->size()));
    return std::nullopt;
  }
  const bool printable = std::none_of(text->begin(), text->end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (!printable || text->starts_with(' ') || text->ends_with(' ')) {
    value.problem("a name has no control characters, and no blank at its ends; has " + quoted_for_message(*text));
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> read_key(const YamlEntry& entry, const std::string& path, Problems& problems) {
  const YamlNode key{.kind = YamlNode::Kind::scalar, .at = entry.at, .text = entry.key, .items = {}, .entries = {}};
  return read_name(Value(key, path, problems));
}

std::optional<std::vector<std::string>> read_names(const Value& value) {
  if (value.is_scalar()) {
    auto one = read_name(value);
    if (!one) return std::nullopt;
    return std::vector<std::string>{std::move(*one)};
  }
  const auto values = value.items();
  if (!values) return std::nullopt;
  std::vector<std::string> out;
  std::set<std::string> seen;
  bool all_good = true;
  for (const Value& item : *values) {
    auto one = read_name(item);
    if (!one) {
      all_good = false;
    } else if (!seen.insert(*one).second) {
      item.problem(quoted_for_message(*one) + " is named twice");
      all_good = false;
    } else {
      out.push_back(std::move(*one));
    }
  }
  if (!all_good) return std::nullopt;
  return out;
}

}  // namespace weir
