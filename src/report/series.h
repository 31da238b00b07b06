// Series over time on fewer or more slots than they were measured on.
#pragma once

#include <cstddef>
#include <vector>

#include "report/report.h"

namespace weir::report {

// Means over `slots` equal stretches of the series, weighted by what of each
// measured slot lies inside. Empty when the series or `slots` is. What is not a
// finite number counts as 0.
[[nodiscard]] std::vector<double> resampled(const std::vector<double>& series, std::size_t slots);

// The largest value; 0 for none.
[[nodiscard]] double largest(const std::vector<double>& series);

// Length of the longest vector of the five kinds of use: 0 = no use measured.
[[nodiscard]] std::size_t slots_of(const ReportSeries& series);

// Where the grid of the report begins and ends, in days of the trace.
struct DaySpan {
  double start = 0;
  double end = 0;
};
[[nodiscard]] DaySpan days_of(const ReportData& data, std::size_t slots);

// Whole days to mark on an axis of that span so that at most `marks` appear.
[[nodiscard]] std::vector<int> day_marks(DaySpan span, std::size_t marks);

// A round number of at least `value`, to end an axis at: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 x 10^n.
[[nodiscard]] double axis_end(double value);

}  // namespace weir::report
