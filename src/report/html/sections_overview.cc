// Headline, figures, the table of policies, how to run it again.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "report/format.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/rows.h"
#include "text/text.h"

namespace weir::report::html {
namespace {

using Value = std::optional<double>;

struct Figure {
  std::string title;
  std::string value;
  std::vector<std::string> lines;
  Value share;  // a meter below, 0..1
  Value mark;   // of the baseline on the meter
  Value bound;
};

const ReportPolicy* policy_at(const ReportData& data, int index) {
  return index < 0 ? nullptr : &data.policies[static_cast<std::size_t>(index)];
}

std::string figure_html(const Figure& figure) {
  std::string out = "<div class=\"card\">" + element("h3", "", figure.title) + element("p", "big", figure.value);
  if (figure.share) {
    out += "<div class=\"meter\" aria-hidden=\"true\">";
    if (figure.bound) out += fmt::format("<i class=\"bound\" style=\"width:{}\"></i>", percent(*figure.bound));
    out += fmt::format("<i class=\"value\" style=\"width:{}\"></i>", percent(*figure.share));
    if (figure.mark) out += fmt::format("<i class=\"mark\" style=\"left:{}\"></i>", percent(*figure.mark));
    out += "</div>";
  }
  for (const auto& line : figure.lines) out += element("p", "", line);
  return out + "</div>";
}

Figure useful_figure(const ReportData& data, const ReportPolicy& subject, const ReportPolicy* baseline) {
  Figure figure{"Useful share of the cards", share_text(subject.useful_share), {}, measured(subject.useful_share), {},
                measured(data.bound_demand)};
  if (baseline != nullptr && measured(baseline->useful_share)) {
    figure.mark = measured(baseline->useful_share);
    figure.lines.push_back(
        fmt::format("{}: {} (the mark)", baseline->name, unbroken(share_text(baseline->useful_share))));
  }
  if (figure.bound)
    figure.lines.push_back(
        fmt::format("possible with these jobs: {} (the faint bar)", unbroken(share_text(figure.bound))));
  return figure;
}

Figure wait_figure(const std::string& title, Value subject, Value baseline, const ReportPolicy* policy) {
  Figure figure{title, words_text(subject), {}, {}, {}, {}};
  if (policy != nullptr && measured(baseline)) {
    figure.lines.push_back(fmt::format("{}: {}", policy->name, unbroken(words_text(baseline))));
    if (*measured(baseline) > 0 && measured(subject) && *measured(subject) > 0)
      figure.lines.push_back(
          fmt::format("{} against {}", unbroken(seconds_text(subject)), unbroken(seconds_text(baseline))));
  }
  return figure;
}

Value wait_of_size(const ReportPolicy* policy, const std::string& label) {
  const auto* found = policy == nullptr ? nullptr : class_of(*policy, &ReportPolicy::by_size, label);
  return found != nullptr && found->jobs > 0 ? measured(found->wait_mean_s) : Value{};
}

void add_promises(const ReportPolicy& subject, const ReportPolicy* baseline, std::vector<Figure>& figures) {
  const auto& preemption = subject.preemption;
  if (measured(preemption.success_300s)) {
    figures.push_back(
        {"Cards back within 300 s",
         share_text(preemption.success_300s),
         {fmt::format("of {} requests for inference", count_text(preemption.requests)),
          preemption.lost_steps == 0 ? "no step of training lost"
                                     : fmt::format("{} yields lost steps", count_text(preemption.lost_steps))},
         measured(preemption.success_300s),
         {},
         {}});
  }
  if (measured(subject.unmet_share)) {
    figures.push_back(
        {"Inference load not served", share_text(subject.unmet_share), {"of all inference work"}, {}, {}, {}});
    if (baseline != nullptr && measured(baseline->unmet_share))
      figures.back().lines.push_back(fmt::format("{}: {}", baseline->name, share_text(baseline->unmet_share)));
  }
  if (measured(subject.deadlines_met_share)) {
    figures.push_back(
        {"Deadlines met", share_text(subject.deadlines_met_share), {}, measured(subject.deadlines_met_share), {}, {}});
    if (baseline != nullptr && measured(baseline->deadlines_met_share)) {
      figures.back().mark = measured(baseline->deadlines_met_share);
      figures.back().lines.push_back(
          fmt::format("{}: {} (the mark)", baseline->name, unbroken(share_text(baseline->deadlines_met_share))));
    }
  }
}

std::string row_html(const ComparisonRow& row, bool any_bound) {
  const auto best = best_of(row);
  std::string out = "<tr><th scope=\"row\">" + escaped(row.label) + "</th>";
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const auto text = quantity_text(row.values[i], row.kind);
    const bool timed = row.kind == Quantity::seconds && row.values[i];
    const auto words = timed ? element("span", "words", words_text(row.values[i])) : "";
    out += fmt::format("<td{}>{}{}</td>", best[i] ? " class=\"best\"" : "", words,
                       element("span", timed ? "exact" : "", text));
  }
  if (any_bound)
    out += fmt::format("<td class=\"limit\">{}</td>", row.bound ? escaped(quantity_text(row.bound, row.kind)) : "");
  return out + "</tr>";
}

std::string meaning_of(const std::vector<ComparisonGroup>& groups) {
  std::string out = "<details><summary>What the rows mean</summary><dl class=\"meaning\">";
  std::string last;
  for (const auto& group : groups)
    for (const auto& row : group.rows) {
      if (row.help == last) continue;
      last = row.help;
      out += element("dt", "", group.title + ": " + row.label) + element("dd", "", row.help);
    }
  return out + "</dl></details>";
}

void add_fact(std::string& out, const std::string& name, const std::string& value) {
  if (!value.empty()) out += "<div>" + element("dt", "", name) + element("dd", "", value) + "</div>";
}

}  // namespace

