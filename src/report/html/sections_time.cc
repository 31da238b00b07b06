// What happened over time: use, inference, queue, fragmentation.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "report/format.h"
#include "report/html/markup.h"
#include "report/html/plot.h"
#include "report/html/sections.h"
#include "report/rows.h"
#include "report/series.h"

namespace weir::report::html {
namespace {

// One line per policy of one series.
std::vector<Layer> lines_of(const ReportData& data, std::vector<double> ReportSeries::* series) {
  std::vector<Layer> lines;
  for (std::size_t i = 0; i < data.policies.size(); ++i)
    lines.push_back({data.policies[i].name, policy_css(data, i), data.policies[i].series.*series});
  return lines;
}

std::string services_table(const ReportData& data) {
  std::vector<std::string> names;
  for (const auto& policy : data.policies)
    for (const auto& service : policy.services)
      if (std::find(names.begin(), names.end(), service.name) == names.end()) names.push_back(service.name);
  if (names.empty()) return {};
  const auto find = [](const ReportPolicy& policy, const std::string& name) -> const ReportService* {
    for (const auto& service : policy.services)
      if (service.name == name) return &service;
    return nullptr;
  };
  std::string out =
      "<h3>Load not served, by service</h3><div class=\"scroll\"><table class=\"numbers\"><thead><tr><th "
      "scope=\"col\">service</th>"
      "<th scope=\"col\">mean load, cards</th>";
  for (const auto& policy : data.policies) out += element("th", "", policy.name);
  out += "</tr></thead><tbody>";
  for (const auto& name : names) {
    std::optional<double> demand;
    std::string cells;
    for (const auto& policy : data.policies) {
      const auto* service = find(policy, name);
      if (service != nullptr && !demand) demand = service->demand_mean_cards;
      cells += element("td", "", service != nullptr ? share_text(service->unmet_share) : "-");
    }
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>{}</tr>", escaped(name), number_text(demand), cells);
  }
  return out + "</tbody></table></div>";
}

}  // namespace

std::string use_section(const ReportData& data) {
  const auto time = timeline_of(data);
  std::string body;
  for (const auto& policy : data.policies) {
    Plot plot;
    plot.title = policy.name;
    if (measured(policy.useful_share)) plot.title += fmt::format(": {} useful", share_text(policy.useful_share));
    plot.unit = "cards";
    plot.top = data.pool_cards;
    plot.height_px = 128;
    plot.legend = body.empty();
    const auto& s = policy.series;
    plot.bands = {{"training", "training", s.training_useful},
                  {"inference", "inference", s.inference_served},
                  {"held for inference", "inference-held", s.inference_held},
                  {"saving, restoring", "training-overhead", s.training_overhead},
                  {"free", "free", s.idle}};
    body += plot_html(plot, time);
  }
  return section(
      "use", "How the cards were used",
      "Solid is useful, striped is held without being useful: replicas that wait for load, and saving or restoring.",
      body);
}

std::string inference_section(const ReportData& data) {
  const auto time = timeline_of(data);
  std::string body;
  for (std::size_t i = 0; i < data.policies.size(); ++i) {
    if (static_cast<int>(i) != subject_of(data)) continue;
    const auto& s = data.policies[i].series;
    Plot plot;
    plot.title = (s.guard.empty() ? "Load and replicas under " : "Guard and load under ") + data.policies[i].name;
    plot.unit = "cards";
    plot.height_px = 180;
    plot.bands = {{"load", "inference", s.demand}};
    plot.lines = {
        {"ready replicas", "ready", s.ready}, {"replicas aimed at", "need", s.need}, {"guard", "guard", s.guard}};
    body = plot_html(plot, time);
  }
  body += services_table(data);
  return section(
      "inference", "Inference: what it needed, what it had",
      "Load is in cards that a perfectly busy service would need. Ready replicas should stay above it; the guard "
      "is what inference has at all times.",
      body);
}

std::string queue_section(const ReportData& data) {
  const auto time = timeline_of(data);
  Plot jobs{"Waiting jobs", "", "jobs", 0, 150, {}, lines_of(data, &ReportSeries::queue_jobs)};
  Plot cards{"Cards that waiting jobs ask for", "", "cards", 0, 150, {}, lines_of(data, &ReportSeries::queue_cards)};
  Plot unusable{"Free cards that fit nobody",
                "Free, but scattered so that the shapes lately asked for do not fit.",
                "cards",
                0,
                130,
                {},
                lines_of(data, &ReportSeries::unusable)};
  return section("queue", "The queue, and cards that fit nobody", "",
                 plot_html(jobs, time) + plot_html(cards, time) + plot_html(unusable, time));
}

}  // namespace weir::report::html
