// The table of checks: what may stand under `expect:`, which fields each takes,
// and the function that holds it against the record of a run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/record.h"
#include "scenario/scenario.h"

namespace weir::scenario {

// How a field is read, and the unit it has in Arg.
enum class Want : std::uint8_t {
  job,         // text: a job's name
  job_or_all,  // text: a job's name or "all"
  jobs,        // words: names, ranges written out
  service,
  node,
  team,
  model,  // text
  nodes,
  models,        // words
  seconds,       // number: milliseconds
  window,        // numbers: two instants in milliseconds
  seconds_list,  // numbers: milliseconds
  count,         // number
  counts,        // numbers: one or more
  gpus,          // number: milli-GPU
  gpus_list,     // numbers: milli-GPU
  flag,          // number: 0 or 1
  codes,         // words: reason words
  state,
  cause,
  claim_end,
  alarm,
  tier,
  text,    // text
  states,  // words
  tally,   // counts: from reason words to numbers
};

struct FieldDef {
  std::string_view name;
  Want want = Want::count;
  bool required = false;
};

struct Verdict {
  bool holds = true;
  bool skipped = false;
  std::string instead;  // what happened instead; or why it was skipped
};

[[nodiscard]] inline Verdict held() { return {}; }
[[nodiscard]] inline Verdict broken(std::string instead) { return {.holds = false, .instead = std::move(instead)}; }

struct CheckDef {
  std::string_view name;
  std::vector<FieldDef> fields;
  Verdict (*judge)(const Record&, const Expectation&) = nullptr;
};

[[nodiscard]] std::span<const CheckDef> check_table();
[[nodiscard]] const CheckDef* find_check(std::string_view name);

// Judges one expectation, with its parts. Prose is skipped.
[[nodiscard]] Verdict judge(const Record& record, const Expectation& expectation);

// "starts: {job: Q, by: 1815}", as the file has it.
[[nodiscard]] std::string text_of(const Expectation& expectation);

// --- helpers of the judging functions ---

[[nodiscard]] const Arg* arg(const Expectation& e, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> number(const Expectation& e, std::string_view name);
[[nodiscard]] std::string word(const Expectation& e, std::string_view name);
[[nodiscard]] JobId job_of(const Record& r, const Expectation& e, std::string_view field = "job");
[[nodiscard]] std::vector<JobId> jobs_of(const Record& r, const Expectation& e);  // job, jobs or every job
[[nodiscard]] std::string at_text(TimeMs t);                                      // "t=12.5", or "never"
[[nodiscard]] std::string seconds_text(DurationMs d);
[[nodiscard]] std::string milli_text(std::int64_t milli);  // 1500: "1.5"
[[nodiscard]] bool reason_matches(const Reasons& reasons, const std::vector<std::string>& words);
[[nodiscard]] std::string reasons_text(const Record& r, const Reasons& reasons);
[[nodiscard]] std::string_view word_of(ReasonCode code);         // as scenarios write it
[[nodiscard]] std::span<const std::string_view> reason_words();  // all that `code:` may hold

// Occurrences against equals, min, max, times, by, not_before and during.
[[nodiscard]] Verdict judge_count(const Expectation& e, std::vector<TimeMs> occurrences, std::string_view what);
// A quantity over time against equals, min and max at t, at, or all through during, from or until.
[[nodiscard]] Verdict judge_series(const Record& r, const Expectation& e,
                                   const std::function<std::int64_t(TimeMs)>& value, std::string_view what,
                                   bool in_milli = false);
// The instants at which a quantity has to be looked at.
[[nodiscard]] std::vector<TimeMs> moments_of(const Record& r, const Expectation& e);

// --- the judging functions, by file ---

// check_times.cc
Verdict judge_starts(const Record&, const Expectation&);
Verdict judge_starts_each(const Record&, const Expectation&);
Verdict judge_first_start_of_any(const Record&, const Expectation&);
Verdict judge_starts_after(const Record&, const Expectation&);
Verdict judge_not_started(const Record&, const Expectation&);
Verdict judge_ends(const Record&, const Expectation&);
Verdict judge_resumes(const Record&, const Expectation&);
Verdict judge_resume_points(const Record&, const Expectation&);
Verdict judge_overlap(const Record&, const Expectation&);
Verdict judge_placed_on(const Record&, const Expectation&);
Verdict judge_state(const Record&, const Expectation&);
Verdict judge_tier_at(const Record&, const Expectation&);
Verdict judge_rejected(const Record&, const Expectation&);
Verdict judge_version(const Record&, const Expectation&);
Verdict judge_answered(const Record&, const Expectation&);
Verdict judge_eta_contains_start(const Record&, const Expectation&);

// check_counts.cc
Verdict judge_preempted(const Record&, const Expectation&);
Verdict judge_total_preemptions(const Record&, const Expectation&);
Verdict judge_each_job_preempted(const Record&, const Expectation&);
Verdict judge_preempted_at_boundary(const Record&, const Expectation&);
Verdict judge_yields(const Record&, const Expectation&);
Verdict judge_yield_asked(const Record&, const Expectation&);
Verdict judge_withdrawn(const Record&, const Expectation&);
Verdict judge_moves(const Record&, const Expectation&);
Verdict judge_lost_work(const Record&, const Expectation&);
Verdict judge_starts_count(const Record&, const Expectation&);
Verdict judge_reclaimed_replicas(const Record&, const Expectation&);
Verdict judge_scale_events(const Record&, const Expectation&);
Verdict judge_cycles(const Record&, const Expectation&);
Verdict judge_alive(const Record&, const Expectation&);
Verdict judge_counter(const Record&, const Expectation&);
Verdict judge_log_lines_about(const Record&, const Expectation&);
Verdict judge_claims(const Record&, const Expectation&);
Verdict judge_loans(const Record&, const Expectation&);
Verdict judge_alarms(const Record&, const Expectation&);

// check_series.cc
Verdict judge_uses(const Record&, const Expectation&);
Verdict judge_replicas(const Record&, const Expectation&);
Verdict judge_idle(const Record&, const Expectation&);
Verdict judge_running_count(const Record&, const Expectation&);
Verdict judge_pending_count(const Record&, const Expectation&);
Verdict judge_workers_running(const Record&, const Expectation&);
Verdict judge_per_gpu(const Record&, const Expectation&);
Verdict judge_capacity(const Record&, const Expectation&);
Verdict judge_ledger_zero(const Record&, const Expectation&);
Verdict judge_views_agree(const Record&, const Expectation&);
Verdict judge_reported_equals_actual(const Record&, const Expectation&);

// check_reasons.cc
Verdict judge_reason(const Record&, const Expectation&);
Verdict judge_reason_never(const Record&, const Expectation&);
Verdict judge_reason_names(const Record&, const Expectation&);
Verdict judge_reason_breakdown(const Record&, const Expectation&);

}  // namespace weir::scenario
