// The parts of a scenario that are written as prose. Shares in phases, a load and
// a launch that fails are concrete enough to be played; the rest is remembered as
// being beyond the engine.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/prng.h"
#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

// One instance of a phase, on its own clock: all run together for a while, then
// everything ends before the next begins.
constexpr DurationMs kPhaseLength = 60 * kSecond;
constexpr DurationMs kPhaseLook = 15 * kSecond;
constexpr DurationMs kPhaseEnd = 20 * kSecond;
constexpr DurationMs kPhaseSpread = 10 * kSecond;  // of starts and of ends drawn at random
constexpr DurationMs kPhaseEmpty = 50 * kSecond;

constexpr std::array<std::string_view, 11> kNumbers{"zero", "one",   "two",   "three", "four", "five",
                                                    "six",  "seven", "eight", "nine",  "ten"};
constexpr std::array<std::string_view, 8> kOrdinals{"second", "third",   "fourth", "fifth",
                                                    "sixth",  "seventh", "eighth", "ninth"};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (part) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

std::optional<std::int64_t> count_of(const std::string& word) {
  const auto found = std::find(kNumbers.begin(), kNumbers.end(), word);
  if (found != kNumbers.end()) return found - kNumbers.begin();
  const auto digits = parse_whole(word);
  return digits ? std::optional(*digits) : std::nullopt;
}

// So many jobs, each of a share of one card.
struct Group {
  std::int64_t count = 0;
  std::int64_t milli = 0;
  bool waits = false;  // "an eighth of 0.03 must wait"
};

// "<count> [jobs] of <share>", as often as it stands there.
std::vector<Group> groups_of(const std::vector<std::string>& words) {
  constexpr std::int64_t kGroupMax = 1000;
  std::vector<Group> groups;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] != "of") continue;
    const auto milli = parse_scaled(words[i + 1], kMilliPerCard, "thousandths");
    if (!milli || *milli < 1 || *milli > kMilliPerCard) continue;
    const std::string& before = words[i - 1];
    const bool named = before == "jobs" || before == "job";
    const auto count = count_of(named && i >= 2 ? words[i - 2] : before);
    const bool ordinal = std::find(kOrdinals.begin(), kOrdinals.end(), before) != kOrdinals.end();
    if (ordinal)
      groups.push_back({.count = 1, .milli = *milli, .waits = true});
    else if (count && *count >= 1 && *count <= kGroupMax)
      groups.push_back({.count = *count, .milli = *milli});
  }
  return groups;
}

JobEntry phase_job(std::int64_t milli, TimeMs at, DurationMs run) {
  JobEntry job;
  Shape shape;
  if (milli == kMilliPerCard)
    shape.cards = 1;
  else
    shape.milli = static_cast<std::int32_t>(milli);
  job.spec.roles.push_back({.role = {}, .count = 1, .shape = shape});
  job.spec.submitted_ms = at;
  job.spec.limit_ms = run;
  job.spec.declared_run_ms = run;
  job.truth.run_ms = run;
  return job;
}

void play_phase(int phase, std::int64_t instance, const std::vector<Group>& groups, bool random, TimeMs begin,
                Prng& prng, Scenario& s) {
  PhaseRun run{
      .phase = phase, .together = {}, .waiting = {}, .at_ms = begin + kPhaseLook, .empty_ms = begin + kPhaseEmpty};
  for (const Group& group : groups) {
    for (std::int64_t i = 0; i < group.count; ++i) {
      const TimeMs at = random ? begin + prng.between(0, kPhaseSpread) : begin;
      const TimeMs end = begin + kPhaseEnd + (random ? prng.between(0, kPhaseSpread) : 0);
      const JobEntry job = phase_job(group.milli, at, group.waits ? kPhaseSpread : end - at);
      const std::string name =
          "phase" + std::to_string(phase) + "." + std::to_string(instance) + "." + std::to_string(s.jobs.size());
      if (add_job(s, job, name)) (group.waits ? run.waiting : run.together).push_back(s.jobs.back().spec.id);
    }
  }
  s.phases.push_back(std::move(run));
}

