// Sections that are a list of maps, or a map from names to maps.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "config/settings_table.h"

namespace weir {

// Takes one element that was read; its place is that of `element`.
template <class T>
using ElementSink = std::function<void(const Value& element, T item, Draft& draft)>;

template <class T>
struct ListRules {
  std::vector<Field<T>> rows;  // with a row "name"
  bool name_needed = true;     // in the list form
  ElementSink<T> sink;
};

template <class T>
void read_named(const Value& section, const ListRules<T>& rules, Draft& draft) {
  std::vector<Field<T>> unnamed;  // in the map form the name stands before the colon
  std::copy_if(rules.rows.begin(), rules.rows.end(), std::back_inserter(unnamed),
               [](const Field<T>& row) { return row.key != "name"; });
  const auto named =
      std::find_if(rules.rows.begin(), rules.rows.end(), [](const Field<T>& row) { return row.key == "name"; });
  const auto map = section.section();
  if (!map) return;
  for (const YamlEntry& entry : section.node().entries) {
    // `A:` alone is a name with nothing said about it.
    const YamlNode nothing{.kind = YamlNode::Kind::map, .at = entry.at, .text = {}, .items = {}, .entries = {}};
    const bool bare = entry.value.kind == YamlNode::Kind::null && !entry.value.reported;
    const Value element(bare ? nothing : entry.value, map->path_of(entry.key), section.problems());
    draft.given.emplace(element.path(), entry.at);
    T item;
    const YamlNode key{.kind = YamlNode::Kind::scalar, .at = entry.at, .text = entry.key, .items = {}, .entries = {}};
    named->read(Value(key, element.path(), section.problems()), item);
    read_fields<T>(element, unnamed, item, draft.given);
    rules.sink(element, std::move(item), draft);
  }
}

template <class T>
void read_list(const Value& section, const ListRules<T>& rules, Draft& draft) {
  const auto elements = section.items();
  if (!elements) return;
  for (const Value& element : *elements) {
    draft.given.emplace(element.path(), element.at());
    T item;
    read_fields<T>(element, rules.rows, item, draft.given);
    if (element.is_map() && rules.name_needed && !draft.has(element.path() + ".name")) {
      draft.problem(element, "the key name is missing");
    }
    rules.sink(element, std::move(item), draft);
  }
}

template <class T>
void read_elements(const Value& section, const ListRules<T>& rules, Draft& draft) {
  if (section.is_map()) {
    read_named(section, rules, draft);
  } else if (section.is_list()) {
    read_list(section, rules, draft);
  } else {
    section.expected("a list, or a map from names");
  }
}

// "  - {name: A, gpus: 8}"
template <class T>
std::string print_element(const std::vector<Field<T>>& rows, const T& item) {
  std::string out = "  - {";
  bool first = true;
  for (const Field<T>& row : rows) {
    const std::string value = row.show(item);
    if (value.empty()) continue;
    out += (first ? "" : ", ") + row.key + ": " + value;
    first = false;
  }
  return out + "}\n";
}

template <class T>
std::string print_list(const std::string& name, const std::vector<Field<T>>& rows, const std::vector<T>& items) {
  if (items.empty()) return {};
  std::string out = name + ":\n";
  for (const T& item : items) out += print_element(rows, item);
  return out;
}

template <class T>
SectionRow list_section(std::string name, std::string form, std::string help, const std::vector<Field<T>>& rows) {
  SectionRow section{
      .name = std::move(name), .form = std::move(form), .help = std::move(help), .fields = {}, .read = {}, .print = {}};
  for (const Field<T>& row : rows) section.fields.push_back(row);
  return section;
}

}  // namespace weir
