// Expectations of a scenario: checks with their fields, read by the table.
#include <algorithm>
#include <array>
#include <numeric>

#include "model/names.h"
#include "scenario/check.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

template <std::size_t N>
bool read_word(const Value& value, const std::array<std::string_view, N>& words, Arg& arg) {
  const auto index = value.word(words);
  if (index) arg.text = words[*index];
  return index.has_value();
}

constexpr std::array<std::string_view, 17> kStates{
    "waiting", "pending", "queued",    "preempted", "running", "backoff", "held",    "succeeded", "completed",
    "done",    "failed",  "cancelled", "rejected",  "up",      "down",    "drained", "ended"};
constexpr std::array<std::string_view, 6> kCauses{"claim", "rotation", "move", "loan", "limit", "drain"};
constexpr std::array<std::string_view, 5> kClaimEnds{"open", "started", "withdrawn", "superseded", "expired"};
constexpr std::array<std::string_view, 10> kAlarms{
    "guard_unplaceable", "cards_missing", "node_lost",   "card_quarantined", "starved",
    "deadline_missed",   "run_held",      "unknown_run", "stale_need",       "yield_overdue"};

bool read_number(const Value& value, std::optional<std::int64_t> number, Arg& arg) {
  (void)value;
  arg.number = number.value_or(0);
  return number.has_value();
}

bool read_numbers(const Value& value, Arg& arg, std::optional<std::int64_t> (*one)(const Value&)) {
  const auto items = values_of(value);
  for (const Value& item : items) {
    const auto number = one(item);
    if (!number) return false;
    arg.numbers.push_back(*number);
  }
  return true;
}

bool read_window(const Value& value, Arg& arg) {
  if (!value.is_list() || value.node().items.size() != 2) {
    value.expected("two times, [from, until]");
    return false;
  }
  if (!read_numbers(value, arg, [](const Value& v) { return seconds_of(v); })) return false;
  if (arg.numbers[0] > arg.numbers[1]) value.problem("ends before it begins");
  return arg.numbers[0] <= arg.numbers[1];
}

bool read_codes(const Value& value, Arg& arg) {
  const auto items = values_of(value);
  for (const Value& item : items) {
    const auto index = item.word(reason_words());
    if (!index) return false;
    arg.words.emplace_back(reason_words()[*index]);
  }
  return true;
}

bool read_tally(const Value& value, Arg& arg) {
  auto section = value.section();
  if (!section) return false;
  for (const std::string_view word : reason_words())
    if (const auto count = section->get(word)) arg.counts[std::string(word)] = count->whole(kCountRange).value_or(0);
  section->finish();
  return true;
}

bool read_states(const Value& value, Arg& arg) {
  const auto items = values_of(value);
  for (const Value& item : items) {
    Arg one;
    if (!read_word(item, kStates, one)) return false;
    arg.words.push_back(one.text);
  }
  return true;
}

template <class Id>
bool read_name(const Value& value, std::string_view what, const std::map<std::string, Id, std::less<>>& ids, Arg& arg) {
  arg.text = value.text().value_or("");
  return !arg.text.empty() && known_id(value, arg.text, what, ids).has_value();
}

bool read_known(const Value& value, std::string_view what, std::vector<std::string> known, Arg& arg) {
  arg.text = value.text().value_or("");
  if (arg.text.empty()) return false;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (std::binary_search(known.begin(), known.end(), arg.text)) return true;
  value.problem(unknown_message(std::string(what) + " " + quoted_for_message(arg.text), arg.text, known));
  return false;
}

bool read_team_name(const Value& value, const Scenario& s, Arg& arg) {
  std::vector<std::string> known;
  for (const TeamSpec& team : s.settings.teams) known.push_back(team.name);
  for (const JobEntry& job : s.jobs) known.push_back(job.spec.team);
  for (const ServiceEntry& service : s.services) known.push_back(service.spec.team);
  return read_known(value, "team", known, arg);
}

std::vector<std::string> model_names(const Scenario& s) {
  std::vector<std::string> known;
  for (const NodeSpec& node : s.nodes) known.push_back(node.model);
  for (const JobEntry& job : s.jobs) known.insert(known.end(), job.spec.models.begin(), job.spec.models.end());
  return known;
}

bool read_jobs_list(const Value& value, const Scenario& s, Arg& arg) {
  const auto names = names_of(value);
  if (!names) return false;
  arg.words = *names;
  return std::all_of(arg.words.begin(), arg.words.end(),
                     [&](const std::string& name) { return known_id(value, name, "job", s.job_ids).has_value(); });
}

bool read_many(const Value& value, std::string_view what, const std::vector<std::string>& known, Arg& arg) {
  const auto names = names_of(value);
  if (!names) return false;
  for (const std::string& name : *names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      value.problem(unknown_message(std::string(what) + " " + quoted_for_message(name), name, known));
      return false;
    }
    arg.words.push_back(name);
  }
  return true;
}

