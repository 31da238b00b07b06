// Checks on why work is not running yet.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "scenario/check.h"

namespace weir::scenario {

namespace {

using History = std::vector<std::pair<TimeMs, Reasons>>;

const History& history_of(const Record& r, const Expectation& e) {
  static const History none;
  if (const std::string service = word(e, "replica_of"); !service.empty())
    return r.service_reasons[r.scenario.service(service).value];
  const std::string job = word(e, "job");
  return job.empty() ? none : r.jobs[r.scenario.job(job).value].reasons;
}

const Reasons* in_force(const History& history, TimeMs t) {
  const Reasons* found = nullptr;
  for (const auto& [from, reasons] : history)
    if (from <= t) found = &reasons;
  return found;
}

// It runs or has ended: there is nothing to explain.
bool explained_by_running(const Record& r, const Expectation& e, TimeMs t) {
  const std::string name = word(e, "job");
  if (name.empty()) return false;
  const JobRecord& job = r.jobs[r.scenario.job(name).value];
  const auto state = job.state_at(t);
  return job.started_by(t) && state && (*state == JobState::running || ended(*state));
}

Verdict reason_at(const Record& r, const Expectation& e, TimeMs t) {
  if (explained_by_running(r, e, t)) return held();
  const Reasons* reasons = in_force(history_of(r, e), t);
  if (reasons == nullptr) return broken("no reason is given at " + at_text(t));
  if (reason_matches(*reasons, arg(e, "code")->words)) return held();
  return broken(fmt::format("the reasons at {} are: {}", at_text(t), reasons_text(r, *reasons)));
}

// The cause that excludes a node for a job, by our own look at the node.
std::string_view excluded_by(const Record& r, const JobSpec& spec, const NodeSpec& node, TimeMs t) {
  const bool allowed =
      spec.models.empty() || std::find(spec.models.begin(), spec.models.end(), node.model) != spec.models.end();
  if (!allowed) return "model";
  const CardCount* view = r.node_view_at(node.id, t);
  if (view != nullptr && view->down > 0) return "node_down";
  if (r.drained_at(node.id, t)) return "drained";
  std::int64_t needed = 0;
  for (const WorkerGroup& role : spec.roles) needed = std::max<std::int64_t>(needed, role.shape.cards);
  if (view != nullptr && view->free < std::max<std::int64_t>(needed, 1)) return "capacity";
  return "";
}

}  // namespace

Verdict judge_reason(const Record& r, const Expectation& e) {
  if (const Arg* during = arg(e, "during")) {
    Verdict first = reason_at(r, e, during->numbers[0]);
    if (!first.holds) return first;
    for (const auto& [at, reasons] : history_of(r, e)) {
      if (at <= during->numbers[0] || at > during->numbers[1]) continue;
      Verdict later = reason_at(r, e, at);
      if (!later.holds) return later;
    }
    return held();
  }
  const auto at = number(e, "at") ? number(e, "at") : number(e, "t");
  return at ? reason_at(r, e, *at) : broken("the check names no time");
}

Verdict judge_reason_never(const Record& r, const Expectation& e) {
  const Arg* during = arg(e, "during");
  for (const auto& [at, reasons] : history_of(r, e)) {
    if (during != nullptr && (at < during->numbers[0] || at > during->numbers[1])) continue;
    if (reason_matches(reasons, arg(e, "code")->words))
      return broken(fmt::format("the reasons at {} were: {}", at_text(at), reasons_text(r, reasons)));
  }
  return held();
}

Verdict judge_reason_names(const Record& r, const Expectation& e) {
  const TimeMs at = *number(e, "at");
  const JobId holder = job_of(r, e, "holder");
  if (explained_by_running(r, e, at)) return held();
  const Reasons* reasons = in_force(history_of(r, e), at);
  if (reasons == nullptr) return broken("no reason is given at " + at_text(at));
  for (const Reason& reason : *reasons) {
    const auto run = r.run_of.find(reason.run);
    if (reason.job == holder || (run != r.run_of.end() && run->second.first == holder)) return held();
  }
  return broken(fmt::format("the reasons at {} are: {}", at_text(at), reasons_text(r, *reasons)));
}

Verdict judge_reason_breakdown(const Record& r, const Expectation& e) {
  const TimeMs t = number(e, "at").value_or(number(e, "t").value_or(0));
  std::map<std::string, std::int64_t> wanted;
  for (const std::string_view field : {"nodes", "equals", "counts", "causes"})
    if (const Arg* tally = arg(e, field)) wanted.insert(tally->counts.begin(), tally->counts.end());
  for (const std::string_view name : reason_words())
    if (const auto count = number(e, name)) wanted[std::string(name)] = *count;
  const JobSpec& spec = r.scenario.jobs[job_of(r, e).value].spec;
  std::map<std::string, std::int64_t> found;
  for (const NodeSpec& node : r.scenario.nodes) ++found[std::string(excluded_by(r, spec, node, t))];
  const auto excluded = static_cast<std::int64_t>(r.scenario.nodes.size()) - found[""];
  if (const auto total = number(e, "total"); total && excluded != *total)
    return broken(fmt::format("{} nodes are excluded at {}", excluded, at_text(t)));
  if (wanted.contains("no_such_model")) found["no_such_model"] = found["model"];
  if (wanted.contains("fragmented")) found["fragmented"] = found["capacity"];
  for (const auto& [name, count] : wanted)
    if (found[name] != count)
      return broken(fmt::format("{} nodes are excluded by {} at {}", found[name], name, at_text(t)));
  const Reasons* reasons = in_force(history_of(r, e), t);
  if (reasons == nullptr) return broken("no reason is given at " + at_text(t));
  for (const Reason& reason : *reasons) {
    const std::string name(word_of(reason.code));
    const bool of_nodes = reason.code == ReasonCode::drained || reason.code == ReasonCode::node_down;
    if (of_nodes && wanted.contains(name) && reason.amount != wanted[name])
      return broken(fmt::format("the engine says that {} nodes are excluded by {}", reason.amount, name));
  }
  return held();
}

}  // namespace weir::scenario
