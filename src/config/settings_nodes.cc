// The sections priority_tiers and nodes.
#include <array>
#include <optional>
#include <span>

#include "config/list_section.h"
#include "config/name_range.h"
#include "config/shape_fields.h"

namespace weir {

namespace {

constexpr std::int64_t kWeightMax = 1'000'000;
constexpr std::array<std::string_view, 3> kRoleWords = {"inference", "deadline", "training"};

std::vector<Field<TierSpec>> tier_rows() {
  return {
      field::name<TierSpec>("name", WEIR_AT(name), "Name of the tier; all different.", "must be given"),
      field::whole<TierSpec>("weight", WEIR_AT(weight), {1, kWeightMax},
                             "Orders the tiers, the largest first; all different, never multiplied.", "must be given"),
      field::word<TierSpec>("role", WEIR_AT(role), kRoleWords,
                            "What the tier is for: one holds inference, at most one promoted jobs, the others "
                            "training.",
                            "infer_core: inference, train_deadline_near: deadline, any other name: training")};
}

TierRole role_by_name(const std::string& name) {
  if (name == "infer_core") return TierRole::inference;
  return name == "train_deadline_near" ? TierRole::deadline : TierRole::training;
}

void take_tier(const Value& element, TierSpec tier, Draft& draft) {
  if (!draft.has(element.path() + ".role")) tier.role = role_by_name(tier.name);
  if (element.is_map() && !draft.has(element.path() + ".weight")) draft.problem(element, "the key weight is missing");
  draft.config.settings.tiers.push_back(std::move(tier));
  draft.tier_paths.push_back(element.path());
}

struct NodeDraft {
  NodeSpec node;
  std::int64_t count = 0;        // 0 = not given
  std::optional<Value> islands;  // read once the number of cards is known
};

std::string show_islands(const NodeDraft& in) {
  std::string out;
  for (const std::uint8_t island : in.node.islands) out += (out.empty() ? "[" : ", ") + std::to_string(island);
  return out.empty() ? out : out + "]";
}

std::vector<Field<NodeDraft>> node_rows() {
  Field<NodeDraft> count = field::whole<NodeDraft>(
      "count", WEIR_AT(count), {1, kNodesMax}, "So many nodes alike; 1, 2, 3 ... is put after the name.", "one node");
  count.show = [](const NodeDraft&) { return std::string(); };
  return {field::name<NodeDraft>("name", WEIR_AT(node.name), "Name of the node; n{1..8} names eight. All different.",
                                 "n1, n2, n3 ..."),
          std::move(count),
          field::whole<NodeDraft>("gpus", WEIR_AT(node.cards), {0, kCardsPerNodeMax}, "Cards of the node."),
          field::name<NodeDraft>("model", WEIR_AT(node.model), "Its GPU model.", "one unnamed model"),
          field::memory<NodeDraft>("gpu_mem_mib", WEIR_AT(node.card_mem_mib), {1, kMemMaxMib}, kUnlimited,
                                   "Usable memory of each card.", "not counted"),
          cpu_row<NodeDraft>(WEIR_AT(node.cpu_milli), kUnlimited, "CPU cores.", "not counted"),
          field::memory<NodeDraft>("mem", WEIR_AT(node.ram_mib), {0, kMemMaxMib}, kUnlimited, "Memory.", "not counted"),
          field::name<NodeDraft>("group", WEIR_AT(node.group), "Network group.", "none"),
          field::name<NodeDraft>("rack", WEIR_AT(node.rack), "Rack.", "none"),
          Field<NodeDraft>{{"islands", "whole number, or a list with one number per card", "one island", "",
                            "Topology islands: how many of equal size, or the island of each card."},
                           [](const Value& value, NodeDraft& out) { out.islands = value; },
                           show_islands}};
}

std::vector<std::uint8_t> equal_islands(std::int32_t cards, std::int64_t islands) {
  std::vector<std::uint8_t> out;
  for (std::int32_t card = 0; card < cards; ++card) {
    out.push_back(static_cast<std::uint8_t>(card / (cards / islands)));
  }
  return out;
}

void read_islands(const Value& value, NodeSpec& node) {
  if (value.is_scalar()) {
    const auto islands = value.whole({1, kCardsPerNodeMax});
    if (!islands) return;
    if (node.cards < *islands || node.cards % *islands != 0) {
      value.problem("cannot divide " + std::to_string(node.cards) + " GPUs into " + std::to_string(*islands) +
                    " islands of equal size");
      return;
    }
    node.islands = equal_islands(node.cards, *islands);
    return;
  }
  const auto items = value.items();
  if (!items) return;
  for (const Value& item : *items) {
    const auto island = item.whole({0, kCardsPerNodeMax - 1});
    if (!island) return;
    node.islands.push_back(static_cast<std::uint8_t>(*island));
  }
  if (node.islands.size() != static_cast<std::size_t>(node.cards)) {
    value.problem("names the islands of " + std::to_string(node.islands.size()) + " cards; the node has " +
                  std::to_string(node.cards));
    node.islands.clear();
  }
}

// The names that one element stands for; nothing after a problem.
std::optional<std::vector<std::string>> names_of(const Value& element, const NodeDraft& node, Draft& draft) {
  const std::int64_t room = kNodesMax - draft.names_expanded;
  const bool ranged = node.node.name.find('{') != std::string::npos;
  if (node.count > 0 && ranged) {
    draft.problem(element, "has both a range in its name and a count; one of them says how many");
    return std::nullopt;
  }
  std::string pattern = node.node.name;
  if (pattern.empty()) {
    const std::int64_t first = draft.nameless_nodes + 1;
    const std::int64_t many = std::max<std::int64_t>(node.count, 1);
    draft.nameless_nodes += many;
    pattern = "n{" + std::to_string(first) + ".." + std::to_string(first + many - 1) + "}";
  } else if (node.count > 0) {
    pattern += "{1.." + std::to_string(node.count) + "}";
  }
  auto names = expand_names(pattern, std::max<std::int64_t>(room, 1));
  const bool no_room =
      names ? static_cast<std::int64_t>(names->size()) > room : names.error().code == ErrorCode::too_large;
  if (no_room) {
    names = fail(ErrorCode::too_large, "with these there are more than " + std::to_string(kNodesMax) + " nodes");
  }
  if (!names) {
    draft.problem(element, names.error().message, names.error().code);
    return std::nullopt;
  }
  draft.names_expanded += static_cast<std::int64_t>(names->size());
  return std::move(*names);
}

void take_node(const Value& element, NodeDraft node, Draft& draft) {
  const bool named_wrong = node.node.name.empty() && draft.has(element.path() + ".name");
  if (named_wrong) return;
  if (element.is_map() && !draft.has(element.path() + ".gpus")) draft.problem(element, "the key gpus is missing");
  if (node.islands && !element.problems().touches(element.path() + ".gpus")) read_islands(*node.islands, node.node);
  const auto names = names_of(element, node, draft);
  if (!names) return;
  for (const std::string& name : *names) {
    const auto [first, fresh] = draft.node_lines.emplace(name, element.at().line);
    if (!fresh) {
      draft.problem(element,
                    "a node " + quoted_for_message(name) + " is already on line " + std::to_string(first->second));
      return;
    }
    NodeSpec spec = node.node;
    spec.name = name;
    spec.id = NodeId{static_cast<std::uint32_t>(draft.config.nodes.size())};
    draft.config.nodes.push_back(std::move(spec));
  }
}

bool alike(const NodeSpec& a, NodeSpec b) {
  b.id = a.id;
  b.name = a.name;
  return a == b;
}

// Nodes alike but for the numbers in their names are one line.
std::string print_nodes(const std::vector<Field<NodeDraft>>& rows, const std::vector<NodeSpec>& nodes) {
  std::string out = "nodes:\n";
  for (std::size_t begin = 0; begin < nodes.size();) {
    std::vector<std::string> names;
    for (std::size_t i = begin; i < nodes.size() && alike(nodes[begin], nodes[i]); ++i) names.push_back(nodes[i].name);
    for (std::size_t i = 0; i < names.size();) {
      const NameRun run = first_run(std::span(names).subspan(i));
      NodeDraft node{.node = nodes[begin], .count = 0, .islands = {}};
      node.node.name = run.pattern;
      out += print_element(rows, node);
      i += run.count;
    }
    begin += names.size();
  }
  return out;
}

}  // namespace

SectionRow tiers_section() {
  const auto rows = tier_rows();
  SectionRow section = list_section<TierSpec>(
      "priority_tiers", "list",
      "Who is more important. Without this section: infer_core 100, train_deadline_near 80, train_normal 40.", rows);
  const ListRules<TierSpec> rules{.rows = rows, .name_needed = true, .sink = take_tier};
  section.read = [rules](const Value& value, Draft& draft) { read_list(value, rules, draft); };
  section.print = [rows](const PoolConfig& config) {
    return print_list<TierSpec>("priority_tiers", rows, config.settings.tiers);
  };
  return section;
}

SectionRow nodes_section() {
  const auto rows = node_rows();
  SectionRow section = list_section<NodeDraft>(
      "nodes", "list, or map from name",
      "The machines, in the order in which they are filled. Without this section: nodes of 8 cards up to "
      "pool.total_gpus.",
      rows);
  const ListRules<NodeDraft> rules{.rows = rows, .name_needed = false, .sink = take_node};
  section.read = [rules](const Value& value, Draft& draft) { read_elements(value, rules, draft); };
  section.print = [rows](const PoolConfig& config) { return print_nodes(rows, config.nodes); };
  return section;
}

}  // namespace weir
