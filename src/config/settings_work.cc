// The sections teams, services and profiles.
#include <array>
#include <set>

#include "config/list_section.h"
#include "config/shape_fields.h"

namespace weir {

namespace {

constexpr Range kAnyDuration{0, 365 * kDay};
constexpr Range kReplicas{0, kCardsMax};
constexpr std::int64_t kGpuHoursMax = 1'000'000'000;
constexpr std::int64_t kWeightMax = 1'000'000;
constexpr std::int64_t kVersionMax = 1'000'000'000;
constexpr Range kSpeedMilli{1, 1'000'000};
constexpr std::array<std::string_view, 2> kClassWords = {"core", "standard"};

// --- teams ---

// A number of cards, or a map from GPU model to one.
void read_quota(const Value& value, TeamSpec& team) {
  if (!value.is_map()) {
    const auto cards = value.whole({0, kCardsMax});
    if (!cards) return;
    team.has_quota = true;
    team.quota_cards = *cards;
    return;
  }
  team.has_quota = true;
  team.quota_by_model = true;
  for (const YamlEntry& entry : value.node().entries) {
    const Value cards(entry.value, value.path() + "." + entry.key, value.problems());
    const auto model = read_key(entry, cards.path(), value.problems());
    const auto number = cards.whole({0, kCardsMax});
    if (model && number) {
      team.quota_of_model.emplace(*model, *number);
      team.quota_cards += *number;
    }
  }
  if (team.quota_cards > kCardsMax) {
    value.problem("comes to " + std::to_string(team.quota_cards) + " cards; a pool has at most " +
                  std::to_string(kCardsMax));
  }
}

std::string show_quota(const TeamSpec& team) {
  if (!team.has_quota) return {};
  if (!team.quota_by_model) return std::to_string(team.quota_cards);
  std::string out;
  for (const auto& [model, cards] : team.quota_of_model) {
    out += (out.empty() ? "{" : ", ") + yaml_text(model) + ": " + std::to_string(cards);
  }
  return out.empty() ? "{}" : out + "}";
}

std::vector<Field<TeamSpec>> team_rows() {
  return {field::name<TeamSpec>("name", WEIR_AT(name), "Name of the team; all different.", "must be given"),
          Field<TeamSpec>{{"quota", "whole number, or map from GPU model to one", "no cap and no entitlement",
                           "0 to " + std::to_string(kCardsMax),
                           "Cards of the team; of a model that the map does not name it has none."},
                          read_quota,
                          show_quota},
          field::flag<TeamSpec>("borrow", WEIR_AT(borrow),
                                "Whether the quota is guaranteed and may be exceeded; otherwise it is a cap."),
          field::names<TeamSpec>("tiers", WEIR_AT(tiers), "Training tiers that its jobs may name.", "all"),
          field::hours<TeamSpec>("deadline_budget", WEIR_AT(deadline_budget_ms), kHour, kGpuHoursMax,
                                 "GPU-hours of its jobs that may be promoted in 168 h.",
                                 "guaranteed quota x 168 h x 20 %; without one by the pool's share")};
}

void take_team(const Value& element, TeamSpec team, Draft& draft) {
  // Not while the team has other problems: the quota may be what is misspelt.
  if (team.borrow && !draft.has(element.path() + ".quota") && !element.problems().touches(element.path())) {
    draft.problem(element, "borrow needs a quota: without one nothing is guaranteed or borrowed");
  }
  draft.config.settings.teams.push_back(std::move(team));
  draft.team_paths.push_back(element.path());
}

// --- services ---

struct ServiceDraft {
  ServiceSpec service;
  ShapeDraft need;
};

std::vector<Field<ServiceDraft>> service_kind_rows() {
  Field<ServiceDraft> weight = field::whole<ServiceDraft>(
      "tier_weight", WEIR_AT(service.tier_weight), {0, kWeightMax},
      "class standard: the same by weight instead of name; 0 lies below all work.", "by tier");
  weight.show = [](const ServiceDraft& in) {
    return in.service.tier_weight < 0 ? std::string() : std::to_string(in.service.tier_weight);
  };
  return {
      field::name<ServiceDraft>("name", WEIR_AT(service.name), "Name of the service; all different.", "must be given"),
      field::name<ServiceDraft>("team", WEIR_AT(service.team), "Team whose use it counts as.", "none"),
      field::word<ServiceDraft>("class", WEIR_AT(service.service_class), kClassWords,
                                "core: replicas called for by load stand in the inference tier; standard: in `tier`."),
      field::name<ServiceDraft>("tier", WEIR_AT(service.tier),
                                "class standard: training tier of the replicas above the guard.", "pool.default_tier"),
      std::move(weight),
      field::names<ServiceDraft>("models", WEIR_AT(service.models), "GPU models that it runs on.", "any"),
      field::flag<ServiceDraft>("models_in_order", WEIR_AT(service.models_in_order),
                                "Whether `models` is an order of wish.")};
}

std::vector<Field<ServiceDraft>> service_size_rows() {
  Field<ServiceDraft> hold =
      field::duration<ServiceDraft>("hold_down", WEIR_AT(service.hold_down_ms), {.range = kAnyDuration},
                                    "How long replicas are kept after load fell.", "max(pool.hold_down, 2 x start)");
  return {
      field::whole<ServiceDraft>("guard", WEIR_AT(service.guard), kReplicas, "Replicas that run at all times."),
      field::whole<ServiceDraft>("max", WEIR_AT(service.max), kReplicas, "The most replicas it may have.",
                                 "guard, at least 1"),
      field::duration<ServiceDraft>("start", WEIR_AT(service.start_ms), {.range = kAnyDuration},
                                    "Time from start to ready."),
      field::duration<ServiceDraft>("drain", WEIR_AT(service.drain_ms), {.range = kAnyDuration}, "Time to wind down."),
      field::duration<ServiceDraft>("idle", WEIR_AT(service.idle_ms), {.range = kAnyDuration},
                                    "With guard 0: no replica is kept after so long without a request; 0 = one is."),
      std::move(hold),
      field::whole<ServiceDraft>("version", WEIR_AT(service.version), {1, kVersionMax},
                                 "A change starts a rolling update."),
      field::whole<ServiceDraft>("max_missing", WEIR_AT(service.max_missing), kReplicas,
                                 "Replicas that may be missing from the target during an update."),
      field::whole<ServiceDraft>("max_extra", WEIR_AT(service.max_extra), kReplicas,
                                 "Replicas above the target during an update.")};
}

std::vector<Field<ServiceDraft>> service_rows() {
  auto rows = service_kind_rows();
  for (auto& row : shape_rows<ServiceDraft>()) rows.push_back(std::move(row));
  for (auto& row : service_size_rows()) rows.push_back(std::move(row));
  return rows;
}

void take_service(const Value& element, ServiceDraft draft_service, Draft& draft) {
  ServiceSpec& service = draft_service.service;
  const std::string& path = element.path();
  if (!shape_is_one_kind(draft_service.need)) draft.problem(element, kTwoKinds);
  service.shape = draft_service.need.resolved();
  if (!draft.has(path + ".max")) service.max = std::max(service.guard, 1);
  const bool sizes_sound = !element.problems().touches(path + ".max") && !element.problems().touches(path + ".guard");
  if (service.max < service.guard && sizes_sound) {
    element.problems().add(
        draft.place_of(path + ".max"), path + ".max",
        "is " + std::to_string(service.max) + ", below the guard of " + std::to_string(service.guard));
  }
  if (service.guard > 0 && service.idle_ms > 0) {
    element.problems().add(draft.place_of(path + ".idle"), path + ".idle",
                           "scaling to zero needs guard 0, the guard is " + std::to_string(service.guard));
  }
  if (service.max_missing == 0 && service.max_extra == 0) {
    draft.problem(element, "max_missing and max_extra are both 0: an update could never begin");
  }
  service.id = ServiceId{static_cast<std::uint32_t>(draft.config.services.size())};
  draft.config.services.push_back(std::move(service));
  draft.service_paths.push_back(path);
}

// --- profiles ---

std::optional<ModelSpeed> read_model(const Value& item) {
  ModelSpeed out;
  if (!item.is_map()) {
    auto model = read_name(item);
    if (!model) return std::nullopt;
    out.model = std::move(*model);
    return out;
  }
  Given given;
  static const std::vector<Field<ModelSpeed>> rows = {
      field::name<ModelSpeed>("model", WEIR_AT(model), "GPU model.", "must be given"),
      field::milli<ModelSpeed>("speed", WEIR_AT(speed_milli), kSpeedMilli, "Speed on it.")};
  read_fields<ModelSpeed>(item, rows, out, given);
  if (!given.contains(item.path() + ".model")) item.problem("the key model is missing");
  if (out.model.empty()) return std::nullopt;
  return out;
}

// [H100, {model: A100, speed: 0.6}], or {H100: 1, A100: 0.6}.
void read_profile(const Value& value, ProfileSpec& profile) {
  std::vector<ModelSpeed> models;
  std::set<std::string> seen;
  if (value.is_map()) {
    for (const YamlEntry& entry : value.node().entries) {
      const Value speed(entry.value, value.path() + "." + entry.key, value.problems());
      const auto model = read_key(entry, speed.path(), value.problems());
      const auto milli = speed.milli(kSpeedMilli);
      if (model && milli) models.push_back({*model, static_cast<std::int32_t>(*milli)});
    }
  } else if (const auto items = value.items()) {
    for (const Value& item : *items) {
      auto model = read_model(item);
      if (!model) continue;
      if (!seen.insert(model->model).second) item.problem(quoted_for_message(model->model) + " is named twice");
      models.push_back(std::move(*model));
    }
  } else {
    return;
  }
  if (value.node().items.empty() && value.node().entries.empty()) value.problem("names no GPU model");
  profile.models = std::move(models);
}

void read_profiles(const Value& section, Draft& draft) {
  const auto map = section.section();
  if (!map) return;
  for (const YamlEntry& entry : section.node().entries) {
    const Value value(entry.value, map->path_of(entry.key), section.problems());
    draft.given.emplace(value.path(), entry.at);
    ProfileSpec profile{.type = read_key(entry, value.path(), section.problems()).value_or(""), .models = {}};
    read_profile(value, profile);
    draft.config.settings.profiles.push_back(std::move(profile));
    draft.profile_paths.push_back(value.path());
  }
}

std::string print_profiles(const PoolConfig& config) {
  std::string out = config.settings.profiles.empty() ? "" : "profiles:\n";
  for (const ProfileSpec& profile : config.settings.profiles) {
    std::string models;
    for (const ModelSpeed& each : profile.models) {
      models += (models.empty() ? "" : ", ") + std::string("{model: ") + yaml_text(each.model) +
                ", speed: " + print_scaled(each.speed_milli, kMilliPerCard) + "}";
    }
    out += "  " + yaml_text(profile.type) + ": [" + models + "]\n";
  }
  return out;
}

}  // namespace

SectionRow teams_section() {
  const auto rows = team_rows();
  SectionRow section =
      list_section<TeamSpec>("teams", "map from name, or list",
                             "Who shares the pool. Without this section there is one team without bounds.", rows);
  const ListRules<TeamSpec> rules{.rows = rows, .name_needed = true, .sink = take_team};
  section.read = [rules](const Value& value, Draft& draft) { read_elements(value, rules, draft); };
  section.print = [rows](const PoolConfig& config) {
    return print_list<TeamSpec>("teams", rows, config.settings.teams);
  };
  return section;
}

SectionRow services_section() {
  const auto rows = service_rows();
  SectionRow section =
      list_section<ServiceDraft>("services", "list, or map from name", "Inference that is there from the start.", rows);
  const ListRules<ServiceDraft> rules{.rows = rows, .name_needed = true, .sink = take_service};
  section.read = [rules](const Value& value, Draft& draft) { read_elements(value, rules, draft); };
  section.print = [rows](const PoolConfig& config) {
    std::vector<ServiceDraft> drafts;
    for (const ServiceSpec& service : config.services) {
      drafts.push_back({.service = service, .need = {.shape = service.shape, .gpus_given = true}});
    }
    return print_list<ServiceDraft>("services", rows, drafts);
  };
  return section;
}

SectionRow profiles_section() {
  return {
      .name = "profiles",
      .form = "map from task type",
      .help =
          "Where a task type runs well: a list of GPU models in order of wish, each a name or "
          "{model, speed}; or a map from model to speed.",
      .fields = {{"model", "name", "must be given", "", "GPU model."},
                 {"speed", "decimal number", "1",
                  print_scaled(kSpeedMilli.min, kMilliPerCard) + " to " + print_scaled(kSpeedMilli.max, kMilliPerCard),
                  "Speed of the task type on it; 1 is the speed in which run times are given."}},
      .read = read_profiles,
      .print = print_profiles};
}

}  // namespace weir
