// Tiers by number, shapes and services of a scenario.
#include <algorithm>
#include <array>

#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

constexpr std::int32_t kTierMax = 1'000'000;

std::vector<std::string> tier_names(const Scenario& s) {
  std::vector<std::string> names;
  for (const TierSpec& tier : s.settings.tiers) names.push_back(tier.name);
  return names;
}

void add_level(Scenario& s, TierRole role, std::string name) {
  const auto& tiers = s.settings.tiers;
  if (std::any_of(tiers.begin(), tiers.end(), [&](const TierSpec& t) { return t.role == role; })) return;
  std::int32_t top = 0;
  for (const TierSpec& tier : tiers) top = std::max(top, tier.weight);
  s.settings.tiers.push_back({.name = std::move(name), .weight = top + 1, .role = role});
}

// A list of tiers without a deadline tier: just below inference.
void add_below_inference(Scenario& s, std::string name) {
  auto& tiers = s.settings.tiers;
  if (std::any_of(tiers.begin(), tiers.end(), [](const TierSpec& t) { return t.role == TierRole::deadline; })) return;
  const auto inference =
      std::find_if(tiers.begin(), tiers.end(), [](const TierSpec& t) { return t.role == TierRole::inference; });
  const std::int32_t weight = inference->weight;
  for (TierSpec& tier : tiers)
    if (tier.weight >= weight) tier.weight += 1;  // keeps the order and leaves room
  tiers.push_back({.name = std::move(name), .weight = weight, .role = TierRole::deadline});
}

void read_demand(const Value& value, ServiceEntry& service) {
  if (!value.is_map()) {
    if (const auto count = value.whole(kCountRange)) service.demand[service.at_ms] = static_cast<std::int32_t>(*count);
    return;
  }
  auto section = value.section();
  for (const auto& [from, count] : section->all()) {
    const auto at = parse_duration_ms(from, kSecond);
    const auto replicas = count.whole(kCountRange);
    if (!at)
      count.problem("expects a time in seconds before the colon (" + at.error().message + ")");
    else if (replicas)
      service.demand[std::max(*at, service.at_ms)] = static_cast<std::int32_t>(*replicas);
  }
}

void read_class(Section& section, ServiceEntry& service, Scenario& s) {
  constexpr std::array<std::string_view, 2> kClasses{"core", "standard"};
  service.spec.service_class = ServiceClass::standard;
  if (const auto value = section.get("class"))
    if (const auto index = value->word(kClasses))
      service.spec.service_class = *index == 0 ? ServiceClass::core : ServiceClass::standard;
  service.spec.tier_weight = 0;
  if (const auto weight = section.get("elastic_tier")) {
    if (const auto number = weight->whole({0, kTierMax})) service.spec.tier_weight = static_cast<std::int32_t>(*number);
  }
  if (const auto tier = section.get("tier")) {
    service.spec.tier = tier_of_text(*tier, s).value_or("");
    service.spec.tier_weight = -1;
  }
}

void read_replica_counts(Section& section, ServiceEntry& service) {
  ServiceSpec& spec = service.spec;
  spec.guard = static_cast<std::int32_t>(section.whole("guard", 0, kCountRange));
  if (const auto demand = section.get("demand")) read_demand(*demand, service);
  std::int32_t most = spec.guard;
  for (const auto& [at, count] : service.demand) most = std::max(most, count);
  spec.max = static_cast<std::int32_t>(section.whole("max", most, kCountRange));
  if (spec.max < spec.guard) section.problem("max is smaller than guard");
  spec.version = static_cast<std::int32_t>(section.whole("version", 1, kCountRange));
  spec.max_missing = static_cast<std::int32_t>(section.whole("max_missing", 0, kCountRange));
  spec.max_extra = static_cast<std::int32_t>(section.whole("max_extra", 1, kCountRange));
}

void read_service(const Value& value, Scenario& s) {
  auto section = value.section();
  if (!section) return;
  ServiceEntry service;
  service.line = value.at().line;
  const auto id = section->require("id");
  const auto names = id ? names_of(*id) : std::nullopt;
  service.at_ms = section->duration("at", 0, kSecond, kTimeRange);
  ServiceSpec& spec = service.spec;
  spec.shape = shape_of(read_shape_text(*section), *section);
  read_replica_counts(*section, service);
  read_class(*section, service, s);
  spec.team = section->text("team");
  if (const auto models = section->get("models")) spec.models = models->texts().value_or(std::vector<std::string>{});
  if (const auto models = section->get("models_in_order")) {
    spec.models = models->texts().value_or(std::vector<std::string>{});
    spec.models_in_order = true;
  }
  spec.start_ms = section->duration("start_s", 0, kSecond, kTimeRange);
  spec.drain_ms = section->duration("drain_s", 0, kSecond, kTimeRange);
  spec.idle_ms = section->duration("idle_s", 0, kSecond, kTimeRange);
  spec.hold_down_ms = section->duration("down_delay_s", s.settings.hold_down_ms, kSecond, kTimeRange);
  section->allow("note");
  section->finish();
  if (!names) return;
  for (const std::string& name : *names) {
    spec.name = name;
    spec.id = ServiceId(static_cast<std::uint32_t>(s.services.size()));
    if (!s.service_ids.emplace(name, spec.id).second)
      value.problem("the service " + quoted_for_message(name) + " is there twice");
    s.services.push_back(service);
  }
}

}  // namespace

