#include "config/resolve.h"

#include <algorithm>
#include <set>

#include "config/config.h"
#include "config/nearest.h"

namespace weir {

namespace {

constexpr std::int32_t kCardsPerDefaultNode = 8;
constexpr DurationMs kLeadMargin = 90 * kSecond;  // save, exit and proof after the boundary (engine.md 11)
constexpr std::int64_t kFloorPercent = 25;
constexpr std::int64_t kBudgetHours = 168;  // the rolling window of the deadline budget
constexpr std::int64_t kBudgetPercent = 20;
constexpr std::size_t kTiersMax = 100;

// What the rules ask of the nodes, counted once.
struct NodeFacts {
  std::vector<std::string> models;  // sorted
  std::int32_t cards_largest = 0;
};

struct Resolver {
  Draft& draft;
  Problems& problems;
  Problems& warnings;

  [[nodiscard]] PoolConfig& config() const { return draft.config; }
  [[nodiscard]] Settings& settings() const { return draft.config.settings; }
  [[nodiscard]] bool sound(std::string_view path) const { return !problems.touches(path); }
  void problem(const std::string& path, std::string message) const {
    problems.add(draft.place_of(path), path, std::move(message));
  }
  void warn(const std::string& path, std::string message) const {
    warnings.add(draft.place_of(path), path, std::move(message));
  }
};

std::int64_t percent(std::int64_t of, std::int64_t share) { return of * share / 100; }
std::int64_t budget_of(std::int64_t cards) { return percent(cards * kBudgetHours * kHour, kBudgetPercent); }

std::int64_t rounded_up(std::int64_t amount, std::int64_t per) { return (amount + per - 1) / per; }

// --- pool and nodes ---

std::int64_t cards_of(const std::vector<NodeSpec>& nodes) {
  std::int64_t cards = 0;
  for (const NodeSpec& node : nodes) cards += node.cards;
  return cards;
}

void fill_default_nodes(PoolConfig& config) {
  std::int32_t left = config.settings.total_gpus;
  while (left > 0) {
    NodeSpec node;
    node.id = NodeId{static_cast<std::uint32_t>(config.nodes.size())};
    node.name = "n" + std::to_string(config.nodes.size() + 1);
    node.cards = std::min(left, kCardsPerDefaultNode);
    left -= node.cards;
    config.nodes.push_back(std::move(node));
  }
}

void resolve_nodes(const Resolver& in, bool has_nodes) {
  const bool has_total = in.draft.has("pool.total_gpus");
  if (!in.sound("nodes") || !in.sound("pool")) return;
  if (!has_nodes && !has_total) {
    in.problem("pool", "how large the pool is must be given: pool.total_gpus, or a section nodes");
  } else if (!has_nodes) {
    fill_default_nodes(in.config());
  } else {
    const std::int64_t cards = cards_of(in.config().nodes);
    if (cards < 1 || cards > kCardsMax) {
      in.problem("nodes",
                 "the nodes have " + std::to_string(cards) + " GPUs; a pool has 1 to " + std::to_string(kCardsMax));
    } else if (has_total && cards != in.settings().total_gpus) {
      in.problem("pool.total_gpus", "is " + std::to_string(in.settings().total_gpus) + ", but the nodes have " +
                                        std::to_string(cards) + " GPUs");
    }
    in.settings().total_gpus = static_cast<std::int32_t>(std::clamp<std::int64_t>(cards, 0, kCardsMax));
  }
}

// --- tiers ---

void check_tiers_differ(const Resolver& in) {
  const auto& tiers = in.settings().tiers;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& path = in.draft.tier_paths[i];
      if (tiers[i].name == tiers[j].name) {
        in.problem(path + ".name", "a tier " + quoted_for_message(tiers[i].name) + " is already on line " +
                                       std::to_string(in.draft.place_of(in.draft.tier_paths[j]).line));
      }
      if (tiers[i].weight == tiers[j].weight) {
        in.problem(path + ".weight", "the weight " + std::to_string(tiers[i].weight) + " is already that of " +
                                         quoted_for_message(tiers[j].name));
      }
    }
  }
}

std::vector<std::string> training_tiers(const Settings& settings) {
  std::vector<std::string> names;
  for (const TierSpec& tier : settings.tiers) {
    if (tier.role == TierRole::training) names.push_back(tier.name);
  }
  return names;
}

