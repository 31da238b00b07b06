#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/plot.h"
#include "report/report.h"
#include "report/sample_for_test.h"

namespace weir::report::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What is wrong with the nesting of tags; empty when nothing is.
std::string nesting_error(std::string_view page) {
  const std::set<std::string, std::less<>> void_tags{"meta", "br", "!doctype"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at)) {
    const auto end = page.find('>', at);
    if (end == std::string_view::npos) return "a tag is not closed";
    const auto tag = page.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos) return "'<' inside a tag: " + std::string(tag);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "odd quotes: " + std::string(tag);
    const auto name = std::string(tag.substr(0, tag.find_first_of(" /", 1)));
    at = end + 1;
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1))
        return "<" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!tag.ends_with('/') && !void_tags.contains(name)) {
      open.push_back(name);
      if (name == "style" || name == "script") at = page.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

// The page without its style and script.
std::string text_of(std::string page) {
  for (const std::string name : {"style", "script"}) {
    const auto from = page.find("<" + name + ">");
    const auto to = page.find("</" + name + ">");
    page.erase(from, to - from);
  }
  return page;
}

std::vector<ReportData> reports() {
  ReportData bare;
  ReportData only_weir = sample_report();
  only_weir.policies.erase(only_weir.policies.begin());
  ReportData no_series = sample_report();
  for (auto& policy : no_series.policies) policy.series = {};
  return {sample_report(), hostile_report(), bare, only_weir, no_series};
}

TEST(Page, TagsAreBalanced) {
  for (const auto& data : reports()) EXPECT_EQ(nesting_error(html_report(data)), "");
  EXPECT_NE(nesting_error("<p><b></p></b>"), "");
  EXPECT_NE(nesting_error("<p>"), "");
}

TEST(Page, NothingIsFetched) {
  for (const auto& data : reports()) {
    const auto page = html_report(data);
    for (const auto* forbidden :
         {"http:", "https:", "src=", "href=", "@import", "<link", "<img", "<iframe", "fetch(", "XMLHttp"})
      EXPECT_THAT(page, Not(HasSubstr(forbidden)));
    EXPECT_FALSE(std::regex_search(page, std::regex("url\\([^#]")));
  }
}

TEST(Page, AllTextIsEscaped) {
  auto data = sample_report();
  const std::string evil = "</title></script><script>alert('x')</script>\"&";
  for (auto* text : {&data.scenario, &data.title, &data.hash, &data.version, &data.command}) *text = evil;
  data.notes = {evil};
  for (auto& policy : data.policies) {
    policy.name = evil;
    for (auto* classes : {&policy.by_size, &policy.by_duration, &policy.by_tier})
      for (auto& row : *classes) row.label = evil;
    for (auto& service : policy.services) service.name = evil;
  }
  const auto page = html_report(data);
  EXPECT_THAT(page, Not(HasSubstr("alert('")));
  EXPECT_THAT(page, HasSubstr("alert(&#39;x&#39;)"));
  EXPECT_EQ(nesting_error(page), "");
}

TEST(Page, NoNumberIsPrintedThatIsNone) {
  for (const auto& data : reports()) {
    const auto text = text_of(html_report(data));
    EXPECT_FALSE(std::regex_search(text, std::regex("\\b(nan|inf)\\b"))) << text.substr(0, 400);
  }
}

TEST(Page, EveryChartHasItsTable) {
  const auto page = html_report(sample_report());
  const auto count = [&page](std::string_view what) {
    std::size_t found = 0;
    for (auto at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
    return found;
  };
  const auto charts = count("<figure") + count("class=\"panel\"");
  EXPECT_EQ(charts, 9U);  // use of two policies, waits by three classes, guard, histogram, days, waiting jobs
  EXPECT_EQ(count("<summary>As a table</summary>"), charts);
}

TEST(Page, SaysWhatMattersWithUnits) {
  const auto page = html_report(sample_report());
  const std::string space = "\xC2\xA0";
  EXPECT_THAT(
      page, HasSubstr("The same 8 cards do useful work 62.5" + space + "% of the time instead of 37.5" + space + "%"));
  EXPECT_THAT(page, HasSubstr("3,248" + space + "s against 147,720" + space + "s"));
  EXPECT_THAT(page, HasSubstr("weir simulate --scenario tiny"));
  EXPECT_THAT(page, HasSubstr("00c0ffee00c0ffee"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">day 1, 05:00</th>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Page, FallsAreCountedWhereTheyFell) {
  const auto page = html_report(sample_report());
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">30-60 s</th><td>1</td><td>0</td><td>0</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">10-30 min</th><td>0</td><td>1</td><td>0</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">1 h and more</th><td>0</td><td>0</td><td>1</td>"));
}

TEST(Page, TheWarmUpIsPaleAndItsYieldsAreNotCounted) {
  auto data = sample_report();
  EXPECT_THAT(html_report(data), Not(HasSubstr("class=\"warm-up\"")));
  data.window_start_days = 2;
  const auto page = html_report(data);
  EXPECT_THAT(page, HasSubstr("<rect class=\"warm-up\" width=\"24.00\""));
  EXPECT_THAT(page, HasSubstr("cards, by day of the trace; measured from day 2 on"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">30-60 s</th><td>0</td><td>0</td><td>0</td>"));
}

TEST(Page, ALongGridIsCoarsened) {
  auto data = sample_report();
  data.policies = {sample_policy("weir", 0.5, 10, 20000)};
  const auto time = timeline_of(data);
  EXPECT_EQ(time.slots, 400U);
  EXPECT_DOUBLE_EQ(time.end_days, 1 + 20000.0 / 24);
  EXPECT_LT(html_report(data).size(), 1000000U);
}

TEST(Page, UnmeasuredLayersAreLeftOut) {
  Plot plot{"Title", "", "cards", 0, 100, {}, {{"seen", "ready", {1, 2}}, {"unseen", "need", {}}}};
  const auto drawn = plot_html(plot, {2, 0, 2});
  EXPECT_THAT(drawn, HasSubstr("seen, cards"));
  EXPECT_THAT(drawn, Not(HasSubstr("unseen")));
  EXPECT_THAT(drawn, HasSubstr("d=\"M0,50.0H1V0.0H2\""));
  plot.lines.clear();
  EXPECT_EQ(plot_html(plot, {2, 0, 2}), "");
}

}  // namespace
}  // namespace weir::report::html
