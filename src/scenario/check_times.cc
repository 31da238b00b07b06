// Checks on starts, ends and states.
#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "model/names.h"
#include "scenario/check.h"
#include "scenario/play.h"

namespace weir::scenario {

namespace {

const std::string& name_of_job(const Record& r, JobId id) { return r.scenario.jobs[id.value].spec.name; }

TimeMs first_start(const Record& r, JobId id) {
  const JobRecord& job = r.jobs[id.value];
  return job.attempts.empty() ? kNever : job.attempts.front().start_ms;
}

// When it reached a state that it does not leave, and which.
std::pair<TimeMs, JobState> end_of(const Record& r, JobId id) {
  for (const auto& [at, state] : r.jobs[id.value].states)
    if (ended(state)) return {at, state};
  return {kNever, JobState::waiting};
}

bool in_time(const Expectation& e, TimeMs t) {
  const auto by = number(e, "by");
  const auto not_before = number(e, "not_before");
  if (by && t > *by) return false;
  if (not_before && t < *not_before) return false;
  return t < kNever;
}

std::string why_not(const Record& r, JobId id) {
  const JobRecord& job = r.jobs[id.value];
  if (job.rejected) return fmt::format("; it was rejected, naming {}: {}", job.rejected->field, job.rejected->message);
  if (job.reasons.empty()) return "";
  return "; last reason: " + reasons_text(r, job.reasons.back().second);
}

// A state as scenarios write it; several words mean one.
bool is_state(std::optional<JobState> state, std::string_view text) {
  if (!state) return false;
  if (text == "ended") return ended(*state);
  if (text == "pending" || text == "queued" || text == "preempted")
    return *state == JobState::waiting ||
           (text == "pending" && (*state == JobState::backoff || *state == JobState::held));
  if (text == "completed" || text == "done") return *state == JobState::succeeded;
  return name_of(*state) == text;
}

}  // namespace

namespace {

// Is the first placement on the nodes that a check names, if it names any?
bool on_named_nodes(const Record& r, const Expectation& e, JobId id) {
  std::vector<std::string> wanted;
  for (const std::string_view field : {"nodes", "on"})
    if (const Arg* list = arg(e, field)) wanted.insert(wanted.end(), list->words.begin(), list->words.end());
  if (arg(e, "node") != nullptr) wanted.push_back(word(e, "node"));
  const auto& attempts = r.jobs[id.value].attempts;
  if (wanted.empty() || attempts.empty()) return true;
  return std::all_of(attempts[0].places.begin(), attempts[0].places.end(), [&](const Placement& place) {
    return std::find(wanted.begin(), wanted.end(), r.scenario.nodes[place.node.value].name) != wanted.end();
  });
}

}  // namespace

Verdict judge_starts(const Record& r, const Expectation& e) {
  for (const JobId id : jobs_of(r, e)) {
    const TimeMs start = first_start(r, id);
    const auto within = number(e, "within");
    const bool late = within && start > r.scenario.jobs[id.value].spec.submitted_ms + *within;
    if (!on_named_nodes(r, e, id)) return broken(name_of_job(r, id) + " started on another node");
    if (in_time(e, start) && !late) continue;
    return broken(start == kNever ? fmt::format("{} did not start{}", name_of_job(r, id), why_not(r, id))
                                  : fmt::format("{} started at {}", name_of_job(r, id), at_text(start)));
  }
  return held();
}

Verdict judge_starts_each(const Record& r, const Expectation& e) { return judge_starts(r, e); }

Verdict judge_first_start_of_any(const Record& r, const Expectation& e) {
  TimeMs first = kNever;
  for (const JobId id : jobs_of(r, e)) first = std::min(first, first_start(r, id));
  return in_time(e, first) ? held() : broken("the first of them started " + at_text(first));
}

Verdict judge_starts_after(const Record& r, const Expectation& e) {
  const JobId id = job_of(r, e);
  const TimeMs start = first_start(r, id);
  TimeMs after = 0;
  std::string what;
  if (const std::string other = word(e, "after_start_of"); !other.empty()) {
    after = first_start(r, r.scenario.job(other));
    what = fmt::format("{} started {}", other, at_text(after));
  }
  if (const std::string other = word(e, "after_end_of"); !other.empty()) {
    after = std::max(after, end_of(r, r.scenario.job(other)).first);
    what +=
        fmt::format("{}{} ended {}", what.empty() ? "" : ", ", other, at_text(end_of(r, r.scenario.job(other)).first));
  }
  const auto within = number(e, "within");
  if (start == kNever)
    return within ? broken(fmt::format("{} did not start{}; {}", name_of_job(r, id), why_not(r, id), what)) : held();
  if (start < after || (within && start > after + *within))
    return broken(fmt::format("{} started at {}; {}", name_of_job(r, id), at_text(start), what));
  return held();
}

Verdict judge_not_started(const Record& r, const Expectation& e) {
  const TimeMs until = number(e, "until").value_or(r.end_ms);
  for (const JobId id : jobs_of(r, e)) {
    const TimeMs start = first_start(r, id);
    if (start <= until) return broken(fmt::format("{} started at {}", name_of_job(r, id), at_text(start)));
  }
  return held();
}

Verdict judge_ends(const Record& r, const Expectation& e) {
  const std::string wanted = word(e, "state");
  for (const JobId id : jobs_of(r, e)) {
    const auto [at, state] = end_of(r, id);
    const bool right = wanted.empty() || (at != kNever && is_state(state, wanted));
    if (right && in_time(e, at)) continue;
    if (at == kNever) {
      const auto now = r.jobs[id.value].state_at(r.end_ms);
      return broken(fmt::format("{} did not end; it is {} at {}{}", name_of_job(r, id),
                                now ? weir::name_of(*now) : "unknown", at_text(r.end_ms), why_not(r, id)));
    }
    return broken(fmt::format("{} {} at {}", name_of_job(r, id), weir::name_of(state), at_text(at)));
  }
  return held();
}

Verdict judge_resumes(const Record& r, const Expectation& e) {
  const JobId id = job_of(r, e);
  const auto& attempts = r.jobs[id.value].attempts;
  const auto least = number(e, "progress_at_least");
  const auto most = number(e, "progress_at_most");
  std::string seen;
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    const Attempt& a = attempts[i];
    if (in_time(e, a.start_ms) && (!least || a.resume_ms >= *least) && (!most || a.resume_ms <= *most)) return held();
    seen +=
        fmt::format("{}{} from {} of work", seen.empty() ? "" : ", ", at_text(a.start_ms), seconds_text(a.resume_ms));
  }
  return broken(seen.empty() ? fmt::format("{} was not started again{}", name_of_job(r, id), why_not(r, id))
                             : fmt::format("{} ran again at {}", name_of_job(r, id), seen));
}

