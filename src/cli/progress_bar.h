// A bar of simulated days on standard error: at once on a terminal, elsewhere
// only as plain lines and only once the work has taken a while.
#pragma once

#include <chrono>
#include <string>

#include "base/units.h"

namespace weir::cli {

class ProgressBar {
 public:
  explicit ProgressBar(DurationMs horizon_ms);
  ~ProgressBar();  // takes the bar away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const std::string& what, TimeMs now_ms);

 private:
  void draw(const std::string& what, TimeMs now_ms);

  DurationMs horizon_ms_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace weir::cli
