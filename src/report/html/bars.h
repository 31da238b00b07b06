// Bars as plain HTML: their lengths stretch with the page, every bar carries its
// number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::report::html {

struct Bar {
  std::string name;
  std::string css;
  double value = 0;
  std::string text;  // the value with its unit
};

struct BarGroup {
  std::string title;
  std::vector<Bar> bars;
};

// Horizontal bars in titled groups, all on one scale from zero.
[[nodiscard]] std::string bars_html(const std::vector<BarGroup>& groups);

struct Segment {
  std::string css;
  std::int64_t count = 0;
};

struct Column {
  std::string label;              // below
  std::vector<Segment> segments;  // from the bottom
};

// Upright columns of counts on one scale, each with its total above.
[[nodiscard]] std::string columns_html(const std::vector<Column>& columns, const std::string& about);

}  // namespace weir::report::html
