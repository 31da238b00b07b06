// A plot over time: stacked bands and lines above one axis of days, with a
// legend, and everything it draws as a table below. The picture stretches with
// the page; its labels do not, so it reads on a phone as on a desk.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.h"

namespace weir::report::html {

// The slots that a plot draws.
struct Timeline {
  std::size_t slots = 0;
  double start_days = 0;
  double end_days = 0;
  double measured_days = 0;  // what lies before is shown paler: the trace warms up
};

// The grid of the report, coarsened so that a page stays small.
[[nodiscard]] Timeline timeline_of(const ReportData& data);

struct Layer {
  std::string name;            // in the legend and the table
  std::string css;             // class that gives colour and pattern
  std::vector<double> values;  // any length; resampled to the timeline
};

struct Plot {
  std::string title;
  std::string about;  // one sentence below the title; may be empty
  std::string unit;   // "cards"
  double top = 0;     // end of the axis; 0 = from the values
  int height_px = 150;
  std::vector<Layer> bands;  // stacked, the first at the bottom
  std::vector<Layer> lines;
  bool legend = true;
};

// Empty when the plot or the timeline has nothing to draw.
[[nodiscard]] std::string plot_html(const Plot& plot, const Timeline& time);

}  // namespace weir::report::html
