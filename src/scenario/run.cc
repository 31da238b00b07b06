#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "scenario/check.h"
#include "scenario/invariants.h"
#include "scenario/play.h"
#include "scenario/record.h"
#include "scenario/scenario.h"

namespace weir::scenario {

namespace {

constexpr std::size_t kTwiceJobsMax = 2'000;  // scenarios of so many jobs are always played twice, to compare hashes
constexpr std::size_t kViolationsShown = 5;

bool asks_for_log(const std::vector<Expectation>& expectations) {
  return std::any_of(expectations.begin(), expectations.end(),
                     [](const Expectation& e) { return e.check == "log_lines_about" || asks_for_log(e.parts); });
}

// Collects the judgements of one scenario.
struct Judge {
  const Scenario& scenario;
  Report report;

  void pass() { ++report.passed; }
  void failure(int line, const std::string& text) {
    ++report.failed;
    report.failures.push_back(fmt::format("{}{}: {}", scenario.file, line > 0 ? fmt::format(":{}", line) : "", text));
  }
  void skip(int line, const std::string& text) {
    ++report.skipped;
    report.skips.push_back(fmt::format("{}:{}: {}", scenario.file, line, text));
  }
};

void judge_expectations(const Record& record, Judge& judging) {
  for (const Expectation& e : judging.scenario.expect) {
    const Verdict verdict = judge(record, e);
    if (verdict.skipped)
      judging.skip(e.line, text_of(e) + (verdict.instead.empty() ? "" : " (" + verdict.instead + ")"));
    else if (verdict.holds)
      judging.pass();
    else
      judging.failure(e.line, fmt::format("expected {}; instead {}", text_of(e), verdict.instead));
  }
}

// The invariants, as one expectation of every scenario.
void judge_invariants(const Played& outcome, Judge& judging) {
  std::vector<std::string> found = breaches_of(*outcome.record);
  for (const std::string& violation : outcome.world->violations()) {
    if (found.size() >= kViolationsShown * 4) break;
    found.push_back(fmt::format("the auditor, on a clock {} ms ahead: {}", kOriginMs, violation));
  }
  if (outcome.replay_differs) found.emplace_back("I5: the engine rebuilt from its events is in another state");
  if (found.empty()) return judging.pass();
  for (std::size_t i = 0; i < std::min(found.size(), kViolationsShown); ++i) {
    if (i == 0)
      judging.failure(0, found[i]);
    else
      judging.report.failures.push_back(judging.scenario.file + ": " + found[i]);
  }
  if (found.size() > kViolationsShown)
    judging.report.failures.push_back(
        fmt::format("{}: and {} more breaches", judging.scenario.file, found.size() - kViolationsShown));
}

// One expectation per phase: all of its instances.
void judge_phases(const Record& record, Judge& judging) {
  const auto& phases = judging.scenario.phases;
  std::set<int> failed;
  const auto complain = [&](const PhaseRun& phase, const std::string& text) {
    if (failed.insert(phase.phase).second) judging.failure(0, fmt::format("phase {}: {}", phase.phase, text));
  };
  for (const PhaseRun& phase : phases) {
    for (const JobId id : phase.together)
      if (!record.jobs[id.value].running_at(phase.at_ms))
        complain(phase,
                 fmt::format("{} does not run at {}", judging.scenario.jobs[id.value].spec.name, at_text(phase.at_ms)));
    for (const JobId id : phase.waiting)
      if (record.jobs[id.value].running_at(phase.at_ms))
        complain(phase, fmt::format("{} runs at {}, but should wait", judging.scenario.jobs[id.value].spec.name,
                                    at_text(phase.at_ms)));
    const CardCount* view = record.pool_view_at(phase.empty_ms);
    if (view == nullptr || view->whole + view->shared != 0)
      complain(phase, "the ledger is not zero at " + at_text(phase.empty_ms));
  }
  std::set<int> all;
  for (const PhaseRun& phase : phases) all.insert(phase.phase);
  for (const int phase : all)
    if (!failed.contains(phase)) judging.pass();
}

void judge_load(const Record& record, Judge& judging) {
  const auto done = std::count_if(record.jobs.begin(), record.jobs.end(), [&](const JobRecord& job) {
    return job.state_at(record.end_ms) == JobState::succeeded;
  });
  if (done >= judging.scenario.load_jobs)
    judging.pass();
  else
    judging.failure(0, fmt::format("expected all {} jobs of the load to succeed; instead {} did",
                                   judging.scenario.load_jobs, done));
}

void skip_all(Judge& judging) {
  const std::string why =
      judging.scenario.needs_backend ? "needs the backend that the scenario describes" : "has no pool to run on";
  for (const Expectation& e : judging.scenario.expect)
    judging.skip(e.line, fmt::format("{}{}", text_of(e), e.check.empty() ? "" : " (" + why + ")"));
}

}  // namespace

Report run(const Scenario& scenario, const RunOptions& options) {
  Judge judging{.scenario = scenario, .report = {}};
  if (!scenario.runnable()) {
    skip_all(judging);
    return judging.report;
  }
  const Played outcome = play(scenario, options.trace || asks_for_log(scenario.expect));
  std::int32_t plays = scenario.repeat;
  if (scenario.jobs.size() <= kTwiceJobsMax) plays = std::max(plays, 2);
  bool same = true;
  for (std::int32_t i = 1; i < plays && same; ++i) same = play(scenario, false).hash == outcome.hash;
  judge_expectations(*outcome.record, judging);
  judge_invariants(outcome, judging);
  if (!scenario.phases.empty()) judge_phases(*outcome.record, judging);
  if (scenario.load_jobs > 0) judge_load(*outcome.record, judging);
  if (!same) judging.failure(0, "two runs of it end with different hashes");
  judging.report.hash = outcome.hash;
  for (const auto& [at, line] : outcome.record->log)
    judging.report.trace.push_back(fmt::format("{:>12} {}", at_text(at), line));
  return judging.report;
}

}  // namespace weir::scenario