Verdict judge_resume_points(const Record& r, const Expectation& e) {
  const auto& attempts = r.jobs[job_of(r, e).value].attempts;
  std::string seen;
  for (std::size_t i = 1; i < attempts.size(); ++i) seen += (i == 1 ? "" : ", ") + milli_text(attempts[i].resume_ms);
  const std::string instead = "it resumed from [" + seen + "] s of work";
  for (const bool exact : {false, true}) {
    const Arg* points = arg(e, exact ? "equals" : "at_least");
    if (points == nullptr) continue;
    if (attempts.size() < points->numbers.size() + 1 || (exact && attempts.size() != points->numbers.size() + 1))
      return broken(instead);
    for (std::size_t i = 0; i < points->numbers.size(); ++i) {
      const DurationMs point = attempts[i + 1].resume_ms;
      if (exact ? point != points->numbers[i] : point < points->numbers[i]) return broken(instead);
    }
  }
  return held();
}

namespace {

// Do processes of two attempts of one job live at the same time?
std::optional<TimeMs> attempts_together(const Record& r, JobId job) {
  for (const Hold& a : r.holds)
    for (const Hold& b : r.holds)
      if (a.job == job && b.job == job && a.run < b.run && b.from_ms < a.to_ms && b.to_ms > b.from_ms) return b.from_ms;
  return std::nullopt;
}

}  // namespace

