#include "engine/tiers/tiers.h"

#include <algorithm>
#include <limits>

#include "engine/apply/bounds.h"
#include "engine/estimate/history.h"
#include "engine/place/leases.h"
#include "engine/preempt/leavers.h"
#include "engine/tiers/queue.h"

namespace weir::engine {

namespace {

constexpr DurationMs kBudgetWindow = 7 * kDay;
constexpr DurationMs kBudgetRetry = kMinute;
constexpr DurationMs kLookAtRunning = 30 * kSecond;

const TierSpec* tier_with(const Pool& pool, TierRole role) {
  const TierSpec* best = nullptr;
  for (const TierSpec& tier : pool.settings->tiers) {
    if (tier.role == role && (best == nullptr || tier.weight > best->weight)) best = &tier;
  }
  return best;
}

Rank highest_rank(const Pool& pool) {
  Rank highest = 0;
  for (const TierSpec& tier : pool.settings->tiers) highest = std::max<Rank>(highest, tier.weight);
  return highest;
}

DurationMs interval_of(const CheckpointContract& ckpt) {
  return ckpt.mode == CheckpointMode::interval ? ckpt.interval_ms : 0;
}

// Slack at which a job with so much left is promoted.
DurationMs promotion_slack(const Pool& pool, const JobRec& job, DurationMs remaining) {
  const Settings& s = *pool.settings;
  if (s.promote_slack_ms >= 0) return s.promote_slack_ms;
  const DurationMs part = remaining / 1000 * s.slack_permille_of_remaining;
  return std::max({part, 2 * interval_of(job.spec.ckpt), s.slack_floor_ms, job.spec.ckpt.restart_ms});
}

Team& account_of(Pool& pool, const JobRec& job) {
  Team& team = pool.teams[job.team];
  return team.declared && team.spec.deadline_budget_ms >= 0 ? team : pool.teams.front();
}

GpuMs budget_of(const Pool& pool, const Team& account) {
  if (account.declared && account.spec.deadline_budget_ms >= 0) return account.spec.deadline_budget_ms;
  return pool.settings->deadline_budget_ms;
}

GpuMs spent(Pool& pool, Team& account) {
  std::erase_if(account.budget, [&](const BudgetEntry& e) { return e.at_ms + kBudgetWindow <= pool.now_ms; });
  GpuMs sum = 0;
  for (const BudgetEntry& entry : account.budget) sum += entry.amount;
  return sum;
}

GpuMs price_of(const Pool& pool, const JobRec& job) {
  const DurationMs remaining = std::max<DurationMs>(0, remaining_of(pool, job));
  return product(pool.demands[job.demand].variants.front().milli, remaining) / kMilliPerCard;
}

bool affordable(Pool& pool, const JobRec& job) {
  Team& account = account_of(pool, job);
  const GpuMs budget = budget_of(pool, account);
  return budget < 0 || spent(pool, account) + price_of(pool, job) <= budget;
}

struct Promotion {
  bool promoted = false;
  bool past = false;
  bool over_budget = false;
  bool no_estimate = false;
  TimeMs look_again_ms = kNever;
};

Promotion promotion_of(Pool& pool, const JobRec& job) {
  Promotion p;
  const TimeMs deadline = job.spec.deadline_ms;
  if (deadline >= kNever || tier_with(pool, TierRole::deadline) == nullptr) return p;
  if (pool.now_ms >= deadline) {
    p.past = true;
    return p;
  }
  p.look_again_ms = deadline;
  const DurationMs remaining = remaining_of(pool, job);
  TimeMs due = 0;
  if (remaining < 0) {
    const DurationMs horizon = std::max(pool.settings->unknown_horizon_ms, 4 * interval_of(job.spec.ckpt));
    due = deadline - horizon;
    p.no_estimate = pool.now_ms < due;
  } else {
    due = deadline - remaining - promotion_slack(pool, job, remaining);
    p.past = pool.now_ms + remaining > deadline;
    if (!p.past) p.look_again_ms = deadline - remaining + 1;
  }
  if (pool.now_ms < due) {
    p.look_again_ms = due;
    return p;
  }
  p.promoted = job.promoted || job.charged > 0 || affordable(pool, job);
  p.over_budget = !p.promoted;
  if (p.over_budget) p.look_again_ms = std::min(p.look_again_ms, pool.now_ms + kBudgetRetry);
  return p;
}

void say_tier(Pool& pool, const JobRec& job) {
  const TierSpec* tier = tier_of_rank(pool, rank_of(pool, job));
  tell(pool, change::TierSet{job.spec.id, tier == nullptr ? job.spec.tier : tier->name, job.promoted, job.aged});
}

// 2^-(period / half-life) in units of 2^-32: a short series, exact enough for an order.
std::int64_t decay_factor(DurationMs period, DurationMs half_life) {
  constexpr std::int64_t kOne = std::int64_t{1} << 32;
  constexpr std::int64_t kLn2 = 2977044472;  // ln 2 in the same units
  if (half_life <= 0) return 0;
  const std::int64_t x = kLn2 / half_life * period;
  if (x >= kOne) return 0;
  const std::int64_t x2 = (x >> 16) * (x >> 16);
  const std::int64_t x3 = (x2 >> 16) * (x >> 16);
  return kOne - x + x2 / 2 - x3 / 6;
}

std::int64_t scaled(std::int64_t value, std::int64_t factor) {
  return (value >> 32) * factor + (((value & 0xffffffff) >> 1) * factor >> 31);
}

}  // namespace

const TierSpec* tier_named(const Pool& pool, std::string_view name) {
  const auto& tiers = pool.settings->tiers;
  const auto it = std::find_if(tiers.begin(), tiers.end(), [&](const TierSpec& t) { return t.name == name; });
  return it == tiers.end() ? nullptr : &*it;
}

const TierSpec* tier_of_rank(const Pool& pool, Rank rank) {
  const auto& tiers = pool.settings->tiers;
  const auto it = std::find_if(tiers.begin(), tiers.end(), [&](const TierSpec& t) { return t.weight == rank; });
  return it == tiers.end() ? nullptr : &*it;
}

Rank inference_rank(const Pool& pool) {
  const TierSpec* tier = tier_with(pool, TierRole::inference);
  return tier == nullptr ? highest_rank(pool) + 2 : tier->weight;
}

Rank deadline_rank(const Pool& pool) {
  const TierSpec* tier = tier_with(pool, TierRole::deadline);
  return tier == nullptr ? highest_rank(pool) + 1 : tier->weight;
}

Rank base_rank(const Pool& pool, const JobSpec& job) {
  const TierSpec* tier = tier_named(pool, job.tier.empty() ? pool.settings->default_tier : job.tier);
  if (tier == nullptr) tier = tier_with(pool, TierRole::training);
  return tier == nullptr ? 0 : tier->weight;
}

Rank rank_of(const Pool& pool, const JobRec& job) {
  const Rank base = base_rank(pool, job.spec);
  return job.promoted ? std::max(base, deadline_rank(pool)) : base;
}

Rank rank_of(const Pool& pool, const ServiceSpec& service) {
  if (service.service_class == ServiceClass::core) return inference_rank(pool);
  if (service.tier_weight >= 0) return service.tier_weight == 0 ? kNoRank : service.tier_weight;
  const TierSpec* tier = tier_named(pool, service.tier.empty() ? pool.settings->default_tier : service.tier);
  return tier == nullptr ? 0 : tier->weight;
}

Rank rank_above(const Pool& pool, Rank rank) {
  Rank above = kGuardRank;
  for (const TierSpec& tier : pool.settings->tiers) {
    if (tier.weight > rank) above = std::min<Rank>(above, tier.weight);
  }
  return above;
}

void refresh_tier(Pool& pool, JobRec& job) {
  if (ended(job.state)) return;
  const Promotion p = promotion_of(pool, job);
  const bool promoted_before = job.promoted;
  const bool aged_before = job.aged;
  const bool waits = job.queued;
  const bool same_flags =
      job.past_deadline == p.past && job.over_budget == p.over_budget && job.no_estimate == p.no_estimate;
  if (p.past && !job.past_deadline) {
    alarm(pool, {.kind = change::AlarmKind::deadline_missed, .node = {}, .job = job.spec.id, .service = {}, .run = {}});
  }
  job.promoted = p.promoted;
  job.past_deadline = p.past;
  job.over_budget = p.over_budget;
  job.no_estimate = p.no_estimate;
  TimeMs look_again = p.look_again_ms;
  if (job.run.valid() && look_again < job.spec.deadline_ms) {
    // While it runs its slack stands nearly still: what is a millisecond away may be so for hours.
    look_again = std::min(job.spec.deadline_ms, std::max(look_again, pool.now_ms + kLookAtRunning));
  }
  wake_at(pool, look_again, Timer::promote, job.spec.id.value);
  const DurationMs max_wait = pool.settings->aging_max_wait_ms;
  const DurationMs stay = pool.now_ms - job.stay_since_ms;
  const bool in_queue = job.state == JobState::waiting;
  job.aged = in_queue && max_wait < kNever && stay >= max_wait;
  if (job.aged && !aged_before) wake_at(pool, job.stay_since_ms + 2 * max_wait, Timer::age, job.spec.id.value);
  const bool starved = in_queue && max_wait < kNever / 2 && stay >= 2 * max_wait;
  if (starved && !job.starved) {
    alarm(pool, {.kind = change::AlarmKind::starved, .node = {}, .job = job.spec.id, .service = {}, .run = {}});
  }
  const bool same_starved = starved == job.starved;
  job.starved = starved;
  const std::int32_t level = job.service >= pool.settings->rotation.first_service ? 1 : 0;
  const bool same_level = level == job.level;
  job.level = level;
  if (promoted_before != job.promoted || aged_before != job.aged) say_tier(pool, job);
  const bool same =
      promoted_before == job.promoted && aged_before == job.aged && same_flags && same_level && same_starved;
  if (same) return;
  ++pool.epoch;
  if (waits) enqueue(pool, job);
  if (RunRec* run = run_of(pool, job.run)) set_rank(pool, *run, rank_of(pool, job));
}

void refresh_shares(Pool& pool) {
  if (pool.shares_at_ms < kNever && pool.now_ms < pool.shares_at_ms + kMinute) return;
  const DurationMs period = pool.shares_at_ms >= kNever ? 0 : pool.now_ms - pool.shares_at_ms;
  pool.shares_at_ms = pool.now_ms;
  const std::int64_t factor = decay_factor(std::min(period, kHour), pool.settings->share_half_life_ms);
  bool changed = pool.settings->order == OrderRule::response_ratio;
  for (std::size_t i = 0; i < pool.teams.size(); ++i) {
    Team& team = pool.teams[i];
    team.used = std::min(kNever, scaled(team.used, factor) + product(team.held_milli, period));
    const std::int64_t entitled = entitlement_milli(pool, team);
    const std::int64_t share = !team.declared && i == 0 ? 0
                               : entitled <= 0          ? std::numeric_limits<std::int64_t>::max()
                                                        : team.used / entitled;
    changed = changed || share != team.share;
    team.share = share;
  }
  if (changed && pool.settings->order != OrderRule::fifo) reorder_heads(pool);
  wake_at(pool, pool.now_ms + kMinute, Timer::share, 0);
}

std::int64_t entitlement_milli(const Pool& pool, const Team& team) {
  if (!team.spec.has_quota) return std::max<std::int64_t>(1, pool.cards.total()) * kMilliPerCard;
  if (!team.spec.quota_by_model) return team.spec.quota_cards * kMilliPerCard;
  std::int64_t sum = 0;
  for (const auto& [model, cards] : team.spec.quota_of_model) sum += cards * kMilliPerCard;
  return sum;
}

bool charge_budget(Pool& pool, JobRec& job) {
  if (!job.promoted || job.charged > 0) return true;
  Team& account = account_of(pool, job);
  if (budget_of(pool, account) < 0) return true;
  if (!affordable(pool, job)) return false;
  job.charged = std::max<GpuMs>(1, price_of(pool, job));
  job.charged_at_ms = pool.now_ms;
  job.charged_progress_ms = job.progress_ms;
  account.budget.push_back({pool.now_ms, job.charged});
  return true;
}

void refund_budget(Pool& pool, JobRec& job) {
  if (job.charged == 0) return;
  const std::int64_t milli = pool.demands[job.demand].variants.front().milli;
  const DurationMs done = std::max<DurationMs>(0, job.progress_ms - job.charged_progress_ms);
  const GpuMs used = product(milli, done) / kMilliPerCard;
  const GpuMs unused = std::max<GpuMs>(0, job.charged - used);
  if (unused > 0) account_of(pool, job).budget.push_back({job.charged_at_ms, -unused});
  job.charged = 0;
}

std::int64_t cap_left_milli(const Pool& pool, const Team& team) {
  if (!team.declared || !team.spec.has_quota || team.spec.borrow) return kUnlimited;
  return entitlement_milli(pool, team) - team.held_milli - team.claimed_milli;
}

bool within_entitlement(const Pool& pool, const Team& team, std::int64_t more_milli) {
  return team.declared && team.spec.has_quota &&
         team.held_milli + team.claimed_milli + more_milli <= entitlement_milli(pool, team);
}

std::int64_t above_entitlement_milli(const Pool& pool, const Team& team) {
  if (!team.declared || !team.spec.has_quota) return 0;
  return std::max<std::int64_t>(0, team.held_milli - entitlement_milli(pool, team));
}

}  // namespace weir::engine
