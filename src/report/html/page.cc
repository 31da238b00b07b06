#include <fmt/format.h>

#include <string>

#include "report/format.h"
#include "report/html/assets.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/report.h"

namespace weir {
namespace report::html {
namespace {

std::string facts_line(const ReportData& data) {
  std::string out;
  const auto add = [&out](const std::string& fact) { out += (out.empty() ? "" : " · ") + fact; };
  if (data.pool_cards > 0) add(quantity_text(data.pool_cards, Quantity::cards));
  if (data.nodes > 0) add(counted_text(data.nodes, "node"));
  if (data.jobs > 0) add(counted_text(data.jobs, "job"));
  if (data.window_end_days > data.window_start_days)
    add(fmt::format("measured from day {} to day {}", number_text(data.window_start_days),
                    number_text(data.window_end_days)));
  return out;
}

std::string header(const ReportData& data) {
  std::string out = "<header>" + element("p", "eyebrow", "Weir simulation report") + element("h1", "", data.scenario);
  if (!data.title.empty()) out += element("p", "title", data.title);
  if (const auto facts = facts_line(data); !facts.empty()) out += element("p", "about", facts);
  if (const auto sentence = headline(data); !sentence.empty()) out += element("p", "headline", sentence);
  return out + "</header>\n";
}

}  // namespace
}  // namespace report::html

std::string html_report(const ReportData& data) {
  using namespace report::html;  // NOLINT(google-build-using-namespace): the page is made of its parts
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  out += element("title", "", data.scenario + " - Weir simulation report");
  out += fmt::format("\n<style>{}</style>\n</head>\n<body>\n{}\n<main>\n", kStyle, kPatterns);
  out += header(data) + cards_section(data) + policies_section(data) + use_section(data) + waits_section(data) +
         inference_section(data) + preemption_section(data) + queue_section(data) + rotations_section(data) +
         reproduce_section(data);
  return out + fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace weir