Verdict judge_overlap(const Record& r, const Expectation& e) {
  if (const std::string name = word(e, "job"); !name.empty()) {
    const auto t = attempts_together(r, r.scenario.job(name));
    return t ? broken(fmt::format("two attempts of {} lived at {}", name, at_text(*t))) : held();
  }
  const bool allowed = number(e, "allowed").value_or(0) != 0;
  const std::vector<JobId> ids = jobs_of(r, e);
  for (const TimeMs t : r.change_times) {
    std::vector<std::string> running;
    for (const JobId id : ids)
      if (r.jobs[id.value].running_at(t)) running.push_back(name_of_job(r, id));
    if (running.size() < 2) continue;
    return allowed ? held() : broken(fmt::format("{} and {} ran together at {}", running[0], running[1], at_text(t)));
  }
  return allowed ? broken("no two of them ran together") : held();
}

Verdict judge_placed_on(const Record& r, const Expectation& e) {
  std::vector<Hold> found;
  if (const std::string service = word(e, "service"); !service.empty()) {
    for (const Hold& hold : r.holds)
      if (hold.service == r.scenario.service(service)) found.push_back(hold);
  } else {
    const JobId id = job_of(r, e);
    const auto& attempts = r.jobs[id.value].attempts;
    const auto index = static_cast<std::size_t>(std::max<std::int64_t>(1, number(e, "attempt").value_or(1)) - 1);
    if (index >= attempts.size())
      return broken(fmt::format("{} was started {} times{}", name_of_job(r, id), attempts.size(), why_not(r, id)));
    for (const Hold& hold : r.holds)
      if (hold.run == attempts[index].run) found.push_back(hold);
  }
  std::set<std::string> nodes;
  std::uint64_t cards = 0;
  bool right = !found.empty();
  const Arg* wanted_nodes = arg(e, "nodes");
  const Arg* models = arg(e, "models");
  for (const Hold& hold : found) {
    const NodeSpec& node = r.scenario.nodes[hold.node.value];
    nodes.insert(node.name);
    cards |= hold.cards;
    if (wanted_nodes != nullptr)
      right = right && std::count(wanted_nodes->words.begin(), wanted_nodes->words.end(), node.name) > 0;
    if (models != nullptr) right = right && std::count(models->words.begin(), models->words.end(), node.model) > 0;
    if (arg(e, "node") != nullptr) right = right && node.name == word(e, "node");
    if (arg(e, "model") != nullptr) right = right && node.model == word(e, "model");
    if (arg(e, "group") != nullptr) right = right && node.group == word(e, "group");
  }
  if (const auto count = number(e, "node_count")) right = right && static_cast<std::int64_t>(nodes.size()) == *count;
  std::string card_list;
  for (std::uint64_t rest = cards; rest != 0; rest &= rest - 1)
    card_list += (card_list.empty() ? "" : ", ") + std::to_string(std::countr_zero(rest));
  if (const Arg* wanted = arg(e, "cards")) {
    std::uint64_t mask = 0;
    for (const std::int64_t card : wanted->numbers)
      mask |= std::uint64_t{1} << std::min<std::int64_t>(card, kCardsPerNodeMax - 1);
    right = right && mask == cards;
  }
  std::string list;
  for (const std::string& node : nodes) list += (list.empty() ? "" : ", ") + node;
  return right ? held()
               : broken(fmt::format("it was put on {} (cards {})", list.empty() ? "no node" : list, card_list));
}

