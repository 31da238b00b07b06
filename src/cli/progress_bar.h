// A bar of simulated days, or of runs done, on standard error: at once on a terminal, elsewhere
// only as plain lines and only once the work has taken a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/units.h"

namespace weir::cli {

class ProgressBar {
 public:
  explicit ProgressBar(DurationMs horizon_ms);      // counts days
  ProgressBar(std::int64_t all, std::string unit);  // counts to `all`: "12 of 70 runs"
  ~ProgressBar();                                   // takes the bar away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const std::string& what, std::int64_t now);

 private:
  void draw(const std::string& what, std::int64_t now);

  std::int64_t all_;
  std::string unit_;  // empty: simulated time
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace weir::cli
