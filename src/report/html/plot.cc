#include "report/html/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.h"
#include "report/html/markup.h"
#include "report/series.h"

namespace weir::report::html {
namespace {

constexpr std::size_t kMostSlots = 400;  // more would be finer than a screen
constexpr std::size_t kMostMarks = 15;

// Values on the slots of the plot, bands as the height of their upper edge.
struct Drawn {
  std::vector<std::vector<double>> bands;
  std::vector<std::vector<double>> tops;
  std::vector<std::vector<double>> lines;
  double top = 1;
};

Drawn drawn_of(const Plot& plot, const Timeline& time) {
  Drawn drawn;
  double most = 0;
  std::vector<double> top(time.slots, 0.0);
  for (const auto& band : plot.bands) {
    drawn.bands.push_back(resampled(band.values, time.slots));
    for (std::size_t i = 0; i < time.slots; ++i) top[i] += std::max(0.0, drawn.bands.back()[i]);
    drawn.tops.push_back(top);
    most = std::max(most, largest(top));
  }
  for (const auto& line : plot.lines) {
    drawn.lines.push_back(resampled(line.values, time.slots));
    most = std::max(most, largest(drawn.lines.back()));
  }
  drawn.top = plot.top > 0 ? plot.top : axis_end(most);
  return drawn;
}

// The stairs of a series from left to right, y downwards in pixels.
std::string stairs(const std::vector<double>& values, double top, int height_px) {
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = height_px * (1 - std::clamp(values[i] / top, 0.0, 1.0));
    path += fmt::format("{}{:.1f}H{}", i == 0 ? "M0," : "V", y, i + 1);
  }
  return path;
}

// The same from right to left, to close a band along its lower edge.
std::string stairs_back(const std::vector<double>& values, double top, int height_px) {
  std::string path;
  for (std::size_t i = values.size(); i-- > 0;) {
    const double y = height_px * (1 - std::clamp(values[i] / top, 0.0, 1.0));
    path += fmt::format("V{:.1f}H{}", y, i);
  }
  return path + "Z";
}

std::string picture(const Plot& plot, const Drawn& drawn, const Timeline& time) {
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\" style=\"height:{}px\">",
      time.slots, plot.height_px, escaped(plot.title + ", in " + plot.unit + "; the table below has the numbers"),
      plot.height_px);
  const std::vector<double> ground(time.slots, 0.0);
  for (std::size_t i = 0; i < plot.bands.size(); ++i) {
    const auto& below = i == 0 ? ground : drawn.tops[i - 1];
    out += fmt::format("<path class=\"band {}\" d=\"{}{}\"/>", plot.bands[i].css,
                       stairs(drawn.tops[i], drawn.top, plot.height_px), stairs_back(below, drawn.top, plot.height_px));
  }
  for (const double share : {0.0, 0.5, 1.0})
    out += fmt::format("<path class=\"grid\" d=\"M0,{0:.1f}H{1}\"/>", share * plot.height_px, time.slots);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    out += fmt::format("<path class=\"line {}\" d=\"{}\"/>", plot.lines[i].css,
                       stairs(drawn.lines[i], drawn.top, plot.height_px));
  if (time.measured_days > time.start_days && time.measured_days < time.end_days) {
    const double share = (time.measured_days - time.start_days) / (time.end_days - time.start_days);
    out += fmt::format("<rect class=\"warm-up\" width=\"{:.2f}\" height=\"{}\"/>",
                       share * static_cast<double>(time.slots), plot.height_px);
  }
  return out + "</svg>";
}

std::string legend(const Plot& plot) {
  if (plot.bands.size() + plot.lines.size() < 2) return {};
  std::string out = "<ul class=\"legend\">";
  for (const auto& band : plot.bands)
    out += fmt::format(
        "<li><svg class=\"key\" viewBox=\"0 0 16 12\"><rect class=\"band {}\" width=\"16\" "
        "height=\"12\"/></svg>{}</li>",
        band.css, escaped(band.name));
  for (const auto& line : plot.lines)
    out +=
        fmt::format("<li><svg class=\"key\" viewBox=\"0 0 16 12\"><path class=\"line {}\" d=\"M0,6H16\"/></svg>{}</li>",
                    line.css, escaped(line.name));
  return out + "</ul>";
}