void check_tier_roles(const Resolver& in) {
  const auto& tiers = in.settings().tiers;
  const auto count = [&](TierRole role) {
    return std::count_if(tiers.begin(), tiers.end(), [&](const TierSpec& tier) { return tier.role == role; });
  };
  const auto inference = count(TierRole::inference);
  if (inference != 1) {
    const auto near_name = inference == 0 ? nearest_word("infer_core", training_tiers(in.settings())) : std::nullopt;
    in.problem("priority_tiers", "exactly one tier has the role inference, here " + std::to_string(inference) +
                                     " have; infer_core has it by its name" +
                                     (near_name ? ", and nearest to that is " + *near_name : ""));
  }
  if (count(TierRole::deadline) > 1) {
    in.problem("priority_tiers",
               "at most one tier has the role deadline, here " + std::to_string(count(TierRole::deadline)) + " have");
  }
  if (count(TierRole::training) == 0) in.problem("priority_tiers", "at least one tier has the role training");
}

// A tier named at `path` must be a training tier.
void check_training_tier(const Resolver& in, const std::string& path, const std::string& name) {
  const auto known = training_tiers(in.settings());
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const auto& tiers = in.settings().tiers;
  const bool other_role = std::any_of(tiers.begin(), tiers.end(), [&](const TierSpec& t) { return t.name == name; });
  in.problem(path, other_role ? quoted_for_message(name) + " is no tier with the role training"
                              : unknown_message("tier " + quoted_for_message(name), name, known));
}

void resolve_tiers(const Resolver& in) {
  Settings& settings = in.settings();
  const bool given = in.draft.has("priority_tiers");
  if (!given) {
    settings.tiers = {{"infer_core", 100, TierRole::inference},
                      {"train_deadline_near", 80, TierRole::deadline},
                      {"train_normal", 40, TierRole::training}};
  }
  if (!in.sound("priority_tiers")) return;
  if (given && settings.tiers.size() > kTiersMax) {
    in.problem("priority_tiers", "names " + std::to_string(settings.tiers.size()) + " tiers; at most " +
                                     std::to_string(kTiersMax) + " are possible");
  } else if (given) {
    check_tiers_differ(in);
    check_tier_roles(in);
  }
  if (!in.sound("priority_tiers")) return;
  if (settings.default_tier.empty()) {
    const TierSpec* best = nullptr;
    for (const TierSpec& tier : settings.tiers) {
      if (tier.role != TierRole::training) continue;
      if (best == nullptr || tier.name == "train_normal" ||
          (best->name != "train_normal" && tier.weight > best->weight)) {
        best = &tier;
      }
    }
    settings.default_tier = best->name;
  } else {
    check_training_tier(in, "pool.default_tier", settings.default_tier);
  }
}

// --- what inference is owed ---

// Cards that the guard replicas of a service use; of a share, rounded up.
std::int64_t guard_cards_of(const ServiceSpec& service, std::int64_t card_mem_mib) {
  const std::int64_t guard = service.guard;
  if (!service.shape.share()) return guard * service.shape.cards;
  const std::int64_t by_share = rounded_up(guard * service.shape.milli, kMilliPerCard);
  if (card_mem_mib == 0) return by_share;
  const std::int64_t held_mib = std::min(service.shape.card_mem_mib, card_mem_mib);
  return std::max(by_share, rounded_up(guard * held_mib, card_mem_mib));
}

std::int64_t service_guard_cards(const PoolConfig& config) {
  std::int64_t card_mem_mib = 0;
  for (const NodeSpec& node : config.nodes) card_mem_mib = std::max(card_mem_mib, node.card_mem_mib);
  std::int64_t sum = 0;
  for (const ServiceSpec& service : config.services) sum += guard_cards_of(service, card_mem_mib);
  return sum;
}

void warn_of_guard_sum(const Resolver& in) {
  const std::int64_t sum = service_guard_cards(in.config());
  if (sum <= in.settings().guard_min_cards || !in.draft.has("pool.inference_guard_min")) return;
  in.warn("pool.inference_guard_min", "is " + std::to_string(in.settings().guard_min_cards) +
                                          ", but the services' guards use " + std::to_string(sum) +
                                          " cards: the guard is their sum");
}

