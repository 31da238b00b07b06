// `settings:` of a scenario: the switches, with the defaults of scenarios
// (engine.md 11): nothing that a plain reader of the case would not expect.
#include <array>

#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

// Application errors end the run, not the card (engine.md 9).
constexpr std::array<std::int32_t, 5> kApplicationErrors{13, 31, 43, 45, 94};

template <class Enum, std::size_t N>
void read_word(Section& section, std::string_view key, const std::array<std::string_view, N>& words, Enum& target) {
  if (const auto value = section.get(key))
    if (const auto index = value->word(words)) target = static_cast<Enum>(*index);
}

// A duration under its own name or the same with _s.
void read_duration(Section& section, const std::string& key, DurationMs& target) {
  target = section.duration(key + "_s", target, kSecond, kTimeRange);
  target = section.duration(key, target, kSecond, kTimeRange);
}

void read_rotation(const Value& value, RotationSettings& rotation) {
  if (value.is_scalar()) {
    rotation.on = value.yes_no().value_or(false);
    return;
  }
  auto section = value.section();
  if (!section) return;
  rotation.on = section->yes_no("on", true);
  DurationMs first = rotation.first_service / kMilliPerCard;  // card-seconds
  read_duration(*section, "first_service", first);
  rotation.first_service = first * kMilliPerCard;
  read_duration(*section, "victim_after", rotation.victim_after_ms);
  read_duration(*section, "gang_after", rotation.gang_after_ms);
  read_duration(*section, "gang_victim_after", rotation.gang_victim_after_ms);
  read_duration(*section, "short_limit", rotation.short_limit_ms);
  section->finish();
}

void read_aging(Section& section, Settings& settings) {
  read_duration(section, "aging_max_wait", settings.aging_max_wait_ms);
  const auto value = section.get("aging");
  if (!value) return;
  if (value->is_map()) {
    auto aging = value->section();
    read_duration(*aging, "max_wait", settings.aging_max_wait_ms);
    aging->finish();
  } else if (value->is_word("off") || value->is_word("false")) {
    settings.aging_max_wait_ms = kNever;
  } else if (value->is_word("on") || value->is_word("true")) {
    settings.aging_max_wait_ms = Settings{}.aging_max_wait_ms;
  } else if (const auto wait = seconds_of(*value)) {
    settings.aging_max_wait_ms = *wait;
  }
}

void read_defrag(Section& section, Settings& settings) {
  constexpr std::array<std::string_view, 3> kModes{"off", "waiter", "background"};
  const auto value = section.get("defrag");
  if (!value) return;
  if (value->is_word("true") || value->is_word("on")) {
    settings.defrag = DefragMode::waiter;
  } else if (value->is_word("false")) {
    settings.defrag = DefragMode::off;
  } else if (const auto index = value->word(kModes)) {
    settings.defrag = static_cast<DefragMode>(*index);
  }
}

void read_fault_policy(Section& section, Scenario& s) {
  constexpr std::array<std::string_view, 2> kPolicies{"restart_job", "remove_gpu_until_ok"};
  const auto value = section.get("gpu_event_policy");
  auto policies = value ? value->section() : std::nullopt;
  if (!policies) return;
  for (const auto& [code, policy] : policies->all())
    if (const auto index = policy.word(kPolicies))
      s.settings.fault_policy[fault_code(code, s)] = static_cast<FaultPolicy>(*index);
}

void set_defaults(Settings& settings) {
  settings.order = OrderRule::fifo;
  settings.rotation.on = false;
  settings.aging_max_wait_ms = kNever;
  settings.training_floor_cards = 0;
  settings.nonpreemptible_max_cards = kUnlimited;
  settings.lead_time_ms = 0;
  settings.hold_down_ms = 0;
  settings.min_run_ms = 0;
  settings.stale_need_ms = kNever;
  settings.deadline_budget_ms = -1;
  settings.defrag = DefragMode::off;
  for (const std::int32_t code : kApplicationErrors) settings.fault_policy[code] = FaultPolicy::restart_job;
}

