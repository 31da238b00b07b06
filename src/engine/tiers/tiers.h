// Effective tiers (engine.md 3): recomputed from facts, never stored as a priority
// that somebody could change. Promotion, aging, levels, shares of teams.
#pragma once

#include "engine/state.h"

namespace weir::engine {

[[nodiscard]] const TierSpec* tier_named(const Pool&, std::string_view name);
[[nodiscard]] const TierSpec* tier_of_rank(const Pool&, Rank);
[[nodiscard]] Rank inference_rank(const Pool&);
[[nodiscard]] Rank deadline_rank(const Pool&);
// The tier that a job names, or the normal one.
[[nodiscard]] Rank base_rank(const Pool&, const JobSpec&);
[[nodiscard]] Rank rank_of(const Pool&, const JobRec&);
// Rank of a service's replicas above its guard.
[[nodiscard]] Rank rank_of(const Pool&, const ServiceSpec&);
// The next tier above, for a victim that would miss its deadline.
[[nodiscard]] Rank rank_above(const Pool&, Rank);

// Recomputes promotion, aging and level of a job; moves it in the queue and says
// so when something changed.
void refresh_tier(Pool&, JobRec&);
// Once a minute: decayed use and shares of all teams, and what hangs on them.
void refresh_shares(Pool&);

// Entitlement of a team in milli-GPU; the whole pool when it has no quota.
[[nodiscard]] std::int64_t entitlement_milli(const Pool&, const Team&);

// The deadline budget: charged when a promoted job starts or its claim is made,
// the unused part given back when it ends. false: not enough is left.
bool charge_budget(Pool&, JobRec&);
void refund_budget(Pool&, JobRec&);

// What a team may still take; of the caps without borrowing, over all models and
// per model. kUnlimited when it has none.
[[nodiscard]] std::int64_t cap_left_milli(const Pool&, const Team&);
[[nodiscard]] bool within_entitlement(const Pool&, const Team&, std::int64_t more_milli);
[[nodiscard]] std::int64_t above_entitlement_milli(const Pool&, const Team&);

}  // namespace weir::engine
