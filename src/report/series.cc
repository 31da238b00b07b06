#include "report/series.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir::report {
namespace {

double number(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

std::vector<double> resampled(const std::vector<double>& series, std::size_t slots) {
  if (series.empty() || slots == 0) return {};
  std::vector<double> out(slots, 0.0);
  const double ratio = static_cast<double>(series.size()) / static_cast<double>(slots);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const double from = static_cast<double>(slot) * ratio;
    const double to = from + ratio;
    double sum = 0;
    for (auto i = static_cast<std::size_t>(from); i < series.size() && static_cast<double>(i) < to; ++i) {
      const auto at = static_cast<double>(i);
      sum += number(series[i]) * std::max(0.0, std::min(to, at + 1) - std::max(from, at));
    }
    out[slot] = sum / ratio;
  }
  return out;
}

double largest(const std::vector<double>& series) {
  double most = 0;
  for (const double value : series) most = std::max(most, number(value));
  return most;
}

std::size_t slots_of(const ReportSeries& series) {
  return std::max({series.training_useful.size(), series.training_overhead.size(), series.inference_served.size(),
                   series.inference_held.size(), series.idle.size()});
}

DaySpan days_of(const ReportData& data, std::size_t slots) {
  const double start = static_cast<double>(data.grid_start_ms) / static_cast<double>(kDay);
  const double step = static_cast<double>(std::max<DurationMs>(data.grid_step_ms, 1)) / static_cast<double>(kDay);
  return {start, start + static_cast<double>(slots) * step};
}

std::vector<int> day_marks(DaySpan span, std::size_t marks) {
  constexpr double kFurthestDay = 1e6;  // keeps what is counted here small, whatever was given
  const double start = std::clamp(std::ceil(span.start - 1e-9), -kFurthestDay, kFurthestDay);
  const double end = std::clamp(std::floor(span.end + 1e-9), -kFurthestDay, kFurthestDay);
  if (marks == 0 || end < start) return {};
  const auto first = static_cast<int>(start);
  const auto last = static_cast<int>(end);
  int step = 1;
  for (const int candidate : {1, 2, 7, 14, 28, 91, 364}) {
    step = candidate;
    if (static_cast<std::size_t>((last - first) / step) + 1 <= marks) break;
  }
  while (static_cast<std::size_t>((last - first) / step) + 1 > marks) step *= 2;
  std::vector<int> out;
  for (int day = first; day <= last; day += step) out.push_back(day);
  return out;
}

double axis_end(double value) {
  if (!std::isfinite(value) || value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : std::array{1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (value <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}

}  // namespace weir::report
