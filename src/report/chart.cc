// The terminal chart: how the cards were used over time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/format.h"
#include "report/report.h"
#include "report/series.h"

namespace weir {
namespace report {
namespace {

constexpr std::size_t kRows = 8;  // of text, per policy
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 400;
constexpr std::size_t kColumnsPerMark = 6;  // an axis mark needs so many columns

// From the bottom of the picture upwards; what is left above is free.
struct Kind {
  std::vector<double> ReportSeries::* series;
  std::string_view name;
  std::string_view block;
  std::string_view ascii;
  std::string_view paint;
};
constexpr std::array kKinds{
    Kind{&ReportSeries::training_useful, "training", "█", "#", "\x1b[34m"},
    Kind{&ReportSeries::inference_served, "inference", "▓", "o", "\x1b[33m"},
    Kind{&ReportSeries::inference_held, "held for inference", "▒", ":", "\x1b[33m"},
    Kind{&ReportSeries::training_overhead, "saving, restoring", "░", "-", "\x1b[34m"},
};
constexpr int kNothing = -1;
constexpr std::string_view kPlain = "\x1b[0m";

// One column of the picture: tops of the kinds, as a share of the pool.
using Tops = std::array<double, kKinds.size()>;

std::vector<Tops> tops_of(const ReportSeries& series, double pool_cards, std::size_t columns) {
  std::vector<Tops> tops(columns, Tops{});
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const auto values = resampled(series.*kKinds[kind].series, columns);
    for (std::size_t column = 0; column < columns; ++column) {
      const double below = kind == 0 ? 0 : tops[column][kind - 1];
      tops[column][kind] = below + (values.empty() ? 0 : std::max(0.0, values[column]) / pool_cards);
    }
  }
  return tops;
}

// What fills a cell: the kind at its middle.
int kind_at(const Tops& tops, double height) {
  constexpr double kEven = 1e-9;  // a top that lies on the middle does not fill the cell
  for (std::size_t kind = 0; kind < tops.size(); ++kind)
    if (height < tops[kind] - kEven) return static_cast<int>(kind);
  return kNothing;
}

std::string_view glyph(int kind, const TerminalOptions& options) {
  if (kind == kNothing) return " ";
  const auto& found = kKinds[static_cast<std::size_t>(kind)];
  return options.unicode ? found.block : found.ascii;
}

std::string picture_line(const std::vector<Tops>& tops, double height, const TerminalOptions& options) {
  std::string line;
  int painted = kNothing;
  for (const auto& column : tops) {
    const int kind = kind_at(column, height);
    if (options.colour && kind != painted) {
      if (painted != kNothing) line += kPlain;
      if (kind != kNothing) line += kKinds[static_cast<std::size_t>(kind)].paint;
      painted = kind;
    }
    line += glyph(kind, options);
  }
  if (options.colour && painted != kNothing) line += kPlain;
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string picture(const ReportPolicy& policy, double pool_cards, std::size_t margin, std::size_t columns,
                    const TerminalOptions& options) {
  std::string out = policy.name;
  if (measured(policy.useful_share)) out += fmt::format(": {} useful", share_text(policy.useful_share));
  out += "\n";
  const auto tops = tops_of(policy.series, pool_cards, columns);
  const std::string_view bar = options.unicode ? "│" : "|";
  for (std::size_t row = kRows; row-- > 0;) {
    std::string label;
    if (row == kRows - 1) label = number_text(pool_cards);
    if (row == kRows / 2 - 1) label = number_text(pool_cards / 2);
    const double height = (static_cast<double>(row) + 0.5) / static_cast<double>(kRows);
    out += fmt::format("{:>{}} {}{}\n", label, margin, bar, picture_line(tops, height, options));
  }
  return out;
}

std::string axis(const ReportData& data, std::size_t slots, std::size_t margin, std::size_t columns,
                 const TerminalOptions& options) {
  const auto span = days_of(data, slots);
  std::string marks;
  for (std::size_t i = 0; i < columns; ++i) marks += options.unicode ? "─" : "-";
  std::string labels(columns, ' ');
  for (const int day : day_marks(span, columns / kColumnsPerMark)) {
    const auto at = static_cast<std::size_t>(
        std::lround((day - span.start) / (span.end - span.start) * static_cast<double>(columns)));
    const auto text = fmt::format("{}", day);
    if (at + text.size() <= columns) labels.replace(at, text.size(), text);
  }
  while (labels.ends_with(' ')) labels.pop_back();
  const std::string pad(margin, ' ');
  return fmt::format("{:>{}} {}{}\n{}  {}\n{}  day of the trace; height in cards\n", 0, margin,
                     options.unicode ? "└" : "+", marks, pad, labels, pad);
}

std::string legend(const TerminalOptions& options) {
  std::string out;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    if (kind > 0) out += "   ";
    if (options.colour) out += kKinds[kind].paint;
    out += glyph(static_cast<int>(kind), options);
    out += glyph(static_cast<int>(kind), options);
    if (options.colour) out += kPlain;
    out += fmt::format(" {}", kKinds[kind].name);
  }
  return out + "   (blank) free\n";
}

}  // namespace
}  // namespace report

std::string use_chart(const ReportData& data, const TerminalOptions& options) {
  std::size_t slots = 0;
  for (const auto& policy : data.policies) slots = std::max(slots, report::slots_of(policy.series));
  if (slots == 0 || !(data.pool_cards > 0)) return {};
  const auto width =
      std::clamp(static_cast<std::size_t>(std::max(options.width, 0)), report::kLeastWidth, report::kMostWidth);
  const auto margin =
      std::max(report::number_text(data.pool_cards).size(), report::number_text(data.pool_cards / 2).size());
  const auto columns = width - margin - 2;
  std::string out = "Cards in use over time\n" + report::legend(options) + "\n";
  bool first = true;
  for (const auto& policy : data.policies) {
    if (report::slots_of(policy.series) == 0) continue;
    if (!first) out += "\n";
    first = false;
    out += report::picture(policy, data.pool_cards, margin, columns, options);
  }
  return out + report::axis(data, slots, margin, columns, options);
}

}  // namespace weir
