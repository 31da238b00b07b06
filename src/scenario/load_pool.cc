// Nodes, pool, tiers, teams, profiles and settings of a scenario.
#include <algorithm>
#include <array>

#include "scenario/parse.h"

namespace weir::scenario {

namespace {

constexpr std::int32_t kCardsOfNode = 8;         // with `total_gpus` and no list of nodes
constexpr std::int64_t kGuardShapesMax = 1'000;  // of one entry
constexpr Range kHoursRange{0, 1'000'000'000};

void add_node(Scenario& s, NodeSpec node, bool healthy, bool drained, const Value& value) {
  node.id = NodeId(static_cast<std::uint32_t>(s.nodes.size()));
  if (!s.node_ids.emplace(node.name, node.id).second) {
    value.problem("the node " + quoted_for_message(node.name) + " is there twice");
    return;
  }
  if (s.nodes.size() >= kNodesMax)
    return value.problem("more than " + std::to_string(kNodesMax) + " nodes", ErrorCode::too_large);
  if (!healthy) s.down_at_start.push_back(node.id);
  if (drained) s.drained_at_start.push_back(node.id);
  s.nodes.push_back(std::move(node));
}

void read_islands(Section& section, NodeSpec& node) {
  const auto value = section.get("islands");
  if (!value) return;
  const auto items = value->items();
  if (!items) return;
  for (const Value& item : *items)
    if (const auto island = item.whole({0, 255})) node.islands.push_back(static_cast<std::uint8_t>(*island));
  if (node.islands.size() != static_cast<std::size_t>(node.cards))
    value->problem("expects one island for each of the node's cards");
}

void read_node(const std::string& key, const Value& value, Scenario& s) {
  std::string problem;
  const auto names = expand_range(key, kNodesMax, problem);
  if (!names) return value.problem(problem);
  auto section = value.section();
  if (!section) return;
  NodeSpec node;
  node.cards = static_cast<std::int32_t>(section->whole("gpus", 0, {0, kCardsPerNodeMax}));
  node.model = section->text("model");
  node.card_mem_mib = section->memory_mib("gpu_mem_mib", kUnlimited, {1, kUnlimited});
  node.cpu_milli = section->milli("cpus", kUnlimited, {0, kUnlimited});
  node.ram_mib = section->memory_mib("ram_mib", kUnlimited, {0, kUnlimited});
  node.group = section->text("group");
  node.rack = section->text("rack");
  read_islands(*section, node);
  const bool healthy = section->yes_no("healthy", true);
  const bool drained = section->yes_no("drained", false);
  section->allow("note");
  section->finish();
  for (const std::string& name : *names) {
    node.name = name;
    add_node(s, node, healthy, drained, value);
  }
}

void read_guard_shapes(Section& pool, Scenario& s) {
  const auto value = pool.get("guard_shapes");
  const auto items = value ? value->items() : std::nullopt;
  if (!items) return;
  for (const Value& item : *items) {
    if (item.is_scalar()) {
      if (const auto cards = item.whole({1, kCardsPerNodeMax}))
        s.settings.guard_shapes.push_back(Shape{.cards = static_cast<std::int32_t>(*cards)});
      continue;
    }
    auto section = item.section();
    if (!section) continue;
    const ShapeText text = read_shape_text(*section);
    const std::int64_t count = section->whole("count", 1, {1, kGuardShapesMax});
    section->finish();
    const Shape shape = shape_of(text, *section);
    s.settings.guard_shapes.insert(s.settings.guard_shapes.end(), static_cast<std::size_t>(count), shape);
  }
}

void read_pool_settings(Section& pool, Scenario& s) {
  constexpr std::array<std::string_view, 2> kModes{"lend", "hold"};
  Settings& settings = s.settings;
  settings.guard_min_cards = static_cast<std::int32_t>(pool.whole("inference_guard_min", 0, {0, kCardsMax}));
  settings.buffer_cards = static_cast<std::int32_t>(pool.whole("elastic_buffer", 0, {0, kCardsMax}));
  settings.training_floor_cards = pool.whole("training_floor", 0, {0, kCardsMax});
  settings.lead_time_ms = pool.duration("lead_time_s", 0, kSecond, kTimeRange);
  read_guard_shapes(pool, s);
  if (const auto mode = pool.get("buffer_mode"))
    if (const auto index = mode->word(kModes)) settings.buffer_mode = *index == 0 ? BufferMode::lend : BufferMode::hold;
}

// With no list of nodes: so many whole cards in nodes of eight.
void make_nodes(std::int64_t total, const Value& value, Scenario& s) {
  for (std::int64_t made = 0; made < total; made += kCardsOfNode) {
    NodeSpec node;
    node.name = "n" + std::to_string(s.nodes.size() + 1);
    node.cards = static_cast<std::int32_t>(std::min<std::int64_t>(kCardsOfNode, total - made));
    add_node(s, std::move(node), true, false, value);
  }
}

// A number, or a number per model; what is not named may not be used.
void read_team(const std::string& name, const Value& value, Scenario& s) {
  auto section = value.section();
  if (!section) return;
  TeamSpec team;
  team.name = name;
  if (const auto quota = section->get("quota")) read_quota(*quota, team);
  team.borrow = section->yes_no("borrow", false);
  if (const auto tiers = section->get("tiers"); tiers && tiers->is_list()) {
    for (const Value& item : values_of(*tiers))
      if (const auto tier = tier_of_text(item, s)) team.tiers.push_back(*tier);
  } else if (tiers) {
    tiers->expected("a list of tiers");
  }
  team.deadline_budget_ms = kNever;  // scenarios: none
  if (section->has("deadline_budget_h")) {
    constexpr std::int64_t kPerMilliHour = kHour / kMilliPerCard;
    team.deadline_budget_ms = section->milli("deadline_budget_h", 0, kHoursRange) * kPerMilliHour;
  }
  section->allow("note");
  section->finish();
  s.settings.teams.push_back(std::move(team));
}

void read_tier(const Value& value, Scenario& s) {
  constexpr std::array<std::string_view, 3> kRoles{"inference", "deadline", "training"};
  auto section = value.section();
  if (!section) return;
  TierSpec tier;
  tier.name = section->text("name");
  if (tier.name.empty()) section->problem("the key name is missing");
  tier.weight = static_cast<std::int32_t>(section->whole("weight", 0, {1, 1'000'000}));
  if (tier.name == "infer_core") tier.role = TierRole::inference;
  if (tier.name == "train_deadline_near") tier.role = TierRole::deadline;
  if (const auto role = section->get("role"))
    if (const auto index = role->word(kRoles)) tier.role = static_cast<TierRole>(*index);
  section->finish();
  for (const TierSpec& other : s.settings.tiers) {
    if (other.name == tier.name) value.problem("the tier " + quoted_for_message(tier.name) + " is there twice");
    if (other.weight == tier.weight)
      value.problem("the tiers " + other.name + " and " + tier.name + " have the same weight");
  }
  s.settings.tiers.push_back(std::move(tier));
}

void read_profile(const std::string& type, const Value& value, Scenario& s) {
  constexpr Range kSpeed{1, 1'000'000};
  ProfileSpec profile{.type = type, .models = {}};
  if (value.is_map()) {
    auto section = value.section();
    for (const auto& [model, speed] : section->all())
      if (const auto milli = speed.milli(kSpeed)) profile.models.push_back({model, static_cast<std::int32_t>(*milli)});
  } else if (const auto items = value.items()) {
    for (const Value& item : *items) {
      if (item.is_scalar()) {
        if (const auto model = item.text()) profile.models.push_back({*model, kMilliPerCard});
      } else if (auto section = item.section()) {
        const std::string model = section->text("model");
        if (section->has("model")) {
          profile.models.push_back({model, static_cast<std::int32_t>(section->milli("speed", kMilliPerCard, kSpeed))});
        } else {
          for (const auto& [name, speed] : section->all())
            if (const auto milli = speed.milli(kSpeed))
              profile.models.push_back({name, static_cast<std::int32_t>(*milli)});
        }
        section->finish();
      }
    }
  }
  for (const ModelSpeed& model : profile.models) {
    const bool known =
        std::any_of(s.nodes.begin(), s.nodes.end(), [&](const NodeSpec& n) { return n.model == model.model; });
    if (!known)
      value.problem("the profile " + type + " names the model " + quoted_for_message(model.model) +
                    ", which no node has");
  }
  s.settings.profiles.push_back(std::move(profile));
}

}  // namespace

void read_pool(Section& top, Scenario& s) {
  if (const auto nodes = top.get("nodes")) {
    if (auto section = nodes->section())
      for (const auto& [name, value] : section->all()) read_node(name, value, s);
  }
  const auto pool_value = top.get("pool");
  auto pool = pool_value ? pool_value->section() : std::nullopt;
  if (pool) {
    read_pool_settings(*pool, s);
    const auto total = pool->get("total_gpus");
    if (const auto cards = total ? total->whole({1, kCardsMax}) : std::nullopt) {
      if (s.nodes.empty()) make_nodes(*cards, *total, s);
      std::int64_t sum = 0;
      for (const NodeSpec& node : s.nodes) sum += node.cards;
      if (sum != *cards) total->problem("the nodes have " + std::to_string(sum) + " cards together");
    }
    pool->finish();
  }
  for (const NodeSpec& node : s.nodes) s.settings.total_gpus += node.cards;
  const Settings& settings = s.settings;
  if (pool && settings.guard_min_cards + settings.buffer_cards + settings.training_floor_cards > settings.total_gpus)
    pool->problem("inference_guard_min + elastic_buffer + training_floor are more than the pool's " +
                  std::to_string(settings.total_gpus) + " cards");
}

void read_quota(const Value& value, TeamSpec& team) {
  team.has_quota = true;
  team.quota_of_model.clear();
  team.quota_by_model = value.is_map();
  if (!team.quota_by_model) {
    team.quota_cards = value.whole({0, kCardsMax}).value_or(0);
    return;
  }
  auto section = value.section();
  team.quota_cards = 0;
  for (const auto& [model, cards] : section->all()) {
    team.quota_of_model[model] = cards.whole({0, kCardsMax}).value_or(0);
    team.quota_cards += team.quota_of_model[model];
  }
}

void read_teams(Section& top, Scenario& s) {
  const auto teams = top.get("teams");
  auto section = teams ? teams->section() : std::nullopt;
  if (!section) return;
  for (const auto& [name, value] : section->all()) read_team(name, value, s);
}

void read_tiers(Section& top, Scenario& s) {
  const auto tiers = top.get("tiers");
  const auto items = tiers ? tiers->items() : std::nullopt;
  if (!items) return;
  s.tiers_by_number = false;
  for (const Value& item : *items) read_tier(item, s);
}

void read_profiles(Section& top, Scenario& s) {
  const auto profiles = top.get("profiles");
  auto section = profiles ? profiles->section() : std::nullopt;
  if (!section) return;
  for (const auto& [type, value] : section->all()) read_profile(type, value, s);
}

}  // namespace weir::scenario
