#include "cli/progress_bar.h"

#include <cstdio>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace weir::cli {

namespace {

constexpr auto kQuiet = std::chrono::seconds(2);          // nobody waits for less
constexpr auto kRedraw = std::chrono::milliseconds(100);  // terminal
constexpr auto kLineEvery = std::chrono::seconds(10);     // log
constexpr int kWidth = 28;

}  // namespace

ProgressBar::ProgressBar(DurationMs horizon_ms)
    : horizon_ms_(horizon_ms), terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(const std::string& what, TimeMs now_ms) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ && now - start_ < kQuiet) return;
  if (drawn_ && now_ms < horizon_ms_ && now - last_ < (terminal_ ? kRedraw : kLineEvery)) return;
  last_ = now;
  drawn_ = true;
  draw(what, now_ms);
}

void ProgressBar::draw(const std::string& what, TimeMs now_ms) {
  const double share = static_cast<double>(now_ms) / static_cast<double>(horizon_ms_);
  const std::string days = fmt::format("day {:.1f} of {}", static_cast<double>(now_ms) / kDay, horizon_ms_ / kDay);
  if (!terminal_) {
    fmt::print(stderr, "{}: {}\n", what, days);
    return;
  }
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r\033[K{} [{}{}] {}", what, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kWidth - filled), '.'), days);
  std::fflush(stderr);
}

}  // namespace weir::cli