void check_guard_shapes(const Resolver& in) {
  std::int64_t cards = 0;
  std::int64_t milli = 0;
  for (const Shape& shape : in.settings().guard_shapes) {
    cards += shape.cards;
    milli += shape.milli;
  }
  cards += rounded_up(milli, kMilliPerCard);
  if (cards > in.settings().guard_min_cards) {
    in.problem("pool.guard_shapes", "come to " + std::to_string(cards) + " cards; inference_guard_min is " +
                                        std::to_string(in.settings().guard_min_cards));
  }
}

void resolve_owed(const Resolver& in) {
  Settings& settings = in.settings();
  for (const char* section : {"pool", "nodes", "services", "buffer"}) {
    if (!in.sound(section)) return;
  }
  const std::int64_t pool = settings.total_gpus;
  const std::int64_t guard = guard_cards(in.config());
  const std::int64_t buffer = settings.buffer_cards;
  const std::int64_t left = pool - guard - buffer;
  const auto cards = [](std::int64_t n) { return std::to_string(n); };
  if (!in.draft.has("pool.training_floor")) {
    settings.training_floor_cards = std::max<std::int64_t>(0, std::min(percent(pool, kFloorPercent), left));
  }
  if (!in.draft.has("pool.training_nonpreemptible_max")) {
    settings.nonpreemptible_max_cards = std::max<std::int64_t>(0, pool - guard - 2 * buffer);
  }
  if (guard + buffer + settings.training_floor_cards > pool) {
    in.problem(in.draft.has("pool.training_floor") ? "pool.training_floor" : "pool",
               "guard (" + cards(guard) + ") + elastic_buffer (" + cards(buffer) + ") + training_floor (" +
                   cards(settings.training_floor_cards) + ") are more than the pool's " + cards(pool) + " cards");
  }
  if (!in.draft.has("deadline.budget"))
    settings.deadline_budget_ms = budget_of(std::max<std::int64_t>(0, pool - guard));
  warn_of_guard_sum(in);
  check_guard_shapes(in);
}

void resolve_rules(const Resolver& in) {
  Settings& settings = in.settings();
  if (!in.draft.has("buffer.lead_time")) settings.lead_time_ms = settings.assumed_interval_ms + kLeadMargin;
  if (in.sound("pool") && settings.backoff_max_ms < settings.backoff_first_ms) {
    in.problem("pool.backoff_max", "is shorter than backoff_first");
  }
  if (!settings.preempt_enabled && in.draft.has("rotation.enabled") && settings.rotation.on) {
    in.warn("rotation.enabled", "has no effect while preempt.enabled is false");
  }
}

// --- teams, services, profiles ---

NodeFacts facts_of(const std::vector<NodeSpec>& nodes) {
  NodeFacts facts;
  std::set<std::string> models;
  for (const NodeSpec& node : nodes) {
    if (!node.model.empty()) models.insert(node.model);
    facts.cards_largest = std::max(facts.cards_largest, node.cards);
  }
  facts.models.assign(models.begin(), models.end());
  return facts;
}

void warn_of_model(const Resolver& in, const std::string& path, const std::string& model, const NodeFacts& nodes) {
  if (std::binary_search(nodes.models.begin(), nodes.models.end(), model)) return;
  const auto nearest = nearest_word(model, nodes.models);
  in.warn(path, "no node has the GPU model " + quoted_for_message(model) +
                    (nearest                ? "; nearest is " + *nearest
                     : nodes.models.empty() ? "; no node names its model"
                                            : ""));
}

template <class T>
void check_names_differ(const Resolver& in, const std::vector<T>& items, const std::vector<std::string>& paths,
                        const std::string& what) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty()) continue;  // already a problem
    const auto [first, fresh] = seen.emplace(items[i].name, i);
    if (fresh) continue;
    in.problem(paths[i], "a " + what + " " + quoted_for_message(items[i].name) + " is already on line " +
                             std::to_string(in.draft.place_of(paths[first->second]).line));
  }
}

void resolve_team(const Resolver& in, std::size_t index, const NodeFacts& nodes) {
  TeamSpec& team = in.settings().teams[index];
  const std::string& path = in.draft.team_paths[index];
  if (in.sound("priority_tiers")) {
    for (const std::string& tier : team.tiers) check_training_tier(in, path + ".tiers", tier);
  }
  for (const auto& [model, cards] : team.quota_of_model) warn_of_model(in, path + ".quota", model, nodes);
  if (team.deadline_budget_ms < 0 && team.has_quota && team.borrow)
    team.deadline_budget_ms = budget_of(team.quota_cards);
}