std::string axes(const Plot& plot, const Drawn& drawn, const Timeline& time, const std::string& svg) {
  std::string out = "<div class=\"frame\"><div class=\"y\" aria-hidden=\"true\">";
  for (const double share : {1.0, 0.5, 0.0})
    out += fmt::format("<span style=\"top:{}\">{}</span>", percent(1 - share), escaped(number_text(drawn.top * share)));
  out += fmt::format(
      "</div><div class=\"area\">{}<i class=\"cross\"></i></div></div><div class=\"x\" aria-hidden=\"true\">", svg);
  const DaySpan span{time.start_days, time.end_days};
  const auto marks = day_marks(span, kMostMarks);
  for (std::size_t i = 0; i < marks.size(); ++i)
    out += fmt::format("<span{} style=\"left:{}\">{}</span>", i % 2 == 1 ? " class=\"minor\"" : "",
                       percent((marks[i] - span.start) / (span.end - span.start)), marks[i]);
  const bool warms_up = time.measured_days > time.start_days && time.measured_days < time.end_days;
  const auto measured_text =
      warms_up ? fmt::format("; measured from day {} on", number_text(time.measured_days)) : std::string();
  return out + fmt::format("</div><p class=\"axis\">{}, by day of the trace{}</p>", escaped(plot.unit), measured_text);
}

// "3, 04:00": day and time of the start of a slot.
std::string slot_text(const Timeline& time, std::size_t slot) {
  const double day =
      time.start_days + (time.end_days - time.start_days) * static_cast<double>(slot) / static_cast<double>(time.slots);
  const auto minutes = std::llround(day * 24 * 60);
  const auto whole_day = minutes >= 0 ? minutes / 1440 : (minutes - 1439) / 1440;
  const auto left = minutes - whole_day * 1440;
  return fmt::format("day {}, {:02}:{:02}", whole_day, left / 60, left % 60);
}

std::string table(const Plot& plot, const Drawn& drawn, const Timeline& time) {
  std::string out =
      "<details><summary>As a table</summary><div class=\"scroll\"><table class=\"numbers\"><thead><tr><th "
      "scope=\"col\">from</th>";
  for (const auto& band : plot.bands)
    out += fmt::format("<th scope=\"col\">{}, {}</th>", escaped(band.name), escaped(plot.unit));
  for (const auto& line : plot.lines)
    out += fmt::format("<th scope=\"col\">{}, {}</th>", escaped(line.name), escaped(plot.unit));
  out += "</tr></thead><tbody>";
  for (std::size_t slot = 0; slot < time.slots; ++slot) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", slot_text(time, slot));
    for (const auto& band : drawn.bands) out += fmt::format("<td>{}</td>", number_text(band[slot]));
    for (const auto& line : drawn.lines) out += fmt::format("<td>{}</td>", number_text(line[slot]));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div></details>";
}

}  // namespace

Timeline timeline_of(const ReportData& data) {
  std::size_t measured_slots = 0;
  for (const auto& policy : data.policies) {
    const auto& s = policy.series;
    measured_slots = std::max(
        {measured_slots, slots_of(s), s.demand.size(), s.ready.size(), s.unusable.size(), s.queue_jobs.size()});
  }
  if (measured_slots == 0) return {};
  const auto factor = (measured_slots + kMostSlots - 1) / kMostSlots;
  const auto span = days_of(data, measured_slots);
  return {(measured_slots + factor - 1) / factor, span.start, span.end, measured(data.window_start_days).value_or(0)};
}

std::string plot_html(const Plot& plot, const Timeline& time) {
  Plot shown = plot;
  const auto unmeasured = [](const Layer& layer) { return layer.values.empty(); };
  std::erase_if(shown.bands, unmeasured);
  std::erase_if(shown.lines, unmeasured);
  if (time.slots == 0 || (shown.bands.empty() && shown.lines.empty())) return {};
  const auto drawn = drawn_of(shown, time);
  std::string out = fmt::format("<figure class=\"plot\" tabindex=\"0\" aria-label=\"{}\">", escaped(shown.title));
  out += element("figcaption", "", shown.title);
  if (!shown.about.empty()) out += element("p", "about", shown.about);
  if (shown.legend) out += legend(shown);
  out += axes(shown, drawn, time, picture(shown, drawn, time));
  return out + table(shown, drawn, time) + "</figure>\n";
}

}  // namespace weir::report::html