std::string section(const std::string& id, const std::string& title, const std::string& about,
                    const std::string& body) {
  if (body.empty()) return {};
  std::string out = fmt::format("<section id=\"{}\">", escaped(id)) + element("h2", "", title);
  if (!about.empty()) out += element("p", "about", about);
  return out + body + "</section>\n";
}

std::string policy_css(const ReportData& data, std::size_t policy) {
  if (static_cast<int>(policy) == subject_of(data)) return "subject";
  return static_cast<int>(policy) == baseline_of(data) ? "baseline" : "other";
}

std::string headline(const ReportData& data) {
  const auto* subject = policy_at(data, subject_of(data));
  const auto* baseline = policy_at(data, baseline_of(data));
  if (subject == nullptr || !measured(subject->useful_share)) return {};
  const auto cards = data.pool_cards > 0 ? number_text(data.pool_cards) + " cards" : std::string("cards");
  if (baseline == nullptr || !measured(baseline->useful_share))
    return fmt::format("The {} do useful work {} of the time.", cards, share_text(subject->useful_share));
  std::string out =
      fmt::format("The same {} do useful work {} of the time instead of {}", cards,
                  unbroken(share_text(subject->useful_share)), unbroken(share_text(baseline->useful_share)));
  if (measured(subject->all.wait_mean_s) && measured(baseline->all.wait_mean_s))
    out += fmt::format(", and a job waits {} for its start instead of {}",
                       unbroken(words_text(subject->all.wait_mean_s)), unbroken(words_text(baseline->all.wait_mean_s)));
  return out + fmt::format(" ({} against {}).", subject->name, baseline->name);
}

std::string cards_section(const ReportData& data) {
  const auto* subject = policy_at(data, subject_of(data));
  if (subject == nullptr) return {};
  const auto* baseline = policy_at(data, baseline_of(data));
  std::vector<Figure> figures;
  if (measured(subject->useful_share)) figures.push_back(useful_figure(data, *subject, baseline));
  if (measured(subject->all.wait_mean_s))
    figures.push_back(wait_figure("Mean wait to the first start", subject->all.wait_mean_s,
                                  baseline != nullptr ? baseline->all.wait_mean_s : Value{}, baseline));
  if (wait_of_size(subject, "8"))
    figures.push_back(
        wait_figure("Mean wait of 8-card jobs", wait_of_size(subject, "8"), wait_of_size(baseline, "8"), baseline));
  add_promises(*subject, baseline, figures);
  if (figures.empty()) return {};
  std::string out =
      fmt::format("<section class=\"cards\" aria-label=\"{}\">", escaped("Key figures of " + subject->name));
  for (const auto& figure : figures) out += figure_html(figure);
  return out + "</section>\n";
}

std::string policies_section(const ReportData& data) {
  const auto groups = comparison_groups(data, Detail::overall);
  if (groups.empty()) return {};
  bool any_bound = false;
  for (const auto& group : groups)
    for (const auto& row : group.rows) any_bound = any_bound || row.bound.has_value();
  const auto columns = data.policies.size() + (any_bound ? 2 : 1);
  std::string body = "<div class=\"scroll wide\"><table class=\"comparison\"><thead><tr><th></th>";
  for (const auto& policy : data.policies) body += fmt::format("<th scope=\"col\">{}</th>", escaped(policy.name));
  if (any_bound) body += "<th scope=\"col\">bound</th>";
  body += "</tr></thead>";
  for (const auto& group : groups) {
    body += fmt::format("<tbody><tr class=\"title\"><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>", columns,
                        escaped(group.title));
    for (const auto& row : group.rows) body += row_html(row, any_bound);
    body += "</tbody>";
  }
  body += "</table></div>" + meaning_of(groups);
  std::string about = data.policies.size() > 1 ? "The best value of a row is bold." : "";
  if (const auto bounds = bounds_text(data); !bounds.empty()) about += (about.empty() ? "" : " ") + bounds;
  return section("policies", "The policies side by side", about, body);
}

std::string reproduce_section(const ReportData& data) {
  std::string body;
  if (!data.command.empty()) body += "<pre><code>" + escaped(data.command) + "</code></pre>";
  std::string facts;
  add_fact(facts, "Hash of all decisions", data.hash);
  add_fact(facts, "Weir", data.version);
  if (measured(data.wall_s))
    add_fact(facts, "Wall time", fmt::format("{:.1f} s for the whole simulation", *measured(data.wall_s)));
  if (measured(data.step_us_p50) && measured(data.step_us_p99))
    add_fact(facts, "Engine step",
             fmt::format("{} µs (median), {} µs (p99)", number_text(data.step_us_p50), number_text(data.step_us_p99)));
  body += "<dl class=\"facts\">" + facts + "</dl>";
  if (!data.notes.empty()) {
    body += "<ul class=\"notes\">";
    for (const auto& note : data.notes) body += element("li", "", note);
    body += "</ul>";
  }
  return section("reproduce", "Run it again", "The same command gives the same decisions, and so the same hash.", body);
}

}  // namespace weir::report::html
