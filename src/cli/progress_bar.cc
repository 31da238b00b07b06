#include "cli/progress_bar.h"

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

namespace weir::cli {

namespace {

constexpr auto kQuiet = std::chrono::seconds(2);          // nobody waits for less
constexpr auto kRedraw = std::chrono::milliseconds(100);  // terminal
constexpr auto kLineEvery = std::chrono::seconds(10);     // log
constexpr int kWidth = 28;

}  // namespace

ProgressBar::ProgressBar(DurationMs horizon_ms) : ProgressBar(horizon_ms, std::string()) {}

ProgressBar::ProgressBar(std::int64_t all, std::string unit)
    : all_(all),
      unit_(std::move(unit)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(const std::string& what, std::int64_t now_at) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ && now - start_ < kQuiet) return;
  if (drawn_ && now_at < all_ && now - last_ < (terminal_ ? kRedraw : kLineEvery)) return;
  last_ = now;
  drawn_ = true;
  draw(what, now_at);
}

void ProgressBar::draw(const std::string& what, std::int64_t now) {
  const double share = static_cast<double>(now) / static_cast<double>(all_);
  const std::string at = unit_.empty() ? fmt::format("day {:.1f} of {}", static_cast<double>(now) / kDay, all_ / kDay)
                                       : fmt::format("{} of {} {}", now, all_, unit_);
  if (!terminal_) {
    fmt::print(stderr, "{}: {}\n", what, at);
    return;
  }
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r\033[K{} [{}{}] {}", what, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kWidth - filled), '.'), at);
  std::fflush(stderr);
}

}  // namespace weir::cli