void warn_of_entitlements(const Resolver& in) {
  std::int64_t sum = 0;
  std::map<std::string, std::int64_t> sum_of_model;
  for (const TeamSpec& team : in.settings().teams) {
    if (!team.borrow) continue;
    sum += team.quota_cards;
    for (const auto& [model, cards] : team.quota_of_model) sum_of_model[model] += cards;
  }
  const auto say = [&](std::int64_t guaranteed, std::int64_t there, const std::string& of) {
    if (guaranteed <= there) return;
    in.warn("teams", "the teams are guaranteed " + std::to_string(guaranteed) + " cards" + of +
                         " together, the pool has " + std::to_string(there));
  };
  say(sum, in.settings().total_gpus, "");
  std::map<std::string, std::int64_t> cards_of_model;
  for (const NodeSpec& node : in.config().nodes) cards_of_model[node.model] += node.cards;
  for (const auto& [model, cards] : sum_of_model) {
    if (cards_of_model.contains(model)) say(cards, cards_of_model[model], " of " + model);
  }
}

void check_service_teams(const Resolver& in) {
  if (!in.draft.has("teams")) return;
  std::vector<std::string> teams;
  for (const TeamSpec& team : in.settings().teams) teams.push_back(team.name);
  const std::set<std::string> known(teams.begin(), teams.end());
  for (std::size_t i = 0; i < in.config().services.size(); ++i) {
    const std::string& team = in.config().services[i].team;
    if (team.empty() || known.contains(team)) continue;
    in.problem(in.draft.service_paths[i] + ".team", unknown_message("team " + quoted_for_message(team), team, teams));
  }
}

void resolve_service(const Resolver& in, std::size_t index, const NodeFacts& nodes) {
  ServiceSpec& service = in.config().services[index];
  const Settings& settings = in.settings();
  const std::string& path = in.draft.service_paths[index];
  const bool standard = service.service_class == ServiceClass::standard;
  const bool tier_given = in.draft.has(path + ".tier");
  if (!standard && (tier_given || service.tier_weight >= 0)) {
    in.problem(path + (tier_given ? ".tier" : ".tier_weight"),
               "only a service of class standard has a tier of its own");
  } else if (tier_given && service.tier_weight >= 0) {
    in.problem(path + ".tier_weight", "has both tier and tier_weight");
  } else if (standard && service.tier_weight < 0 && in.sound("priority_tiers") && in.sound("pool.default_tier")) {
    if (!tier_given) service.tier = settings.default_tier;
    check_training_tier(in, path + ".tier", service.tier);
  }
  if (service.hold_down_ms < 0) service.hold_down_ms = std::max(settings.hold_down_ms, 2 * service.start_ms);
  for (const std::string& model : service.models) warn_of_model(in, path + ".models", model, nodes);
  if (in.sound("nodes") && service.shape.cards > nodes.cards_largest) {
    in.warn(path + ".gpus", "no node has " + std::to_string(service.shape.cards) + " GPUs; the largest has " +
                                std::to_string(nodes.cards_largest));
  }
}

}  // namespace

std::int64_t guard_cards(const PoolConfig& config) {
  return std::max<std::int64_t>(config.settings.guard_min_cards, service_guard_cards(config));
}

void resolve(Draft& draft, Problems& problems, Problems& warnings) {
  const Resolver in{draft, problems, warnings};
  const bool has_nodes = draft.has("nodes");
  resolve_nodes(in, has_nodes);
  resolve_tiers(in);
  check_names_differ(in, draft.config.settings.teams, draft.team_paths, "team");
  check_names_differ(in, draft.config.services, draft.service_paths, "service");
  const NodeFacts nodes = facts_of(draft.config.nodes);
  for (std::size_t i = 0; i < draft.config.settings.teams.size(); ++i) resolve_team(in, i, nodes);
  for (std::size_t i = 0; i < draft.config.services.size(); ++i) resolve_service(in, i, nodes);
  check_service_teams(in);
  for (std::size_t i = 0; i < draft.config.settings.profiles.size(); ++i) {
    for (const ModelSpeed& each : draft.config.settings.profiles[i].models) {
      warn_of_model(in, draft.profile_paths[i], each.model, nodes);
    }
  }
  resolve_owed(in);
  resolve_rules(in);
  if (problems.empty()) warn_of_entitlements(in);
}

}  // namespace weir
