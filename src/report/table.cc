// The terminal table: policies side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/rows.h"
#include "text/text.h"

namespace weir {
namespace report {
namespace {

constexpr const char* kBold = "\x1b[1m";
constexpr const char* kFaint = "\x1b[2m";
constexpr const char* kGood = "\x1b[1;32m";
constexpr const char* kPlain = "\x1b[0m";
constexpr std::size_t kGap = 3;

std::string painted(const std::string& text, const char* paint, bool colour) {
  return colour && !text.empty() ? paint + text + kPlain : text;
}

std::string left(const std::string& text, std::size_t width) {
  const auto columns = columns_of(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

std::string right(const std::string& text, std::size_t width) {
  const auto columns = columns_of(text);
  return columns < width ? std::string(width - columns, ' ') + text : text;
}

struct Layout {
  std::size_t label = 0;
  std::vector<std::size_t> columns;  // policies, then the bound if there is one
  bool bound = false;
};

Layout layout_of(const ReportData& data, const std::vector<ComparisonGroup>& groups) {
  Layout layout;
  for (const auto& policy : data.policies) layout.columns.push_back(columns_of(policy.name));
  std::size_t bound_width = std::string("bound").size();
  for (const auto& group : groups) {
    layout.label = std::max(layout.label, columns_of(group.title));
    for (const auto& row : group.rows) {
      layout.label = std::max(layout.label, columns_of(row.label) + 2);
      for (std::size_t i = 0; i < row.values.size(); ++i)
        layout.columns[i] = std::max(layout.columns[i], quantity_text(row.values[i], row.kind).size());
      if (row.bound) layout.bound = true;
      if (row.bound) bound_width = std::max(bound_width, quantity_text(row.bound, row.kind).size());
    }
  }
  if (layout.bound) layout.columns.push_back(bound_width);
  return layout;
}

std::string heading(const ReportData& data, const Layout& layout, const TerminalOptions& options) {
  std::string line = std::string(layout.label, ' ');
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const auto name = i < data.policies.size() ? data.policies[i].name : std::string("bound");
    line += std::string(kGap, ' ') + painted(right(name, layout.columns[i]), kBold, options.colour);
  }
  std::size_t width = layout.label;
  for (const auto column : layout.columns) width += kGap + column;
  std::string rule;
  for (std::size_t i = 0; i < width; ++i) rule += options.unicode ? "─" : "-";
  return line + "\n" + painted(rule, kFaint, options.colour) + "\n";
}

std::string row_line(const ComparisonRow& row, const Layout& layout, const TerminalOptions& options) {
  const auto best = best_of(row);
  std::string line = left("  " + row.label, layout.label);
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const auto cell = right(quantity_text(row.values[i], row.kind), layout.columns[i]);
    line += std::string(kGap, ' ') + (best[i] ? painted(cell, kGood, options.colour) : cell);
  }
  if (row.bound)
    line += std::string(kGap, ' ') +
            painted(right(quantity_text(row.bound, row.kind), layout.columns.back()), kFaint, options.colour);
  return line + "\n";
}

std::string days_text(double days) { return number_text(days); }

std::string title_lines(const ReportData& data, const TerminalOptions& options) {
  std::string out = painted(data.scenario, kBold, options.colour);
  std::vector<std::string> facts;
  if (data.pool_cards > 0) facts.push_back(quantity_text(data.pool_cards, Quantity::cards));
  if (data.nodes > 0) facts.push_back(counted_text(data.nodes, "node"));
  if (data.jobs > 0) facts.push_back(counted_text(data.jobs, "job"));
  if (data.window_end_days > data.window_start_days)
    facts.push_back(fmt::format("measured from day {} to day {}", days_text(data.window_start_days),
                                days_text(data.window_end_days)));
  for (std::size_t i = 0; i < facts.size(); ++i) out += (i == 0 ? ": " : ", ") + facts[i];
  out += "\n";
  if (!data.title.empty()) out += data.title + "\n";
  return out + "\n";
}

std::string median_text(std::vector<double> values, Quantity kind) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return fmt::format("{} [{} to {}]", quantity_text(median, kind), quantity_text(values.front(), kind),
                     quantity_text(values.back(), kind));
}

std::string rotation_line(const ReportData& data) {
  std::vector<double> useful;
  std::vector<double> wait_s;
  for (const auto& rotation : data.rotations) {
    if (const auto value = measured(rotation.useful_share)) useful.push_back(*value);
    if (const auto value = measured(rotation.wait_mean_s)) wait_s.push_back(*value);
  }
  if (useful.empty() && wait_s.empty()) return {};
  std::string out = fmt::format("{} shifted runs, median [range]:", data.rotations.size());
  if (!useful.empty()) out += " useful " + median_text(useful, Quantity::share);
  if (!wait_s.empty()) out += (useful.empty() ? " wait " : ", wait ") + median_text(wait_s, Quantity::seconds);
  return out + "\n";
}

std::string footer(const ReportData& data, const TerminalOptions& options) {
  std::string out;
  if (const auto bounds = bounds_text(data); !bounds.empty()) out += bounds + "\n";
  if (measured(data.bound_demand))
    out += "That of these jobs counts what was submitted before the window and left over, too.\n";
  out += rotation_line(data);
  std::string run = fmt::format("{:.1f} s of wall time", std::max(0.0, measured(data.wall_s).value_or(0)));
  if (measured(data.step_us_p50) && measured(data.step_us_p99))
    run += fmt::format(", engine step {} us (median), {} us (p99)", number_text(data.step_us_p50),
                       number_text(data.step_us_p99));
  if (!data.hash.empty()) run += ", hash " + data.hash;
  return out + painted(run, kFaint, options.colour) + "\n";
}

}  // namespace
}  // namespace report

std::string comparison_table(const ReportData& data, const TerminalOptions& options) {
  const auto groups = report::comparison_groups(data, report::Detail::whole);
  const auto layout = report::layout_of(data, groups);
  std::string out = report::title_lines(data, options);
  if (!groups.empty()) out += report::heading(data, layout, options);
  for (const auto& group : groups) {
    out += report::painted(group.title, report::kBold, options.colour) + "\n";
    for (const auto& row : group.rows) out += report::row_line(row, layout, options);
  }
  return out + "\n" + report::footer(data, options);
}

}  // namespace weir
