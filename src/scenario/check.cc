#include "scenario/check.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/names.h"

namespace weir::scenario {

namespace {

// The words of scenarios for the engine's reasons; several may mean one kind.
struct ReasonWord {
  std::string_view word;
  std::vector<ReasonCode> codes;
};

const std::vector<ReasonWord>& reason_map() {
  using enum ReasonCode;
  static const std::vector<ReasonWord> map{
      {"capacity", {capacity}},
      {"fragmented", {fragmented}},
      {"model", {no_such_model}},
      {"no_such_model", {no_such_model}},
      {"quota", {team_quota}},
      {"team_quota", {team_quota}},
      {"priority", {behind}},
      {"behind", {behind}},
      {"reserved", {reserved}},
      {"guard", {guard}},
      {"pledge", {pledge}},
      {"waiting_checkpoint", {waiting_checkpoint}},
      {"deadline", {deadline_budget, deadline_missed, no_estimate}},
      {"deadline_budget", {deadline_budget}},
      {"deadline_missed", {deadline_missed}},
      {"no_estimate", {no_estimate}},
      {"starved", {starved}},
      {"gang_incomplete", {gang_incomplete}},
      {"drained", {drained}},
      {"node_down", {node_down}},
      {"backoff", {backoff}},
      {"held", {held}},
      {"paused", {paused}},
      {"frozen", {frozen}},
      {"waiting_jobs", {waiting_jobs}},
      {"node_scope", {node_scope}},
  };
  return map;
}

std::string arg_text(const Arg& a) {
  std::string out;
  const auto join = [&out](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  for (const std::string& w : a.words) join(w);
  for (const std::int64_t n : a.numbers) join(std::to_string(n));
  for (const auto& [name, n] : a.counts) join(name + ": " + std::to_string(n));
  return out;
}

// Whether a field is a time (kept in milliseconds) or in milli-GPU.
Want want_of(const Expectation& e, std::string_view name) {
  const CheckDef* def = find_check(e.check);
  if (def == nullptr) return Want::count;
  for (const FieldDef& field : def->fields)
    if (field.name == name) return field.want;
  return Want::count;
}

std::string field_text(const Expectation& e, const std::string& name, const Arg& a) {
  const Want want = want_of(e, name);
  if (want == Want::seconds || want == Want::gpus) return milli_text(a.number);
  if (want == Want::flag) return a.number != 0 ? "true" : "false";
  if (want == Want::window || want == Want::seconds_list || want == Want::gpus_list) {
    std::string out;
    for (const std::int64_t n : a.numbers) out += (out.empty() ? "" : ", ") + milli_text(n);
    return "[" + out + "]";
  }
  if (!a.words.empty() || !a.numbers.empty()) return "[" + arg_text(a) + "]";
  if (!a.counts.empty()) return "{" + arg_text(a) + "}";
  return a.text.empty() ? std::to_string(a.number) : a.text;
}

bool excused(const Record& r, const Expectation& e) {
  const std::string name = word(e, "job");
  const JobId id = name.empty() ? JobId() : r.scenario.job(name);
  if (!id.valid() || !r.jobs[id.value].rejected) return false;
  return r.scenario.jobs[id.value].may_be_rejected || number(e, "unless_rejected").value_or(0) != 0;
}

}  // namespace

const Arg* arg(const Expectation& e, std::string_view name) {
  const auto found = e.args.find(name);
  return found == e.args.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> number(const Expectation& e, std::string_view name) {
  const Arg* found = arg(e, name);
  return found == nullptr ? std::nullopt : std::optional(found->number);
}

std::string word(const Expectation& e, std::string_view name) {
  const Arg* found = arg(e, name);
  return found == nullptr ? std::string() : found->text;
}

JobId job_of(const Record& r, const Expectation& e, std::string_view field) { return r.scenario.job(word(e, field)); }

std::vector<JobId> jobs_of(const Record& r, const Expectation& e) {
  std::vector<JobId> ids;
  if (const std::string name = word(e, "job"); !name.empty() && name != "all") return {r.scenario.job(name)};
  if (const Arg* list = arg(e, "jobs")) {
    for (const std::string& name : list->words) ids.push_back(r.scenario.job(name));
    return ids;
  }
  for (std::size_t i = 0; i < r.jobs.size(); ++i) ids.emplace_back(static_cast<std::uint32_t>(i));
  return ids;
}

std::string milli_text(std::int64_t milli) {
  if (milli < 0) return "-" + milli_text(-milli);
  const std::int64_t rest = milli % kMilliPerCard;
  if (rest == 0) return std::to_string(milli / kMilliPerCard);
  std::string text = fmt::format("{}.{:03}", milli / kMilliPerCard, rest);
  while (text.back() == '0') text.pop_back();
  return text;
}

std::string seconds_text(DurationMs d) { return milli_text(d) + " s"; }
std::string at_text(TimeMs t) { return t >= kNever ? "never" : "t=" + milli_text(t); }

std::span<const std::string_view> reason_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> out;
    for (const ReasonWord& entry : reason_map()) out.push_back(entry.word);
    return out;
  }();
  return words;
}

std::string_view word_of(ReasonCode code) {
  for (const ReasonWord& entry : reason_map())
    if (entry.codes.size() == 1 && entry.codes[0] == code) return entry.word;
  return name_of(code);
}

bool reason_matches(const Reasons& reasons, const std::vector<std::string>& words) {
  for (const Reason& reason : reasons)
    for (const ReasonWord& entry : reason_map()) {
      if (std::find(words.begin(), words.end(), entry.word) == words.end()) continue;
      if (std::find(entry.codes.begin(), entry.codes.end(), reason.code) != entry.codes.end()) return true;
    }
  return false;
}

std::string reasons_text(const Record& r, const Reasons& reasons) {
  std::string out;
  for (const Reason& reason : reasons) {
    out += (out.empty() ? "" : ", ") + std::string(word_of(reason.code));
    if (reason.job.valid() && reason.job.value < r.scenario.jobs.size())
      out += "(" + r.scenario.jobs[reason.job.value].spec.name + ")";
  }
  return out.empty() ? "none" : out;
}

Verdict judge_count(const Expectation& e, std::vector<TimeMs> occurrences, std::string_view what) {
  std::sort(occurrences.begin(), occurrences.end());
  if (const Arg* during = arg(e, "during"))
    std::erase_if(occurrences, [&](TimeMs t) { return t < during->numbers[0] || t > during->numbers[1]; });
  if (const auto by = number(e, "by")) std::erase_if(occurrences, [&](TimeMs t) { return t > *by; });
  const auto count = static_cast<std::int64_t>(occurrences.size());
  std::string times;
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < std::min(kShown, occurrences.size()); ++i)
    times += (i == 0 ? " at " : ", ") + at_text(occurrences[i]);
  if (occurrences.size() > kShown) times += ", ...";
  const std::string instead = fmt::format("{} {}{}", count, what, times);
  const auto not_before = number(e, "not_before");
  if (not_before && !occurrences.empty() && occurrences.front() < *not_before) return broken(instead);
  bool named = false;
  for (const std::string_view exact : {"equals", "times"}) {
    const auto wanted = number(e, exact);
    named = named || wanted;
    if (wanted && count != *wanted) return broken(instead);
  }
  const auto least = number(e, "min");
  const auto most = number(e, "max");
  if (least && count < *least) return broken(instead);
  if (most && count > *most) return broken(instead);
  if (!named && !least && !most && count == 0) return broken(instead);
  return held();
}

