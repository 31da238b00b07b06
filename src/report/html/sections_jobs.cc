// What jobs met: waits, preemptions, and the shifted runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "report/format.h"
#include "report/html/bars.h"
#include "report/html/markup.h"
#include "report/html/plot.h"
#include "report/html/sections.h"
#include "report/rows.h"
#include "report/series.h"
#include "text/text.h"

namespace weir::report::html {
namespace {

constexpr std::size_t kMostDays = 400;  // of the plot of preemptions by day

std::string class_title(Classes classes, const ReportData& data, const std::string& label) {
  std::int64_t jobs = 0;
  for (const auto& policy : data.policies)
    if (const auto* found = class_of(policy, classes, label)) jobs = std::max(jobs, found->jobs);
  auto name = label;
  if (classes == &ReportPolicy::by_size) name = size_text(label);
  if (classes == &ReportPolicy::by_tier) name = "tier " + label;
  return fmt::format("{} ({})", name, counted_text(jobs, "job"));
}

std::string waits_table(const ReportData& data, Classes classes) {
  std::string out =
      "<details><summary>As a table</summary><div class=\"scroll\"><table class=\"numbers\"><thead><tr><th "
      "scope=\"col\">jobs</th>"
      "<th scope=\"col\">policy</th><th scope=\"col\">wait mean</th><th scope=\"col\">median</th><th "
      "scope=\"col\">p95</th>"
      "<th scope=\"col\">p99</th><th scope=\"col\">queueing mean</th><th scope=\"col\">completion mean</th>"
      "<th scope=\"col\">worse off</th></tr></thead><tbody>";
  for (const auto& label : labels_of(data, classes))
    for (const auto& policy : data.policies) {
      const auto* found = class_of(policy, classes, label);
      if (found == nullptr || found->jobs == 0) continue;
      out += "<tr>" + fmt::format("<th scope=\"row\">{}</th>", escaped(class_title(classes, data, label))) +
             element("td", "", policy.name);
      for (const auto& value : {found->wait_mean_s, found->wait_median_s, found->wait_p95_s, found->wait_p99_s,
                                found->queueing_mean_s, found->jct_mean_s})
        out += element("td", "", seconds_text(value));
      out += element("td", "", share_text(found->worse_off_share)) + "</tr>";
    }
  return out + "</tbody></table></div></details>";
}

std::string waits_panel(const ReportData& data, const std::string& title, Classes classes) {
  std::vector<BarGroup> groups;
  for (const auto& label : labels_of(data, classes)) {
    BarGroup group{class_title(classes, data, label), {}};
    for (std::size_t i = 0; i < data.policies.size(); ++i) {
      const auto* found = class_of(data.policies[i], classes, label);
      if (found == nullptr || found->jobs == 0 || !measured(found->wait_mean_s)) continue;
      group.bars.push_back(
          {data.policies[i].name, policy_css(data, i), *measured(found->wait_mean_s), words_text(found->wait_mean_s)});
    }
    if (!group.bars.empty()) groups.push_back(std::move(group));
  }
  if (groups.empty()) return {};
  return "<div class=\"panel\">" + element("h3", "", title) + bars_html(groups) + waits_table(data, classes) + "</div>";
}

struct Bin {
  double below_s;
  const char* label;
};
constexpr std::array kBins{Bin{30, "under 30 s"},  Bin{60, "30-60 s"},           Bin{120, "1-2 min"},
                           Bin{300, "2-5 min"},    Bin{600, "5-10 min"},         Bin{1800, "10-30 min"},
                           Bin{3600, "30-60 min"}, Bin{INFINITY, "1 h and more"}};

// For inference, for training, off a boundary.
using Kinds = std::array<std::int64_t, 3>;
constexpr std::array<const char*, 3> kKindCss{"inference", "training", "off-boundary"};
constexpr std::array<const char*, 3> kKindName{"for inference", "for training", "not at a boundary"};

std::size_t kind_of(const ReportFall& fall) { return !fall.at_boundary ? 2 : fall.for_inference ? 0 : 1; }

// Counts what was asked inside the measured window, as every other figure does.
std::array<Kinds, kBins.size()> histogram_of(const ReportData& data, const std::vector<ReportFall>& falls) {
  std::array<Kinds, kBins.size()> bins{};
  for (const auto& fall : falls) {
    if (static_cast<double>(fall.at_ms) / static_cast<double>(kDay) < data.window_start_days) continue;
    const double after_s = measured(fall.free_after_s).value_or(0);
    std::size_t bin = 0;
    while (bin + 1 < kBins.size() && after_s >= kBins[bin].below_s) ++bin;
    ++bins[bin][kind_of(fall)];
  }
  return bins;
}

std::string fall_legend() {
  std::string out = "<ul class=\"legend\">";
  for (std::size_t kind = 0; kind < kKindCss.size(); ++kind)
    out += fmt::format("<li><i class=\"key {}\"></i>{}</li>", kKindCss[kind], kKindName[kind]);
  return out + "</ul>";
}

std::string histogram_html(const ReportData& data, const std::vector<ReportFall>& falls) {
  const auto bins = histogram_of(data, falls);
  std::vector<Column> columns;
  std::string rows;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    Column column{kBins[bin].label, {}};
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(kBins[bin].label));
    for (std::size_t kind = 0; kind < kKindCss.size(); ++kind) {
      column.segments.push_back({kKindCss[kind], bins[bin][kind]});
      rows += element("td", "", count_text(bins[bin][kind]));
    }
    rows += "</tr>";
    columns.push_back(std::move(column));
  }
  std::string head = "<th scope=\"col\">request to free cards</th>";
  for (const auto* name : kKindName) head += fmt::format("<th scope=\"col\">{}, yields</th>", name);
  return "<figure><figcaption>From the request to the free cards</figcaption>" + fall_legend() +
         columns_html(columns,
                      "Number of yields by time from the request to the free cards; the table below has the numbers") +
         "<details><summary>As a table</summary><div class=\"scroll\"><table class=\"numbers\"><thead><tr>" + head +
         "</tr></thead><tbody>" + rows + "</tbody></table></div></details></figure>";
}

