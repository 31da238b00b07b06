#include "sim/demand.h"

#include <algorithm>

namespace weir {

Demand::Demand(const LoadCurve& load, std::int64_t kappa_milli) : start_ms_(load.start_ms), nano_(load.micro) {
  for (auto& service : nano_) {
    for (std::int64_t& value : service) value *= kappa_milli;  // millionths x thousandths
  }
}

std::size_t Demand::slot_at(TimeMs t_ms) const {
  const auto after = std::upper_bound(start_ms_.begin(), start_ms_.end(), t_ms);
  return after == start_ms_.begin() ? 0 : static_cast<std::size_t>(after - start_ms_.begin()) - 1;
}

std::int64_t Demand::peak_nano(std::size_t service) const {
  const auto& values = nano_[service];
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

std::int64_t replicas_for(std::int64_t nano, std::int64_t rho_permille) {
  const std::int64_t per_replica = kNanoPerCard / 1000 * rho_permille;
  return (nano + per_replica - 1) / per_replica;
}

namespace {

// The highest load seen in (t - recent, t].
[[nodiscard]] std::int64_t recent_peak(const Demand& demand, std::size_t service, TimeMs t_ms, DurationMs recent_ms) {
  const std::size_t last = demand.slot_at(t_ms);
  std::int64_t peak = demand.nano(service, last);
  for (std::size_t i = last; i > 0 && demand.slot_start(i) > t_ms - recent_ms; --i) {
    peak = std::max(peak, demand.nano(service, i - 1));
  }
  return peak;
}

// The percentile (nearest rank) of the slots that began within `around` of the
// same time of day on the days before; 0 without history.
[[nodiscard]] std::int64_t habitual(const Demand& demand, std::size_t service, TimeMs t_ms, const NeedRule& rule) {
  std::vector<std::int64_t> seen;
  for (std::int32_t day = 1; day <= rule.days; ++day) {
    const TimeMs centre = t_ms - day * kDay;
    if (centre + rule.around_ms < 0) break;
    std::size_t i = demand.slot_at(std::max<TimeMs>(0, centre - rule.around_ms));
    if (demand.slot_start(i) < centre - rule.around_ms) ++i;
    for (; i < demand.slots() && demand.slot_start(i) <= centre + rule.around_ms; ++i) {
      seen.push_back(demand.nano(service, i));
    }
  }
  if (seen.empty()) return 0;
  const std::size_t rank = (seen.size() * static_cast<std::size_t>(rule.percentile) + 99) / 100;
  const auto nth = seen.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(seen.begin(), nth, seen.end());
  return *nth;
}

}  // namespace

std::vector<NeedChange> plan_need(const Demand& demand, const NeedRule& rule, TimeMs horizon_ms) {
  std::vector<NeedChange> changes;
  if (demand.slots() == 0) return changes;
  std::vector<std::int64_t> current(demand.services(), -1);
  std::vector<std::int64_t> floor(demand.services(), 0);
  std::size_t floor_slot = demand.slots();  // of which `floor` is; none yet
  for (TimeMs t = 0; t < horizon_ms; t += rule.every_ms) {
    const std::size_t slot = demand.slot_at(t);
    for (std::size_t s = 0; s < demand.services(); ++s) {
      // Habit is looked up once a slot: it must not flutter with the minute.
      if (slot != floor_slot)
        floor[s] = habitual(demand, s, demand.slot_start(slot), rule) / 1000 * rule.floor_permille;
      const std::int64_t recent = recent_peak(demand, s, t, rule.recent_ms) / 1000 * rule.factor_permille;
      const std::int64_t replicas = replicas_for(std::max(recent, floor[s]), rule.rho_permille);
      if (replicas == current[s]) continue;
      current[s] = replicas;
      changes.push_back({t, ServiceId(static_cast<std::uint32_t>(s)), static_cast<std::int32_t>(replicas)});
    }
    floor_slot = slot;
  }
  return changes;
}

}  // namespace weir
