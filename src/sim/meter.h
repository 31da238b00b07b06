// Integrals over time: how many cards were in which use, in total over the
// window that is measured and as means over the slots of a grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "sim/demand.h"

namespace weir {

enum class Use : std::uint8_t {
  training_held,    // cards of runs, from start to exit
  training_useful,  // of these: progress that was kept
  inference_held,   // cards of replicas, from start to exit
  served,           // work served: min(D, ready)
  unmet,            // max(0, D - ready)
  demand,           // D
  ready,            // replicas that serve
  need,             // replicas aimed at
  guard,
  unusable,  // free cards that cannot take the shapes lately asked for
  queue_jobs,
  queue_cards,
};
inline constexpr std::size_t kUses = 12;

class Meter {
 public:
  // Window and grid in milliseconds of the trace; the grid begins at 0.
  Meter(TimeMs window_from_ms, TimeMs window_until_ms, DurationMs step_ms);

  void add(Use use, TimeMs from_ms, TimeMs until_ms, double cards);

  [[nodiscard]] double total(Use use) const { return total_[static_cast<std::size_t>(use)]; }  // card-ms in the window
  [[nodiscard]] std::vector<double> series(Use use) const;                                     // mean cards per slot
  [[nodiscard]] DurationMs window_ms() const { return until_ms_ - from_ms_; }
  [[nodiscard]] TimeMs window_from_ms() const { return from_ms_; }
  [[nodiscard]] TimeMs window_until_ms() const { return until_ms_; }
  [[nodiscard]] bool in_window(TimeMs at_ms) const { return at_ms >= from_ms_ && at_ms < until_ms_; }
  [[nodiscard]] DurationMs step_ms() const { return step_ms_; }

 private:
  TimeMs from_ms_;
  TimeMs until_ms_;
  DurationMs step_ms_;
  std::size_t slots_;
  std::array<double, kUses> total_{};
  std::array<std::vector<double>, kUses> grid_;  // card-ms
};

// A level that changes at instants and is metered in between.
class Level {
 public:
  Level(Meter& meter, Use use) : meter_(&meter), use_(use) {}
  void set(TimeMs now_ms, double value) {
    meter_->add(use_, since_ms_, now_ms, value_);
    since_ms_ = now_ms;
    value_ = value;
  }
  [[nodiscard]] double value() const { return value_; }

 private:
  Meter* meter_;
  Use use_;
  TimeMs since_ms_ = 0;
  double value_ = 0;
};

// What one service served of its load, whose replicas change at instants.
class ServiceMeter {
 public:
  ServiceMeter(Meter& meter, const Demand& demand, std::size_t service)
      : meter_(&meter), demand_(&demand), service_(service) {}
  void set_ready(TimeMs now_ms, double replicas);  // ends what was until now
  [[nodiscard]] double ready() const { return ready_; }
  [[nodiscard]] double unmet() const { return unmet_; }  // card-ms in the window
  [[nodiscard]] double demand() const { return asked_; }

 private:
  Meter* meter_;
  const Demand* demand_;
  std::size_t service_;
  TimeMs since_ms_ = 0;
  double ready_ = 0;
  double unmet_ = 0;
  double asked_ = 0;
};

}  // namespace weir
