// Inference load as work, and the replicas that it calls for (evaluation.md 3.2,
// 3.7). All in whole numbers, so that the same trace gives the same need on
// every machine. One replica is one card.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "trace/trace.h"

namespace weir {

inline constexpr std::int64_t kNanoPerCard = 1'000'000'000;

// D_s(t) = kappa x L_s(t): cards that a perfectly busy service would need, as a
// step function, in billionths of a card.
class Demand {
 public:
  Demand(const LoadCurve& load, std::int64_t kappa_milli);

  [[nodiscard]] std::size_t services() const { return nano_.size(); }
  [[nodiscard]] std::size_t slots() const { return start_ms_.size(); }
  [[nodiscard]] std::size_t slot_at(TimeMs t_ms) const;  // that t lies in; services() > 0
  [[nodiscard]] TimeMs slot_start(std::size_t slot) const { return start_ms_[slot]; }
  [[nodiscard]] TimeMs slot_end(std::size_t slot) const { return slot + 1 < slots() ? start_ms_[slot + 1] : kNever; }
  [[nodiscard]] std::int64_t nano(std::size_t service, std::size_t slot) const { return nano_[service][slot]; }
  [[nodiscard]] std::int64_t peak_nano(std::size_t service) const;

 private:
  std::vector<TimeMs> start_ms_;
  std::vector<std::vector<std::int64_t>> nano_;  // [service][slot]
};

// How a target follows the load: the larger of factor x the highest load of the
// last `recent` and floor x a percentile of the same time of day, give or take
// `around`, of the days before; over the load that a replica is planned for.
struct NeedRule {
  DurationMs every_ms = 60 * kSecond;
  DurationMs recent_ms = 10 * kMinute;
  std::int64_t factor_permille = 1000;
  DurationMs around_ms = 30 * kMinute;
  std::int32_t days = 7;
  std::int64_t percentile = 75;
  std::int64_t floor_permille = 700;
  std::int64_t rho_permille = 700;
};

struct NeedChange {
  TimeMs at_ms = 0;
  ServiceId service;
  std::int32_t replicas = 0;
};

// Every change of need from 0 to the horizon, by time; the first ones at 0.
// Uses nothing of the curve later than its own instant.
[[nodiscard]] std::vector<NeedChange> plan_need(const Demand& demand, const NeedRule& rule, TimeMs horizon_ms);

// ceil(D / rho): replicas that the load of a slot needs.
[[nodiscard]] std::int64_t replicas_for(std::int64_t nano, std::int64_t rho_permille);

}  // namespace weir