std::string falls_by_day(const ReportData& data, const std::vector<ReportFall>& falls) {
  const auto time = timeline_of(data);
  const auto first = time.slots > 0 ? std::floor(time.start_days) : std::floor(data.window_start_days);
  const auto last = time.slots > 0 ? std::ceil(time.end_days) : std::ceil(data.window_end_days);
  if (!(last > first) || last - first > static_cast<double>(kMostDays)) return {};
  const Timeline days{static_cast<std::size_t>(last - first), first, last,
                      measured(data.window_start_days).value_or(0)};
  std::array<std::vector<double>, 3> counts;
  counts.fill(std::vector<double>(days.slots, 0.0));
  for (const auto& fall : falls) {
    const double day = std::floor(static_cast<double>(fall.at_ms) / static_cast<double>(kDay)) - first;
    if (day >= 0 && day < static_cast<double>(days.slots)) ++counts[kind_of(fall)][static_cast<std::size_t>(day)];
  }
  Plot plot{"Yields by day", "", "yields a day", 0, 130, {}, {}};
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    plot.bands.push_back({kKindName[kind], kKindCss[kind], counts[kind]});
  return plot_html(plot, days);
}

std::string preemption_facts(const ReportPreemption& preemption) {
  const auto leaves = total_leaves(preemption);
  std::string out = "<dl class=\"facts tiles\">";
  const auto add = [&out](const std::string& name, const std::string& value) {
    out += "<div>" + element("dt", "", name) + element("dd", "", value) + "</div>";
  };
  add("Requests for inference", count_text(preemption.requests));
  if (measured(preemption.success_120s)) add("All cards free within 120 s", share_text(preemption.success_120s));
  if (measured(preemption.success_300s)) add("All cards free within 300 s", share_text(preemption.success_300s));
  add("Left at a boundary", fmt::format("{} of {}", count_text(preemption.at_boundary), count_text(leaves)));
  add("Yields that lost steps", count_text(preemption.lost_steps));
  for (const auto& [cause, count] : preemption.yields)
    add("Cause: " + label(cause, Language::english), count_text(count));
  return out + "</dl>";
}

}  // namespace

std::string waits_section(const ReportData& data) {
  const auto body = waits_panel(data, "By tier", &ReportPolicy::by_tier) +
                    waits_panel(data, "By size", &ReportPolicy::by_size) +
                    waits_panel(data, "By run time", &ReportPolicy::by_duration);
  return section("waits", "Who waited, and how long",
                 "Mean wait from submission to first start. The bars of one panel share a scale; the tables have the "
                 "tails, later waits and who ends later than before.",
                 body.empty() ? body : "<div class=\"panels\">" + body + "</div>");
}

std::string preemption_section(const ReportData& data) {
  std::string body;
  for (const auto& policy : data.policies) {
    if (policy.preemption.requests == 0 && total_leaves(policy.preemption) == 0) continue;
    body += element("h3", "", policy.name) + preemption_facts(policy.preemption);
    if (!policy.preemption.falls.empty())
      body += histogram_html(data, policy.preemption.falls) + falls_by_day(data, policy.preemption.falls);
  }
  return section("preemption", "Preemptions, and where they fell",
                 "A run that yields stops at the boundary of a checkpoint: the work up to it is kept, and its cards "
                 "are free once it is saved.",
                 body);
}

std::string rotations_section(const ReportData& data) {
  if (data.rotations.empty()) return {};
  std::string body =
      "<div class=\"scroll\"><table class=\"numbers\"><thead><tr><th scope=\"col\">shift</th><th "
      "scope=\"col\">useful</th>"
      "<th scope=\"col\">mean wait</th></tr></thead><tbody>";
  for (const auto& rotation : data.rotations)
    body +=
        fmt::format("<tr><th scope=\"row\">{} days</th><td>{}</td><td>{}</td></tr>", number_text(rotation.shift_days),
                    escaped(share_text(rotation.useful_share)), seconds_text(rotation.wait_mean_s));
  body += "</tbody></table></div>";
  return section(
      "rotations", "The same jobs, shifted round the trace",
      "Submissions and deadlines are shifted, the load is not: what does not depend on one lucky hour stays.", body);
}

}  // namespace weir::report::html
