#include "sim/meter.h"

#include <algorithm>

namespace weir {

Meter::Meter(TimeMs window_from_ms, TimeMs window_until_ms, DurationMs step_ms)
    : from_ms_(window_from_ms),
      until_ms_(window_until_ms),
      step_ms_(step_ms),
      slots_(static_cast<std::size_t>((window_until_ms + step_ms - 1) / step_ms)) {
  for (auto& slots : grid_) slots.assign(slots_, 0.0);
}

void Meter::add(Use use, TimeMs from_ms, TimeMs until_ms, double cards) {
  from_ms = std::max<TimeMs>(from_ms, 0);
  until_ms = std::min(until_ms, until_ms_);
  if (until_ms <= from_ms || cards == 0) return;
  const TimeMs inside = until_ms - std::max(from_ms, from_ms_);
  if (inside > 0) total_[static_cast<std::size_t>(use)] += cards * static_cast<double>(inside);
  std::vector<double>& slots = grid_[static_cast<std::size_t>(use)];
  for (auto i = static_cast<std::size_t>(from_ms / step_ms_); i < slots_; ++i) {
    const TimeMs begin = static_cast<TimeMs>(i) * step_ms_;
    if (begin >= until_ms) break;
    const TimeMs length = std::min(until_ms, begin + step_ms_) - std::max(from_ms, begin);
    slots[i] += cards * static_cast<double>(length);
  }
}

std::vector<double> Meter::series(Use use) const {
  std::vector<double> out = grid_[static_cast<std::size_t>(use)];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const TimeMs begin = static_cast<TimeMs>(i) * step_ms_;
    out[i] /= static_cast<double>(std::min(until_ms_, begin + step_ms_) - begin);
  }
  return out;
}

void ServiceMeter::set_ready(TimeMs now_ms, double replicas) {
  TimeMs at = since_ms_;
  now_ms = std::min(now_ms, meter_->window_until_ms());
  for (std::size_t slot = demand_->slot_at(at); at < now_ms; ++slot) {
    const TimeMs until = std::min(now_ms, demand_->slot_end(slot));
    const double asked = static_cast<double>(demand_->nano(service_, slot)) / static_cast<double>(kNanoPerCard);
    const double short_of = std::max(0.0, asked - ready_);
    meter_->add(Use::demand, at, until, asked);
    meter_->add(Use::served, at, until, asked - short_of);
    meter_->add(Use::unmet, at, until, short_of);
    meter_->add(Use::ready, at, until, ready_);
    const TimeMs inside = until - std::max(at, meter_->window_from_ms());
    if (inside > 0) {
      unmet_ += short_of * static_cast<double>(inside);
      asked_ += asked * static_cast<double>(inside);
    }
    at = until;
  }
  since_ms_ = std::max(since_ms_, now_ms);
  ready_ = replicas;
}

}  // namespace weir