Verdict judge_state(const Record& r, const Expectation& e) {
  std::string name = word(e, "equals") + word(e, "is") + word(e, "state");
  const TimeMs t = number(e, "t").value_or(number(e, "at").value_or(number(e, "by").value_or(r.end_ms)));
  if (const std::string node = word(e, "node"); !node.empty()) {
    const CardCount* view = r.node_view_at(r.scenario.node(node), t);
    const bool down = view != nullptr && view->down > 0;
    if (name != "up" && name != "down") return broken("a node is up or down; nothing else is asked of it here");
    return (name == "down") == down ? held()
                                    : broken(fmt::format("{} is {} at {}", node, down ? "down" : "up", at_text(t)));
  }
  if (word(e, "job").empty()) return broken("the check names neither a job nor a node");
  const JobRecord& job = r.jobs[job_of(r, e).value];
  const auto state = job.state_at(t);
  const std::string instead = fmt::format("it is {} at {}", state ? weir::name_of(*state) : "not known", at_text(t));
  if (!name.empty() && !is_state(state, name)) return broken(instead);
  for (const std::string_view field : {"one_of", "in"}) {
    const Arg* list = arg(e, field);
    const auto matches = [&](const std::string& w) { return is_state(state, w); };
    if (list != nullptr && std::none_of(list->words.begin(), list->words.end(), matches)) return broken(instead);
  }
  if (const Arg* list = arg(e, "never")) {
    for (const auto& [at, was] : job.states)
      for (const std::string& w : list->words)
        if (is_state(was, w)) return broken(fmt::format("it was {} at {}", weir::name_of(was), at_text(at)));
  }
  return held();
}

Verdict judge_tier_at(const Record& r, const Expectation& e) {
  const JobRecord& job = r.jobs[job_of(r, e).value];
  const TimeMs at = *number(e, "at");
  std::string name = "unknown";
  for (const auto& [from, tier] : job.tiers)
    if (from <= at) name = tier;
  const std::string wanted = word(e, "equals");
  for (const TierSpec& tier : r.scenario.settings.tiers) {
    if (tier.name != name) continue;
    const bool by_role = (wanted == "deadline" && tier.role == TierRole::deadline) ||
                         (wanted == "inference" && tier.role == TierRole::inference);
    if (wanted == name || wanted == std::to_string(tier.weight) || by_role) return held();
  }
  return broken(fmt::format("its tier is {} at {}", name, at_text(at)));
}

Verdict judge_rejected(const Record& r, const Expectation& e) {
  const JobRecord& job = r.jobs[job_of(r, e).value];
  if (!job.rejected) return broken("it was accepted");
  const std::string field = word(e, "field");
  const bool named =
      field.empty() || job.rejected->field == field || job.rejected->message.find(field) != std::string::npos;
  return named ? held()
               : broken(fmt::format("it was rejected naming {}: {}", job.rejected->field, job.rejected->message));
}

Verdict judge_version(const Record& r, const Expectation& e) {
  const ServiceId service = r.scenario.service(word(e, "service"));
  const TimeMs by = *number(e, "by");
  std::int32_t live = 0;
  for (const ReplicaRecord& replica : r.replicas) {
    if (replica.service != service || !replica.live_at(by)) continue;
    ++live;
    if (replica.version != *number(e, "all"))
      return broken(fmt::format("a replica of version {} lives at {}", replica.version, at_text(by)));
  }
  return live > 0 ? held() : broken("it has no replica at " + at_text(by));
}

Verdict judge_answered(const Record& r, const Expectation& e) {
  const ServiceId service = r.scenario.service(word(e, "service"));
  for (const auto& [id, times] : r.answered) {
    if (id != service) continue;
    if (times.second == kNever || times.second - times.first > *number(e, "within"))
      return broken(fmt::format("the request of {} was answered {}", at_text(times.first), at_text(times.second)));
  }
  return held();
}

Verdict judge_eta_contains_start(const Record& r, const Expectation& e) {
  const JobId id = job_of(r, e);
  const TimeMs start = first_start(r, id);
  const auto forecast = forecast_of_start(r, id);
  if (!forecast) return start == kNever ? held() : broken("no start was forecast; it started at " + at_text(start));
  if (start >= forecast->earliest_ms && start <= forecast->latest_ms) return held();
  return broken(fmt::format("it started at {}; the forecast was {} to {}", at_text(start),
                            at_text(forecast->earliest_ms), at_text(forecast->latest_ms)));
}

}  // namespace weir::scenario
