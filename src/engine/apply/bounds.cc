#include "engine/apply/bounds.h"

#include <algorithm>

namespace weir::engine {

namespace {

constexpr std::int64_t kCardsMax = std::int64_t{1} << 30;  // of a pool, a quota
constexpr std::int32_t kPermilleMax = 1'000'000;

void bound(DurationMs& length) { length = bounded(length); }
void bound_cards(std::int64_t& cards) {
  cards = std::clamp<std::int64_t>(cards, 0, cards >= kUnlimited ? kUnlimited : kCardsMax);
}

Shape bounded_shape(Shape s) {
  s.cards = std::clamp(s.cards, 0, kCardsPerNodeMax);
  s.milli = s.cards > 0 ? 0 : std::clamp(s.milli, 0, kMilliPerCard - 1);
  for (std::int64_t* amount : {&s.card_mem_mib, &s.cpu_milli, &s.ram_mib}) {
    *amount = std::clamp<std::int64_t>(*amount, 0, kUnlimited);
  }
  return s;
}

void bound_work_rules(Settings& s) {
  for (DurationMs* length : {&s.lead_time_ms, &s.min_run_ms, &s.claim_grace_ms, &s.share_half_life_ms,
                             &s.slack_floor_ms, &s.unknown_horizon_ms, &s.mix_window_ms, &s.hold_down_ms,
                             &s.node_timeout_ms, &s.backoff_first_ms, &s.backoff_max_ms, &s.rotation.victim_after_ms,
                             &s.rotation.gang_after_ms, &s.rotation.gang_victim_after_ms, &s.rotation.short_limit_ms}) {
    bound(*length);
  }
  // Off, or never, is beyond what a length of time can be.
  for (DurationMs* length : {&s.aging_max_wait_ms, &s.stale_need_ms}) {
    *length = *length > kLongest ? kNever : bounded(*length);
  }
  for (DurationMs* length : {&s.heartbeat_ms, &s.lateness_step_ms, &s.assumed_interval_ms}) {
    *length = std::clamp<DurationMs>(*length, 1, kLongest);
  }
  s.promote_slack_ms = std::clamp<DurationMs>(s.promote_slack_ms, -1, kLongest);
  s.rotation.first_service = std::clamp<MilliGpuMs>(s.rotation.first_service, 0, kNever);
  s.claim_grace_permille = std::clamp(s.claim_grace_permille, 0, kPermilleMax);
  s.slack_permille_of_remaining = std::clamp(s.slack_permille_of_remaining, 0, kPermilleMax);
  s.deadline_budget_ms = std::clamp<std::int64_t>(s.deadline_budget_ms, -1, kNever);
  s.backfill_depth = bounded_count(s.backfill_depth);
  s.mix_starts = bounded_count(s.mix_starts);
  s.moves_per_hour = bounded_count(s.moves_per_hour);
}

}  // namespace

DurationMs bounded(DurationMs length) { return std::clamp<DurationMs>(length, 0, kLongest); }
TimeMs bounded_instant(TimeMs at) { return std::clamp<TimeMs>(at, 0, kNever); }
std::int32_t bounded_count(std::int32_t n) { return std::clamp(n, 0, kReplicasMax); }

NodeSpec bounded(NodeSpec spec) {
  spec.cards = std::clamp(spec.cards, 0, kCardsPerNodeMax);
  for (std::int64_t* amount : {&spec.card_mem_mib, &spec.cpu_milli, &spec.ram_mib}) {
    *amount = std::clamp<std::int64_t>(*amount, 0, kUnlimited);
  }
  if (!spec.islands.empty()) spec.islands.resize(static_cast<std::size_t>(spec.cards), 0);
  return spec;
}

ServiceSpec bounded(ServiceSpec spec) {
  spec.shape = bounded_shape(spec.shape);
  for (std::int32_t* count : {&spec.guard, &spec.max, &spec.max_missing, &spec.max_extra})
    *count = bounded_count(*count);
  for (DurationMs* length : {&spec.start_ms, &spec.drain_ms, &spec.idle_ms}) bound(*length);
  spec.hold_down_ms = std::clamp<DurationMs>(spec.hold_down_ms, -1, kLongest);
  spec.tier_weight = std::max(spec.tier_weight, -1);
  return spec;
}

TeamSpec bounded(TeamSpec spec) {
  bound_cards(spec.quota_cards);
  for (auto& [model, cards] : spec.quota_of_model) bound_cards(cards);
  spec.deadline_budget_ms = std::clamp<std::int64_t>(spec.deadline_budget_ms, -1, kNever);
  return spec;
}

JobSpec bounded(JobSpec spec) {
  for (DurationMs* length :
       {&spec.declared_run_ms, &spec.limit_ms, &spec.ckpt.write_ms, &spec.ckpt.restart_ms, &spec.ckpt.interval_ms}) {
    bound(*length);
  }
  for (WorkerGroup& group : spec.roles) {
    for (std::int64_t* amount : {&group.shape.card_mem_mib, &group.shape.cpu_milli, &group.shape.ram_mib}) {
      *amount = std::clamp<std::int64_t>(*amount, 0, kUnlimited);
    }
  }
  spec.submitted_ms = bounded_instant(spec.submitted_ms);
  spec.deadline_ms = bounded_instant(spec.deadline_ms);
  spec.min_workers = std::max(0, spec.min_workers);
  return spec;
}

std::shared_ptr<const Settings> bounded(const std::shared_ptr<const Settings>& given) {
  Settings s = *given;
  bound_work_rules(s);
  s.guard_min_cards = std::clamp<std::int32_t>(s.guard_min_cards, 0, kCardsMax);
  s.buffer_cards = std::clamp<std::int32_t>(s.buffer_cards, 0, kCardsMax);
  for (Shape& shape : s.guard_shapes) shape = bounded_shape(shape);
  bound_cards(s.training_floor_cards);
  bound_cards(s.nonpreemptible_max_cards);
  for (TeamSpec& team : s.teams) team = bounded(team);
  return s == *given ? given : std::make_shared<const Settings>(std::move(s));
}

}  // namespace weir::engine
