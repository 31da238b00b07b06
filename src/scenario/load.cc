#include <algorithm>
#include <charconv>

#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

constexpr std::int64_t kRepeatMax = 10'000;
constexpr DurationMs kTail = 60 * kSecond;  // after the last thing that is named, when `until` is not given

template <class Id>
Id find_id(const std::map<std::string, Id, std::less<>>& ids, std::string_view name) {
  const auto found = ids.find(name);
  return found == ids.end() ? Id() : found->second;
}

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

TimeMs latest_named(const std::vector<Expectation>& expectations) {
  TimeMs latest = 0;
  for (const Expectation& e : expectations) {
    for (const auto& [name, arg] : e.args) {
      const bool instant = name == "by" || name == "t" || name == "at" || name == "until" || name == "from";
      if (instant) latest = std::max(latest, arg.number);
      if (name == "during" && arg.numbers.size() == 2) latest = std::max(latest, arg.numbers[1]);
    }
    latest = std::max(latest, latest_named(e.parts));
  }
  return latest;
}

// The end of a scenario that does not name one: all that it mentions, and a little more.
TimeMs natural_end(const Scenario& s) {
  TimeMs latest = latest_named(s.expect);
  for (const JobEntry& job : s.jobs) latest = std::max(latest, job.spec.submitted_ms + job.truth.run_ms);
  for (const Happening& event : s.events) latest = std::max(latest, event.at_ms);
  for (const PhaseRun& phase : s.phases) latest = std::max(latest, phase.empty_ms);
  return latest + kTail;
}

void read_top(Section& file, Scenario& s) {
  s.id = file.text("id", s.file);
  s.repeat = static_cast<std::int32_t>(file.whole("repeat", 1, {1, kRepeatMax}));
  const auto scenario_value = file.require("scenario");
  auto top = scenario_value ? scenario_value->section() : std::nullopt;
  if (!top) {
    file.allow("expect");
    return;
  }
  read_pool(*top, s);
  read_tiers(*top, s);
  read_teams(*top, s);
  read_profiles(*top, s);
  read_settings(*top, s);
  read_services(*top, s);
  read_jobs(*top, s);
  read_prose(*top, s);
  finish_tiers(s);
  read_requests(*top, s);
  read_events(*top, s);
  const std::optional<Value> until = top->get("until");
  top->allow("note");
  top->finish();
  read_expectations(file, s);
  s.until_ms = until ? seconds_of(*until).value_or(0) : natural_end(s);
}

}  // namespace

JobId Scenario::job(std::string_view name) const { return find_id(job_ids, name); }
NodeId Scenario::node(std::string_view name) const { return find_id(node_ids, name); }
ServiceId Scenario::service(std::string_view name) const { return find_id(service_ids, name); }

std::optional<std::vector<std::string>> expand_range(std::string_view text, std::size_t limit, std::string& problem) {
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos) return std::vector{std::string(text)};
  const std::size_t close = text.find('}', open);
  const std::size_t dots = text.find("..", open);
  if (close == std::string_view::npos || dots == std::string_view::npos || dots > close) {
    problem = "expects a range such as x{1..9}";
    return std::nullopt;
  }
  const auto first = digits(text.substr(open + 1, dots - open - 1));
  const auto last = digits(text.substr(dots + 2, close - dots - 2));
  if (!first || !last || *last < *first || static_cast<std::uint64_t>(*last - *first) >= limit) {
    problem = "expects a range such as x{1..9}, upwards and of at most " + std::to_string(limit) + " names";
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (std::int64_t i = *first; i <= *last; ++i)
    names.push_back(std::string(text.substr(0, open)) + std::to_string(i) + std::string(text.substr(close + 1)));
  return names;
}

std::optional<TimeMs> seconds_of(const Value& value) { return value.duration(kSecond, kTimeRange); }

std::optional<std::vector<std::string>> names_of(const Value& value) {
  const auto texts = value.texts();
  if (!texts) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& text : *texts) {
    std::string problem;
    const auto some = expand_range(text, kJobsMax, problem);
    if (!some) {
      value.problem(problem);
      return std::nullopt;
    }
    names.insert(names.end(), some->begin(), some->end());
  }
  return names;
}

std::vector<Value> values_of(const Value& value) {
  if (!value.is_list()) return {value};
  return value.items().value_or(std::vector<Value>{});
}

std::optional<std::uint64_t> card_mask_of(const Value& value) {
  const auto bit = [](const Value& v) -> std::optional<std::uint64_t> {
    const auto index = v.whole({0, kCardsPerNodeMax - 1});
    if (!index) return std::nullopt;
    return std::uint64_t{1} << *index;
  };
  if (!value.is_list()) return bit(value);
  std::uint64_t mask = 0;
  for (const Value& item : values_of(value)) {
    const auto one = bit(item);
    if (!one) return std::nullopt;
    mask |= *one;
  }
  return mask;
}

ResultAll<Scenario> load(std::string_view text, const std::string& file) {
  Problems problems(file);
  Scenario scenario;
  scenario.file = file;
  if (const auto root = read_yaml(text, problems)) {
    if (auto top = Value(*root, "", problems).section()) {
      read_top(*top, scenario);
      top->allow("note");
      top->finish();
    }
  }
  if (!problems.empty()) return std::unexpected(problems.take());
  return scenario;
}

ResultAll<Scenario> load_file(const std::string& path) {
  const auto text = read_bounded_file(path);
  if (!text) return std::unexpected(std::vector{text.error()});
  return load(*text, path);
}

}  // namespace weir::scenario