std::vector<TimeMs> moments_of(const Record& r, const Expectation& e) {
  for (const std::string_view instant : {"t", "at"})
    if (const auto t = number(e, instant)) return {*t};
  TimeMs from = number(e, "from").value_or(0);
  TimeMs until = number(e, "until").value_or(r.end_ms);
  if (const Arg* during = arg(e, "during")) {
    from = during->numbers[0];
    until = during->numbers[1];
  }
  std::vector<TimeMs> moments{from};
  for (auto it = std::upper_bound(r.change_times.begin(), r.change_times.end(), from);
       it != r.change_times.end() && *it <= until; ++it)
    moments.push_back(*it);
  return moments;
}

Verdict judge_series(const Record& r, const Expectation& e, const std::function<std::int64_t(TimeMs)>& value,
                     std::string_view what, bool in_milli) {
  const auto equals = number(e, "equals");
  const auto least = number(e, "min");
  const auto most = number(e, "max");
  for (const TimeMs t : moments_of(r, e)) {
    const std::int64_t now = value(t);
    const bool good = (!equals || now == *equals) && (!least || now >= *least) && (!most || now <= *most);
    if (!good)
      return broken(fmt::format("{} {} at {}", in_milli ? milli_text(now) : std::to_string(now), what, at_text(t)));
  }
  if (!equals && !least && !most) return broken("the check names no amount (equals, min or max)");
  return held();
}

std::string text_of(const Expectation& e) {
  if (e.check.empty()) return "check: " + e.prose;
  std::string out = e.check + ": {";
  bool first = true;
  for (const auto& [name, a] : e.args) {
    out += (first ? "" : ", ") + name + ": " + field_text(e, name, a);
    first = false;
  }
  for (const Expectation& part : e.parts) {
    out += (first ? "" : ", ") + text_of(part);
    first = false;
  }
  return out + "}";
}

Verdict judge(const Record& r, const Expectation& e) {
  if (e.check.empty()) return {.holds = true, .skipped = true, .instead = {}};
  if (e.check == "any_of" || e.check == "all_of") {
    const bool any = e.check == "any_of";
    std::string instead;
    for (const Expectation& part : e.parts) {
      Verdict verdict = judge(r, part);
      if (verdict.skipped) return verdict;
      if (any && verdict.holds) return held();
      if (!any && !verdict.holds) return verdict;
      if (!verdict.holds) instead += (instead.empty() ? "" : "; ") + verdict.instead;
    }
    return any ? broken(instead) : held();
  }
  if (e.check != "rejected" && excused(r, e)) return held();
  return find_check(e.check)->judge(r, e);
}

}  // namespace weir::scenario