void read_preempt(Section& section, Settings& settings) {
  constexpr std::array<std::string_view, 3> kEmergency{"wait", "on_demand", "kill"};
  settings.preempt_enabled = section.yes_no("preempt", settings.preempt_enabled);
  settings.only_at_checkpoint = section.yes_no("only_at_checkpoint", settings.only_at_checkpoint);
  read_word(section, "on_emergency", kEmergency, settings.on_emergency);
  settings.nonpreemptible_max_cards =
      section.whole("training_nonpreemptible_max", settings.nonpreemptible_max_cards, {0, kUnlimited});
  read_duration(section, "min_run", settings.min_run_ms);
  read_duration(section, "claim_grace", settings.claim_grace_ms);
}

void read_deadline(Section& section, Settings& settings) {
  constexpr std::int64_t kPerMilliHour = kHour / kMilliPerCard;
  if (const auto slack = section.get("promote_slack_s")) settings.promote_slack_ms = seconds_of(*slack).value_or(0);
  if (const auto slack = section.get("promote_slack")) settings.promote_slack_ms = seconds_of(*slack).value_or(0);
  if (const auto budget = section.get("deadline_budget_h"))
    settings.deadline_budget_ms = budget->milli({0, 1'000'000'000}).value_or(0) * kPerMilliHour;
}

}  // namespace

std::int32_t fault_code(const std::string& text, Scenario& s) {
  constexpr std::int64_t kCodeMax = 100'000;
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9') digits += c;
  const auto number = parse_whole(digits);
  if (number && *number < kCodeMax) return static_cast<std::int32_t>(*number);
  const auto next = static_cast<std::int32_t>(kCodeMax + static_cast<std::int64_t>(s.fault_codes.size()));
  return s.fault_codes.emplace(text, next).first->second;
}

void read_settings(Section& top, Scenario& s) {
  constexpr std::array<std::string_view, 3> kOrders{"attained", "response_ratio", "fifo"};
  constexpr std::array<std::string_view, 4> kScopes{"any", "group", "rack", "island"};
  const std::int64_t floor = s.settings.training_floor_cards;
  const DurationMs lead = s.settings.lead_time_ms;
  set_defaults(s.settings);
  s.settings.training_floor_cards = floor;
  s.settings.lead_time_ms = lead;
  const auto value = top.get("settings");
  auto section = value ? value->section() : std::nullopt;
  if (!section) return;
  Settings& settings = s.settings;
  read_word(*section, "order", kOrders, settings.order);
  read_word(*section, "gang_within", kScopes, settings.gang_within);
  if (const auto rotation = section->get("rotation")) read_rotation(*rotation, settings.rotation);
  read_aging(*section, settings);
  read_defrag(*section, settings);
  read_fault_policy(*section, s);
  read_preempt(*section, settings);
  read_deadline(*section, settings);
  settings.backfill = section->yes_no("backfill", settings.backfill);
  settings.backfill_depth =
      static_cast<std::int32_t>(section->whole("backfill_depth", settings.backfill_depth, {0, 10'000}));
  settings.moves_per_hour =
      static_cast<std::int32_t>(section->whole("moves_per_hour", settings.moves_per_hour, {0, 1'000'000}));
  read_duration(*section, "node_timeout", settings.node_timeout_ms);
  read_duration(*section, "hold_down", settings.hold_down_ms);
  read_duration(*section, "stale_need", settings.stale_need_ms);
  read_duration(*section, "share_half_life", settings.share_half_life_ms);
  settings.shadow = section->yes_no("shadow", settings.shadow);
  s.seed = static_cast<std::uint64_t>(section->whole("seed", 1, kCountRange));
  s.exit_ms = section->duration("exit_s", 0, kSecond, kTimeRange);
  section->allow("note");
  section->finish();
}

}  // namespace weir::scenario
