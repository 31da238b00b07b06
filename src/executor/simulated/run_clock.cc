#include "executor/simulated/run_clock.h"

#include <algorithm>

namespace weir {

namespace {

constexpr std::int64_t kSpeedUnit = 1000;
constexpr DurationMs kLongestWork = kNever / kSpeedUnit / 2;  // longer work never ends; products stay in range

}  // namespace

DurationMs RunClock::work_at(TimeMs now_ms) const {
  if (now_ms <= work_from_ms) return 0;
  const DurationMs wall = std::min(now_ms - work_from_ms, kLongestWork);
  return wall * speed_milli / kSpeedUnit;
}

TimeMs RunClock::instant_of(DurationMs work_ms) const {
  if (work_ms >= kLongestWork) return kNever;
  if (work_ms <= 0) return work_from_ms;
  return work_from_ms + (work_ms * kSpeedUnit + speed_milli - 1) / speed_milli;
}

Boundary first_boundary(const RunClock& clock, const CheckpointContract& ckpt, TimeMs from_ms) {
  if (ckpt.mode == CheckpointMode::on_demand) return {from_ms, clock.work_at(from_ms)};
  if (ckpt.mode == CheckpointMode::none || ckpt.interval_ms <= 0) return {};
  // Rounding makes the estimate at most one boundary early.
  std::int64_t k = std::max<std::int64_t>(1, clock.work_at(from_ms) / ckpt.interval_ms);
  while (clock.instant_of(k * ckpt.interval_ms) < from_ms) ++k;
  return {clock.instant_of(k * ckpt.interval_ms), k * ckpt.interval_ms};
}

DurationMs newest_checkpoint(const RunClock& clock, const CheckpointContract& ckpt, TimeMs now_ms) {
  if (ckpt.mode != CheckpointMode::interval || ckpt.interval_ms <= 0) return 0;
  return clock.work_at(now_ms) / ckpt.interval_ms * ckpt.interval_ms;
}

}  // namespace weir
