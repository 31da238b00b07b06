// Rows of a settings table: what a key is called, what it may be, what it means
// when it is absent, and how it is read into and shown from a struct. Parser,
// validator, printer and reference page are all made from the same rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/quantity.h"
#include "config/reader.h"

namespace weir {

// What people read about a key.
struct FieldDoc {
  std::string key;
  std::string type;
  std::string fallback;  // the default, as written in a file or as a rule in words
  std::string bounds;    // empty = none beyond the type
  std::string help;      // one sentence
};

template <class T>
struct Field : FieldDoc {
  std::function<void(const Value&, T&)> read;  // adds problems, then leaves T as it was
  std::function<std::string(const T&)> show;   // YAML on one line that reads the same; "" = leave out
};

// Text as YAML: plain where that reads back the same, else in double quotes.
[[nodiscard]] std::string yaml_text(std::string_view text);
[[nodiscard]] std::string yaml_list(std::span<const std::string> texts);

// Names of things: shown in lines, paths and tables, so bounded and printable.
[[nodiscard]] std::optional<std::string> read_name(const Value& value);
[[nodiscard]] std::optional<std::vector<std::string>> read_names(const Value& value);
// The key of an entry as a name; `path` is that of the entry.
[[nodiscard]] std::optional<std::string> read_key(const YamlEntry& entry, const std::string& path, Problems& problems);

// Where the keys of a file stand: full path -> place.
using Given = std::map<std::string, Place, std::less<>>;

// Reads a map by a table; unknown keys are problems. `elsewhere` may name where
// an unknown key belongs ("" = nowhere).
template <class T>
void read_fields(const Value& map, std::span<const Field<T>> fields, T& out, Given& given,
                 const std::function<std::string(std::string_view)>& elsewhere = {}) {
  const auto section = map.section();
  if (!section) return;
  for (const YamlEntry& entry : map.node().entries) {
    const Value value(entry.value, section->path_of(entry.key), map.problems());
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const auto& row) { return row.key == entry.key; });
    if (field != fields.end()) {
      given.emplace(value.path(), entry.at);
      field->read(value, out);
      continue;
    }
    std::vector<std::string> known;
    for (const Field<T>& row : fields) known.push_back(row.key);
    const std::string home = elsewhere ? elsewhere(entry.key) : std::string();
    map.problems().add(
        entry.at, value.path(),
        home.empty() ? unknown_message("key", entry.key, known) : "unknown key here; it belongs to " + home);
  }
}

