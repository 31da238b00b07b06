// Checks that count: preemptions, yields, moves, starts, scalings, claims.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/names.h"
#include "scenario/check.h"

namespace weir::scenario {

namespace {

constexpr DurationMs kGapMax = 30 * kSecond;  // between two rounds (I10)

bool among(const std::vector<JobId>& ids, JobId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

// When jobs were preempted: yields of cause claim that left, and emergencies.
std::vector<TimeMs> preemptions_of(const Record& r, const std::vector<JobId>& ids) {
  std::vector<TimeMs> times;
  for (const YieldRecord& yield : r.yields)
    if (yield.cause == YieldCause::claim && yield.left_ms < kNever && among(ids, yield.job))
      times.push_back(yield.left_ms);
  for (const JobId id : ids)
    for (const Attempt& a : r.jobs[id.value].attempts)
      if (a.stopped == decision::StopCause::emergency) times.push_back(a.end_ms);
  return times;
}

template <class Accept>
std::vector<TimeMs> yields_left(const Record& r, Accept accept) {
  std::vector<TimeMs> times;
  for (const YieldRecord& yield : r.yields)
    if (yield.left_ms < kNever && accept(yield)) times.push_back(yield.left_ms);
  return times;
}

std::string subject(const Expectation& e) {
  const std::string name = word(e, "job");
  return name.empty() ? "" : " of " + name;
}

}  // namespace

Verdict judge_preempted(const Record& r, const Expectation& e) {
  return judge_count(e, preemptions_of(r, jobs_of(r, e)), "preemptions" + subject(e));
}

Verdict judge_total_preemptions(const Record& r, const Expectation& e) {
  return judge_count(e, preemptions_of(r, jobs_of(r, e)), "preemptions");
}

Verdict judge_each_job_preempted(const Record& r, const Expectation& e) {
  for (const JobId id : jobs_of(r, e)) {
    const Verdict verdict =
        judge_count(e, preemptions_of(r, {id}), "preemptions of " + r.scenario.jobs[id.value].spec.name);
    if (!verdict.holds) return verdict;
  }
  return held();
}

Verdict judge_preempted_at_boundary(const Record& r, const Expectation& e) {
  const std::vector<JobId> ids = jobs_of(r, e);
  for (const YieldRecord& yield : r.yields)
    if (yield.left_ms < kNever && among(ids, yield.job) && !yield.at_boundary)
      return broken(fmt::format("{} left away from a boundary at {}", r.scenario.jobs[yield.job.value].spec.name,
                                at_text(yield.left_ms)));
  return held();
}

Verdict judge_yields(const Record& r, const Expectation& e) {
  const std::vector<JobId> ids = jobs_of(r, e);
  const std::string cause = word(e, "cause");
  const auto times = yields_left(r, [&](const YieldRecord& y) {
    return among(ids, y.job) && (cause.empty() ? y.cause != YieldCause::claim : name_of(y.cause) == cause);
  });
  return judge_count(e, times, fmt::format("yields{}{}", cause.empty() ? "" : " by " + cause, subject(e)));
}

Verdict judge_yield_asked(const Record& r, const Expectation& e) {
  const std::vector<JobId> ids = jobs_of(r, e);
  const std::string cause = word(e, "cause");
  std::vector<TimeMs> times;
  for (const YieldRecord& yield : r.yields)
    if (among(ids, yield.job) && (cause.empty() || name_of(yield.cause) == cause)) times.push_back(yield.asked_ms);
  return judge_count(e, times, "requests to yield" + subject(e));
}

Verdict judge_withdrawn(const Record& r, const Expectation& e) {
  const std::vector<JobId> ids = jobs_of(r, e);
  std::vector<TimeMs> times;
  for (const YieldRecord& yield : r.yields)
    if (yield.withdrawn_ms < kNever && among(ids, yield.job)) times.push_back(yield.withdrawn_ms);
  return judge_count(e, times, "requests withdrawn" + subject(e));
}

Verdict judge_moves(const Record& r, const Expectation& e) {
  const std::vector<JobId> ids = jobs_of(r, e);
  auto times = yields_left(r, [&](const YieldRecord& y) { return y.cause == YieldCause::move && among(ids, y.job); });
  if (word(e, "job").empty() && arg(e, "jobs") == nullptr)
    for (const ReplicaRecord& replica : r.replicas)
      if (replica.cause == decision::DrainCause::move) times.push_back(replica.drain_ms);
  return judge_count(e, times, "moves" + subject(e));
}

Verdict judge_lost_work(const Record& r, const Expectation& e) {
  for (const JobId id : jobs_of(r, e)) {
    DurationMs lost = 0;
    for (const Attempt& a : r.jobs[id.value].attempts) lost += a.lost_ms;
    const auto most = number(e, "max_s");
    const auto least = number(e, "min_s");
    const auto exact = number(e, "equals_s");
    if ((most && lost > *most) || (least && lost < *least) || (exact && lost != *exact))
      return broken(fmt::format("{} lost {} of work", r.scenario.jobs[id.value].spec.name, seconds_text(lost)));
  }
  return held();
}

Verdict judge_starts_count(const Record& r, const Expectation& e) {
  std::vector<TimeMs> times;
  for (const JobId id : jobs_of(r, e))
    for (const Attempt& a : r.jobs[id.value].attempts) times.push_back(a.start_ms);
  return judge_count(e, times, "starts" + subject(e));
}

Verdict judge_reclaimed_replicas(const Record& r, const Expectation& e) {
  const ServiceId service = r.scenario.service(word(e, "service"));
  std::vector<TimeMs> times;
  for (const ReplicaRecord& replica : r.replicas)
    if (replica.service == service && replica.cause == decision::DrainCause::taken) times.push_back(replica.drain_ms);
  return judge_count(e, times, "replicas taken back");
}

Verdict judge_scale_events(const Record& r, const Expectation& e) {
  const ServiceId service = r.scenario.service(word(e, "service"));
  std::map<TimeMs, std::int32_t> change;  // net change of living replicas
  for (const ReplicaRecord& replica : r.replicas) {
    if (replica.service != service) continue;
    change[replica.start_ms] += 1;
    const TimeMs left = std::min(replica.drain_ms, replica.gone_ms);
    if (left < kNever) change[left] -= 1;
  }
  std::int64_t up = 0;
  std::int64_t down = 0;
  const Arg* during = arg(e, "during");
  for (const auto& [t, by] : change) {
    if (during != nullptr && (t < during->numbers[0] || t > during->numbers[1])) continue;
    up += by > 0 ? 1 : 0;
    down += by < 0 ? 1 : 0;
  }
  const auto above = [&](std::string_view field, std::int64_t value) {
    return number(e, field) && value > *number(e, field);
  };
  const auto below = [&](std::string_view field, std::int64_t value) {
    return number(e, field) && value < *number(e, field);
  };
  const bool bad = above("up_max", up) || above("down_max", down) || above("max", up + down) || below("up_min", up) ||
                   below("down_min", down);
  return bad ? broken(fmt::format("scaled up {} times and down {} times", up, down)) : held();
}

Verdict judge_cycles(const Record& r, const Expectation& e) {
  const Arg* during = arg(e, "during");
  const DurationMs gap =
      r.longest_gap_ms(during == nullptr ? 0 : during->numbers[0], during == nullptr ? r.end_ms : during->numbers[1]);
  const auto most = number(e, "max_gap_s") ? number(e, "max_gap_s") : number(e, "max_gap");
  if (most && gap > *most) return broken("the longest time between two rounds was " + seconds_text(gap));
  if (most && e.args.size() <= (during == nullptr ? 1U : 2U)) return held();
  return judge_count(e, r.steps, "rounds");
}

Verdict judge_alive(const Record& r, const Expectation& e) {
  const Arg* during = arg(e, "during");
  const DurationMs gap = r.longest_gap_ms(during == nullptr ? 0 : during->numbers[0],
                                          during == nullptr ? r.end_ms : std::min(during->numbers[1], r.end_ms));
  return gap <= kGapMax ? held() : broken("no round for " + seconds_text(gap));
}

namespace {

// What the read model will count, by the name of the counter without its prefix and `_total`.
std::map<std::string, std::vector<TimeMs>> counters_of(const Record& r) {
  std::map<std::string, std::vector<TimeMs>> c;
  for (const JobRecord& job : r.jobs) {
    for (std::size_t i = 0; i < job.attempts.size(); ++i)
      c[i == 0 ? "first_starts" : "resumes"].push_back(job.attempts[i].start_ms);
    for (const Attempt& a : job.attempts) c["starts"].push_back(a.start_ms);
    for (const auto& [at, state] : job.states)
      if (ended(state)) c["jobs_" + std::string(name_of(state))].push_back(at);
    if (job.submitted_ms < kNever) c["jobs_submitted"].push_back(job.submitted_ms);
  }
  for (const YieldRecord& y : r.yields) {
    c["yields_asked"].push_back(y.asked_ms);
    if (y.withdrawn_ms < kNever) c["yields_withdrawn"].push_back(y.withdrawn_ms);
    if (y.left_ms == kNever) continue;
    c["yields"].push_back(y.left_ms);
    if (y.cause == YieldCause::claim) c["preemptions"].push_back(y.left_ms);
    if (y.cause == YieldCause::move) c["moves"].push_back(y.left_ms);
  }
  for (const auto& [id, claim] : r.claims) {
    c["claims_made"].push_back(claim.made_ms);
    if (claim.how != ClaimEnd::open) c["claims_" + std::string(name_of(claim.how))].push_back(claim.ended_ms);
  }
  for (const ReplicaRecord& replica : r.replicas) c["replicas_started"].push_back(replica.start_ms);
  for (const auto& [at, alarm] : r.alarms) c["alarms"].push_back(at);
  c["steps"] = r.steps;
  for (const std::string_view name :
       {"first_starts",     "resumes",           "starts",         "jobs_succeeded",   "jobs_failed",
        "jobs_cancelled",   "jobs_rejected",     "jobs_submitted", "yields",           "yields_asked",
        "yields_withdrawn", "preemptions",       "moves",          "claims_made",      "claims_started",
        "claims_withdrawn", "claims_superseded", "claims_expired", "replicas_started", "alarms"})
    c[std::string(name)];
  return c;
}

}  // namespace

Verdict judge_counter(const Record& r, const Expectation& e) {
  std::string name = word(e, "name");
  if (name.starts_with("weir_")) name = name.substr(5);
  if (name.ends_with("_total")) name = name.substr(0, name.size() - 6);
  auto counters = counters_of(r);
  const auto found = counters.find(name);
  if (found == counters.end())
    return {.holds = true,
            .skipped = true,
            .instead = "the counter " + name + " belongs to a room that this program does not have"};
  const TimeMs until = number(e, "t").value_or(number(e, "at").value_or(kNever - 1));
  std::erase_if(found->second, [until](TimeMs t) { return t > until; });
  return judge_count(e, found->second, name);
}

Verdict judge_log_lines_about(const Record& r, const Expectation& e) {
  const std::string what = word(e, "job") + word(e, "node") + word(e, "service") + word(e, "text");
  std::vector<TimeMs> times;
  for (const auto& [at, line] : r.log)
    if (line.find(what) != std::string::npos) times.push_back(at);
  return judge_count(e, times, "lines about " + what);
}

Verdict judge_claims(const Record& r, const Expectation& e) {
  std::vector<TimeMs> times;
  const std::string how = word(e, "how");
  for (const auto& [id, claim] : r.claims) {
    if (arg(e, "job") != nullptr && claim.made.job != job_of(r, e)) continue;
    if (arg(e, "service") != nullptr && claim.made.service != r.scenario.service(word(e, "service"))) continue;
    if (how.empty())
      times.push_back(claim.made_ms);
    else if (name_of(claim.how) == how)
      times.push_back(claim.how == ClaimEnd::open ? claim.made_ms : claim.ended_ms);
  }
  return judge_count(e, times, fmt::format("claims{}{}", subject(e), how.empty() ? "" : " that ended " + how));
}

Verdict judge_loans(const Record& r, const Expectation& e) {
  std::vector<TimeMs> times;
  for (const JobId id : jobs_of(r, e))
    for (const Attempt& a : r.jobs[id.value].attempts)
      if (a.loan) times.push_back(a.start_ms);
  return judge_count(e, times, "starts on loan" + subject(e));
}

Verdict judge_alarms(const Record& r, const Expectation& e) {
  std::vector<TimeMs> times;
  for (const auto& [at, alarm] : r.alarms)
    if (name_of(alarm.kind) == word(e, "kind")) times.push_back(at);
  return judge_count(e, times, "alarms of " + word(e, "kind"));
}

}  // namespace weir::scenario
