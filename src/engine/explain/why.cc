#include "engine/explain/why.h"

#include <algorithm>
#include <bit>

#include "engine/guard/floor.h"
#include "engine/place/leases.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

struct Supply {
  bool model = false;           // some node is of an allowed model and large enough
  std::int64_t free_milli = 0;  // on nodes that it may use
  std::int64_t draining = 0;
  std::int64_t down = 0;
};

Supply supply_for(const Pool& pool, const Variant& variant) {
  Supply supply;
  const FitEntry& entry = pool.fit.entries[variant.fits.front()];
  const Shape& shape = variant.groups.front().shape;
  for (const Node& node : pool.nodes) {
    if (!allowed_on(pool, entry, node) || node.spec.cards < shape.cards) continue;
    if ((shape.share() || shape.whole()) && node.spec.cards == 0) continue;
    supply.model = true;
    if (node.down || node.silent) {
      ++supply.down;
    } else if (node.draining) {
      ++supply.draining;
    } else {
      supply.free_milli +=
          shape.share() ? free_milli_on(node) : std::int64_t{std::popcount(node.free_whole())} * kMilliPerCard;
    }
  }
  return supply;
}

JobId holder_of(const Pool& pool, const JobRec& waiting) {
  for (const auto& [id, run] : pool.runs) {
    const JobRec* job = run.current ? job_of(pool, run.job) : nullptr;
    if (job != nullptr && job->spec.id != waiting.spec.id) return job->spec.id;
  }
  return {};
}

std::int64_t cards_of(std::int64_t milli) { return (milli + kMilliPerCard - 1) / kMilliPerCard; }

}  // namespace

Reasons why(const Pool& pool, const JobRec& job, const Variant& variant, const Obstacles& o) {
  Reasons reasons;
  const Supply supply = supply_for(pool, variant);
  if (!supply.model || o.impossible) reasons.push_back({.code = ReasonCode::no_such_model});
  if (o.quota) {
    const std::int64_t left = std::max<std::int64_t>(0, cap_left_milli(pool, pool.teams[job.team]));
    reasons.push_back({.code = ReasonCode::team_quota,
                       .amount = cards_of(variant.milli),
                       .of = left >= kUnlimited ? 0 : left / kMilliPerCard});
  }
  if (o.paused) reasons.push_back({.code = ReasonCode::paused});
  if (o.frozen) reasons.push_back({.code = ReasonCode::frozen});
  if (job.over_budget) reasons.push_back({.code = ReasonCode::deadline_budget});
  if (job.past_deadline) reasons.push_back({.code = ReasonCode::deadline_missed, .at = job.spec.deadline_ms});
  if (job.no_estimate) reasons.push_back({.code = ReasonCode::no_estimate});
  if (job.starved) reasons.push_back({.code = ReasonCode::starved, .job = holder_of(pool, job)});
  if (o.guard) reasons.push_back({.code = ReasonCode::guard, .amount = guard_cards_owed(pool)});
  if (o.pledge) reasons.push_back({.code = ReasonCode::pledge, .amount = pool.settings->buffer_cards});
  if (supply.draining > 0) reasons.push_back({.code = ReasonCode::drained, .amount = supply.draining});
  if (supply.down > 0) reasons.push_back({.code = ReasonCode::node_down, .amount = supply.down});
  if (o.pinned) reasons.push_back({.code = ReasonCode::node_scope});
  if (o.reserved_for.valid() || o.reserved_until_ms < kNever) {
    reasons.push_back({.code = ReasonCode::reserved, .at = o.reserved_until_ms, .job = o.reserved_for});
  }
  const bool other = o.quota || o.paused || o.guard || o.pledge;
  if (supply.model && !other && !o.impossible) {
    const std::int64_t want = cards_of(variant.milli);
    const std::int64_t free = supply.free_milli / kMilliPerCard;
    const bool fragmented = supply.free_milli >= variant.milli && variant.milli > 0 && !o.reserved_for.valid();
    reasons.push_back({.code = fragmented ? ReasonCode::fragmented : ReasonCode::capacity, .amount = want, .of = free});
  }
  if (o.ahead.valid() && !o.reserved_for.valid()) {
    reasons.push_back({.code = ReasonCode::reserved, .at = o.ahead_until_ms, .job = o.ahead});
  }
  return reasons;
}

}  // namespace weir::engine