std::optional<std::string> tier_of_text(const Value& value, Scenario& s) {
  auto text = value.text();
  if (!text) return std::nullopt;
  const auto number = parse_whole(*text);
  const auto names = tier_names(s);
  if (!number) {
    if (std::find(names.begin(), names.end(), *text) != names.end()) return text;
    value.problem(names.empty() ? "expects the number of a tier, since the scenario has no list of tiers"
                                : unknown_message("tier " + quoted_for_message(*text), *text, names));
    return std::nullopt;
  }
  if (*number < 0 || *number > kTierMax) {
    value.problem("must be between 0 and " + std::to_string(kTierMax) + ", is " + *text);
    return std::nullopt;
  }
  for (const TierSpec& tier : s.settings.tiers)
    if (tier.weight == *number) return tier.name;
  if (!s.tiers_by_number) {
    value.problem("no tier has the weight " + *text);
    return std::nullopt;
  }
  s.settings.tiers.push_back({.name = *text, .weight = static_cast<std::int32_t>(*number), .role = TierRole::training});
  return text;
}

void finish_tiers(Scenario& s) {
  auto& tiers = s.settings.tiers;
  if (s.tiers_by_number) {
    const bool one = std::any_of(tiers.begin(), tiers.end(), [](const TierSpec& t) { return t.weight == 1; });
    if (!one) tiers.push_back({.name = "1", .weight = 1, .role = TierRole::training});
    s.settings.default_tier = "1";
    add_level(s, TierRole::deadline, "deadline");
    add_level(s, TierRole::inference, "inference");
    return;
  }
  add_level(s, TierRole::inference, "infer_core");
  add_below_inference(s, "train_deadline_near");
  for (const TierSpec& tier : tiers) {
    const bool normal = tier.name == "train_normal";
    if (tier.role == TierRole::training && (normal || s.settings.default_tier.empty()))
      s.settings.default_tier = tier.name;
  }
}

ShapeText read_shape_text(Section& section) {
  constexpr Range kGpusMilli{0, kCardsMax * kMilliPerCard};
  ShapeText text;
  if (const auto value = section.get("gpus")) text.gpus_milli = value->milli(kGpusMilli);
  if (const auto value = section.get("milli")) text.milli = value->whole({1, kMilliPerCard});
  if (const auto value = section.get("gpu_mem_mib")) text.mem_mib = value->memory_mib({1, kUnlimited});
  if (const auto value = section.get("gpu_mem")) text.mem_mib = value->memory_mib({1, kUnlimited});
  text.cpu_milli = section.milli("cpus", 0, {0, kUnlimited});
  text.ram_mib = section.memory_mib("ram_mib", 0, {0, kUnlimited});
  return text;
}

// Whole cards, or a share of one: fewer than a card, or memory alone.
Shape shape_of(const ShapeText& text, const Section& section) {
  Shape shape{.card_mem_mib = text.mem_mib.value_or(0), .cpu_milli = text.cpu_milli, .ram_mib = text.ram_mib};
  const bool alone = !text.gpus_milli && !text.milli;
  if (alone && text.mem_mib) return shape;
  if (text.gpus_milli && text.milli) section.problem("gives both gpus and milli; one of them says how much of a card");
  const std::int64_t milli = alone ? kMilliPerCard : text.milli.value_or(text.gpus_milli.value_or(0));
  if (milli % kMilliPerCard == 0) {
    shape.cards = static_cast<std::int32_t>(milli / kMilliPerCard);
  } else if (milli < kMilliPerCard) {
    shape.milli = static_cast<std::int32_t>(milli);
  } else {
    section.problem("gpus: above one card only whole cards can be had");
  }
  return shape;
}

void read_services(Section& top, Scenario& s) {
  const auto services = top.get("services");
  const auto items = services ? services->items() : std::nullopt;
  if (!items) return;
  for (const Value& item : *items) read_service(item, s);
}

void read_requests(Section& top, Scenario& s) {
  const auto requests = top.get("requests");
  auto section = requests ? requests->section() : std::nullopt;
  if (!section) return;
  for (const auto& [name, value] : section->all()) {
    const auto id = known_id(value, name, "service", s.service_ids);
    const auto items = value.items();
    if (!id || !items) continue;
    for (const Value& item : *items)
      if (const auto at = seconds_of(item)) s.services[id->value].requests.push_back(*at);
  }
}

}  // namespace weir::scenario