void read_phases(Section& top, Scenario& s) {
  const auto value = top.get("phases");
  const auto items = value ? value->items() : std::nullopt;
  if (!items) return;
  Prng prng(s.seed);
  TimeMs begin = 0;
  int phase = 0;
  for (const Value& item : *items) {
    auto section = item.section();
    if (!section) continue;
    ++phase;
    const std::int64_t repeat = section->whole("repeat", 1, {1, 10'000});
    const auto jobs = section->require("jobs");
    const std::string text = jobs ? jobs->text().value_or("") : "";
    section->finish();
    const auto words = words_of(text);
    const auto groups = groups_of(words);
    const bool random = std::find(words.begin(), words.end(), "random") != words.end();
    if (jobs && groups.empty())
      jobs->problem("expects counts of shares, such as: three of 0.3 and one of 0.1 at the same time");
    for (std::int64_t i = 0; i < repeat && s.jobs.size() < kJobsMax; ++i, begin += kPhaseLength)
      play_phase(phase, i, groups, random, begin, prng, s);
    if (s.jobs.size() >= kJobsMax)
      return item.problem("more than " + std::to_string(kJobsMax) + " jobs", ErrorCode::too_large);
  }
}

// So many equal jobs, of which about `in_system_at_once` are there at a time.
void read_load(Section& top, Scenario& s) {
  const auto value = top.get("load");
  auto section = value ? value->section() : std::nullopt;
  if (!section) return;
  const std::int64_t jobs = section->whole("jobs", 1, {1, static_cast<std::int64_t>(kJobsMax)});
  const DurationMs run = section->duration("run", kSecond, kSecond, {1, kTimeRange.max});
  const std::int64_t gpus = section->whole("gpus", 1, {1, kCardsMax});
  const std::int64_t at_once = section->whole("in_system_at_once", jobs, {1, kCountRange.max});
  section->allow("names_with");
  section->finish();
  const std::int64_t places = std::max<std::int64_t>(1, s.settings.total_gpus / gpus);
  s.load_jobs = s.nodes.empty() ? 0 : jobs;
  for (std::int64_t i = 0; i < s.load_jobs; ++i) {
    const std::int64_t later = std::max<std::int64_t>(0, i - at_once);
    JobEntry job = phase_job(kMilliPerCard, later * run / places, run);
    job.spec.roles[0].shape.cards = static_cast<std::int32_t>(gpus);
    if (!add_job(s, job, "load" + std::to_string(i + 1)))
      return value->problem("its jobs are named load1 and so on; another job has such a name");
  }
}

}  // namespace

void read_launch(const Value& value, JobTruth& truth, std::vector<std::string>& beyond_engine) {
  constexpr std::int32_t kAlways = -1;
  if (value.is_map()) {
    auto section = value.section();
    const auto fails = section->require("fails");
    if (fails)
      truth.fails_at_launch =
          fails->is_word("always") ? kAlways : static_cast<std::int32_t>(fails->whole({0, 1000}).value_or(0));
    return section->finish();
  }
  const auto text = value.text();
  if (!text) return;
  const auto words = words_of(*text);
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  const bool fails = has("fails") || has("fail") || has("failed");
  if (fails && has("always"))
    truth.fails_at_launch = kAlways;
  else if (fails && has("once"))
    truth.fails_at_launch = 1;
  else if (fails && has("twice"))
    truth.fails_at_launch = 2;
  else if (fails)
    for (const std::string& word : words)
      if (const auto count = count_of(word); count && truth.fails_at_launch == 0)
        truth.fails_at_launch = static_cast<std::int32_t>(std::min<std::int64_t>(*count, 1000));
  if (truth.fails_at_launch == 0) beyond_engine.push_back("launch");
}

void read_prose(Section& top, Scenario& s) {
  read_phases(top, s);
  read_load(top, s);
  for (const std::string_view part : {"users", "attempts", "submit", "submit_names", "backends", "backend",
                                      "config_variants", "faults", "run_under_tz"})
    if (top.get(part)) s.beyond_engine.emplace_back(part);
  s.needs_backend = top.has("backend");
}

}  // namespace weir::scenario
