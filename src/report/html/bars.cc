#include "report/html/bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/markup.h"
#include "text/text.h"

namespace weir::report::html {

std::string bars_html(const std::vector<BarGroup>& groups) {
  double most = 0;
  for (const auto& group : groups)
    for (const auto& bar : group.bars) most = std::max(most, bar.value);
  std::string out = "<div class=\"bars\">";
  for (const auto& group : groups) {
    out += "<div class=\"group\">" + element("h4", "", group.title);
    for (const auto& bar : group.bars) {
      const double share = most > 0 ? std::max(0.0, bar.value) / most : 0;
      out += fmt::format(
          "<div class=\"bar\"><span class=\"name\">{}</span><span class=\"track\"><i class=\"{}\" "
          "style=\"width:{}\"></i></span>"
          "<span class=\"value\">{}</span></div>",
          escaped(bar.name), escaped(bar.css), percent(share), escaped(bar.text));
    }
    out += "</div>";
  }
  return out + "</div>";
}

std::string columns_html(const std::vector<Column>& columns, const std::string& about) {
  const auto total_of = [](const Column& column) {
    std::int64_t total = 0;
    for (const auto& segment : column.segments) total += segment.count;
    return total;
  };
  std::int64_t most = 0;
  for (const auto& column : columns) most = std::max(most, total_of(column));
  std::string out = fmt::format("<div class=\"columns\" role=\"img\" aria-label=\"{}\">", escaped(about));
  for (const auto& column : columns) {
    out += "<div class=\"column\"><div class=\"stack\">" + element("span", "total", count_text(total_of(column)));
    for (auto segment = column.segments.rbegin(); segment != column.segments.rend(); ++segment) {
      if (segment->count <= 0) continue;
      out += fmt::format("<i class=\"{}\" style=\"height:{}\"></i>", escaped(segment->css),
                         percent(static_cast<double>(segment->count) / static_cast<double>(most)));
    }
    out += "</div>" + element("span", "label", column.label) + "</div>";
  }
  return out + "</div>";
}

}  // namespace weir::report::html