// Builders. `get` gives a reference to the member, of a const T too. The default
// shown in the reference is that of a fresh T, unless `rule` says it in words.
namespace field {

#define WEIR_AT(member) [](auto& row) -> auto& { return row.member; }

template <class T>
Field<T> finish(Field<T> row, std::string rule) {
  row.fallback = rule.empty() ? row.show(T{}) : std::move(rule);
  return row;
}

template <class T, class Get>
Field<T> whole(std::string key, Get get, Range range, std::string help, std::string rule = {}) {
  Field<T> row{{std::move(key),
                "whole number",
                {},
                std::to_string(range.min) + " to " + std::to_string(range.max),
                std::move(help)},
               {},
               {}};
  row.read = [get, range](const Value& value, T& out) {
    if (const auto number = value.whole(range)) {
      get(out) = static_cast<std::remove_cvref_t<decltype(get(out))>>(*number);
    }
  };
  row.show = [get](const T& in) { return std::to_string(get(in)); };
  return finish(std::move(row), std::move(rule));
}

// A decimal number whose thousandths are kept.
template <class T, class Get>
Field<T> milli(std::string key, Get get, Range range, std::string help, std::string rule = {}) {
  constexpr std::int64_t kMilli = 1000;
  Field<T> row{{std::move(key),
                "decimal number",
                {},
                print_scaled(range.min, kMilli) + " to " + print_scaled(range.max, kMilli),
                std::move(help)},
               {},
               {}};
  row.read = [get, range](const Value& value, T& out) {
    if (const auto number = value.milli(range)) {
      get(out) = static_cast<std::remove_cvref_t<decltype(get(out))>>(*number);
    }
  };
  row.show = [get](const T& in) { return print_scaled(get(in), kMilli); };
  return finish(std::move(row), std::move(rule));
}

struct DurationRule {
  Range range;
  DurationMs plain_unit = kSecond;  // what a plain number counts
  std::string_view never;           // the word for kNever, if it may be written
  DurationMs unset = -1;            // shown as nothing
};

template <class T, class Get>
Field<T> duration(std::string key, Get get, DurationRule rules, std::string help, std::string rule = {}) {
  const std::string type = rules.plain_unit == kMinute ? "duration, plain number in minutes" : "duration";
  Field<T> row{{std::move(key),
                type + (rules.never.empty() ? "" : " or `" + std::string(rules.never) + "`"),
                {},
                print_duration(rules.range.min) + " to " + print_duration(rules.range.max),
                std::move(help)},
               {},
               {}};
  row.read = [get, rules](const Value& value, T& out) {
    const bool word = !rules.never.empty() && value.is_scalar() && !parse_duration_ms(value.node().text, 1);
    if (word && value.node().text == rules.never) {
      get(out) = kNever;
    } else if (word) {
      value.expected("a duration such as 90s, 10min, 12h or 7d, or " + std::string(rules.never));
    } else if (const auto length = value.duration(rules.plain_unit, rules.range)) {
      get(out) = *length;
    }
  };
  row.show = [get, rules](const T& in) {
    const DurationMs length = get(in);
    if (length == rules.unset) return std::string();
    return length >= kNever && !rules.never.empty() ? std::string(rules.never) : print_duration(length);
  };
  return finish(std::move(row), std::move(rule));
}

// Memory; `unset` stands for "not declared" and is shown as nothing.
template <class T, class Get>
Field<T> memory(std::string key, Get get, Range range, std::int64_t unset, std::string help, std::string rule = {}) {
  Field<T> row{{std::move(key),
                "memory, plain number in MiB",
                {},
                print_memory_mib(range.min) + " to " + print_memory_mib(range.max),
                std::move(help)},
               {},
               {}};
  row.read = [get, range](const Value& value, T& out) {
    if (const auto mib = value.memory_mib(range)) get(out) = *mib;
  };
  row.show = [get, unset](const T& in) { return get(in) == unset ? std::string() : print_memory_mib(get(in)); };
  return finish(std::move(row), std::move(rule));
}

template <class T, class Get>
Field<T> flag(std::string key, Get get, std::string help) {
  Field<T> row{{std::move(key), "true or false", {}, {}, std::move(help)}, {}, {}};
  row.read = [get](const Value& value, T& out) {
    if (const auto on = value.yes_no()) get(out) = *on;
  };
  row.show = [get](const T& in) { return std::string(get(in) ? "true" : "false"); };
  return finish(std::move(row), {});
}

// A closed list; `words` in the order of the enumerators.
template <class T, class Get>
Field<T> word(std::string key, Get get, std::span<const std::string_view> words, std::string help,
              std::string rule = {}) {
  std::string type = "one of";
  for (const std::string_view each : words) type += (type == "one of" ? " `" : ", `") + std::string(each) + "`";
  Field<T> row{{std::move(key), std::move(type), {}, {}, std::move(help)}, {}, {}};
  row.read = [get, words](const Value& value, T& out) {
    if (const auto index = value.word(words)) get(out) = static_cast<std::remove_cvref_t<decltype(get(out))>>(*index);
  };
  row.show = [get, words](const T& in) { return std::string(words[static_cast<std::size_t>(get(in))]); };
  return finish(std::move(row), std::move(rule));
}

template <class T, class Get>
Field<T> name(std::string key, Get get, std::string help, std::string rule = {}) {
  Field<T> row{{std::move(key), "name", {}, {}, std::move(help)}, {}, {}};
  row.read = [get](const Value& value, T& out) {
    if (auto text = read_name(value)) get(out) = std::move(*text);
  };
  row.show = [get](const T& in) { return get(in).empty() ? std::string() : yaml_text(get(in)); };
  return finish(std::move(row), std::move(rule));
}

template <class T, class Get>
Field<T> names(std::string key, Get get, std::string help, std::string rule = {}) {
  Field<T> row{{std::move(key), "list of names", {}, {}, std::move(help)}, {}, {}};
  row.read = [get](const Value& value, T& out) {
    if (auto texts = read_names(value)) get(out) = std::move(*texts);
  };
  row.show = [get](const T& in) { return get(in).empty() ? std::string() : yaml_list(get(in)); };
  return finish(std::move(row), std::move(rule));
}

// A decimal number of hours kept in a finer unit (GPU-hours in GPU-ms).
template <class T, class Get>
Field<T> hours(std::string key, Get get, std::int64_t unit, std::int64_t hours_max, std::string help,
               std::string rule = {}) {
  Field<T> row{{std::move(key), "GPU-hours", {}, "0 to " + std::to_string(hours_max), std::move(help)}, {}, {}};
  row.read = [get, unit, hours_max](const Value& value, T& out) {
    const auto amount = value.is_scalar() ? parse_scaled(value.node().text, unit, "the unit that is kept")
                                          : fail(ErrorCode::bad_input, {});
    if (!amount || *amount < 0 || *amount / unit > hours_max) {
      value.expected("a number of GPU-hours from 0 to " + std::to_string(hours_max));
      return;
    }
    get(out) = *amount;
  };
  row.show = [get, unit](const T& in) { return get(in) < 0 ? std::string() : print_scaled(get(in), unit); };
  return finish(std::move(row), std::move(rule));
}

}  // namespace field

}  // namespace weir