std::vector<std::string> node_names(const Scenario& s) {
  std::vector<std::string> known;
  for (const NodeSpec& node : s.nodes) known.push_back(node.name);
  return known;
}

bool read_tier_name(const Value& value, const Scenario& s, Arg& arg) {
  arg.text = value.text().value_or("");
  std::vector<std::string> known{"deadline", "inference"};
  for (const TierSpec& tier : s.settings.tiers) {
    known.push_back(tier.name);
    known.push_back(std::to_string(tier.weight));
  }
  return read_known(value, "tier", known, arg);
}

bool read_arg(const Value& value, Want want, const Scenario& s, Arg& arg) {
  switch (want) {
    case Want::job:
      return read_name(value, "job", s.job_ids, arg);
    case Want::job_or_all:
      if (value.is_word("all")) {
        arg.text = "all";
        return true;
      }
      return read_name(value, "job", s.job_ids, arg);
    case Want::jobs:
      return read_jobs_list(value, s, arg);
    case Want::service:
      return read_name(value, "service", s.service_ids, arg);
    case Want::node:
      return read_name(value, "node", s.node_ids, arg);
    case Want::nodes:
      return read_many(value, "node", node_names(s), arg);
    case Want::team:
      return read_team_name(value, s, arg);
    case Want::model:
      return read_known(value, "model", model_names(s), arg);
    case Want::models:
      return read_many(value, "model", model_names(s), arg);
    case Want::seconds:
      return read_number(value, seconds_of(value), arg);
    case Want::window:
      return read_window(value, arg);
    case Want::seconds_list:
      return read_numbers(value, arg, [](const Value& v) { return seconds_of(v); });
    case Want::count:
      return read_number(value, value.whole(kCountRange), arg);
    case Want::counts:
      return read_numbers(value, arg, [](const Value& v) { return v.whole(kCountRange); });
    case Want::gpus:
      return read_number(value, value.milli({0, kCardsMax * kMilliPerCard}), arg);
    case Want::gpus_list:
      return read_numbers(value, arg, [](const Value& v) { return v.milli({0, kCardsMax * kMilliPerCard}); });
    case Want::flag: {
      const auto flag = value.yes_no();
      arg.number = flag.value_or(false) ? 1 : 0;
      return flag.has_value();
    }
    case Want::codes:
      return read_codes(value, arg);
    case Want::state:
      return read_word(value, kStates, arg);
    case Want::states:
      return read_states(value, arg);
    case Want::cause:
      return read_word(value, kCauses, arg);
    case Want::claim_end:
      return read_word(value, kClaimEnds, arg);
    case Want::alarm:
      return read_word(value, kAlarms, arg);
    case Want::tier:
      return read_tier_name(value, s, arg);
    case Want::text: {
      const auto text = value.text();
      arg.text = text.value_or("");
      return text.has_value();
    }
    case Want::tally:
      return read_tally(value, arg);
  }
  return false;
}

void read_fields(const CheckDef& def, const Value& value, const Scenario& s, Expectation& e) {
  auto section = value.section();
  if (!section) return;
  for (const FieldDef& field : def.fields) {
    const auto given = field.required ? section->require(field.name) : section->get(field.name);
    if (!given) continue;
    Arg arg;
    if (read_arg(*given, field.want, s, arg)) e.args[std::string(field.name)] = std::move(arg);
  }
  section->allow("note");
  section->finish();
}

std::vector<Expectation> read_list(const Value& value, const Scenario& s);

void read_check(const std::string& name, const Value& value, const Scenario& s, Expectation& e) {
  if (name == "check") {
    e.prose = value.text().value_or("");
    return;
  }
  e.check = name;
  if (name == "any_of" || name == "all_of") {
    e.parts = read_list(value, s);
    if (e.parts.empty()) value.problem("holds no check");
    return;
  }
  const CheckDef* def = find_check(name);
  if (def != nullptr) return read_fields(*def, value, s, e);
  std::vector<std::string> known{"check", "any_of", "all_of"};
  for (const CheckDef& check : check_table()) known.emplace_back(check.name);
  value.problems().add({e.line, 1}, value.path(), unknown_message("check " + quoted_for_message(name), name, known));
}

std::vector<Expectation> read_list(const Value& value, const Scenario& s) {
  std::vector<Expectation> list;
  const auto items = value.items();
  if (!items) return list;
  for (const Value& item : *items) {
    auto section = item.section();
    if (!section) continue;
    std::size_t index = 0;
    for (const auto& [name, fields] : section->all()) {
      Expectation e;
      e.line = item.node().entries[index++].at.line;
      if (name == "note") continue;
      read_check(name, fields, s, e);
      list.push_back(std::move(e));
    }
  }
  return list;
}

}  // namespace

void read_expectations(Section& file, Scenario& s) {
  if (const auto expect = file.get("expect")) s.expect = read_list(*expect, s);
}

}  // namespace weir::scenario
