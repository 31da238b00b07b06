// Checks on quantities over time: use, replicas, free cards, running and waiting work.
#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "scenario/check.h"

namespace weir::scenario {

namespace {

bool waits_at(const JobRecord& job, TimeMs t) {
  const auto state = job.state_at(t);
  return state == JobState::waiting || state == JobState::backoff || state == JobState::held;
}

// Cards of the node, the nodes of a model, or the pool, as the engine counts them.
CardCount view_at(const Record& r, const Expectation& e, TimeMs t) {
  const std::string node = word(e, "node");
  const std::string model = word(e, "model");
  CardCount sum;
  for (const NodeSpec& spec : r.scenario.nodes) {
    if ((!node.empty() && spec.name != node) || (!model.empty() && spec.model != model)) continue;
    const CardCount* view = r.node_view_at(spec.id, t);
    if (view == nullptr) continue;
    sum.free += view->free;
    sum.claimed += view->claimed;
    sum.whole += view->whole;
    sum.shared += view->shared;
    sum.quarantined += view->quarantined;
    sum.missing += view->missing;
    sum.down += view->down;
  }
  return sum;
}

bool selected(const Record& r, const Expectation& e, JobId id) {
  const JobSpec& spec = r.scenario.jobs[id.value].spec;
  if (const std::string team = word(e, "team"); !team.empty() && spec.team != team) return false;
  const Arg* list = arg(e, "jobs");
  return list == nullptr || std::find(list->words.begin(), list->words.end(), spec.name) != list->words.end();
}

}  // namespace

Verdict judge_uses(const Record& r, const Expectation& e) {
  if (const auto free = number(e, "reported_free")) {
    for (const TimeMs t : moments_of(r, e))
      if (const std::int64_t said = view_at(r, e, t).free; said != *free)
        return broken(fmt::format("{} cards are reported free at {}", said, at_text(t)));
    if (arg(e, "equals") == nullptr && arg(e, "min") == nullptr && arg(e, "max") == nullptr) return held();
  }
  const std::string team = word(e, "team");
  const std::string node = word(e, "node");
  const std::string model = word(e, "model");
  const std::string service = word(e, "service");
  const std::string job = word(e, "job");
  const auto accept = [&](const Hold& hold) {
    const NodeSpec& spec = r.scenario.nodes[hold.node.value];
    return (team.empty() || r.team_of(hold) == team) && (node.empty() || spec.name == node) &&
           (model.empty() || spec.model == model) &&
           (service.empty() || (hold.service.valid() && r.scenario.service(service) == hold.service)) &&
           (job.empty() || (hold.job.valid() && r.scenario.job(job) == hold.job));
  };
  return judge_series(r, e, [&](TimeMs t) { return r.milli_at(t, accept); }, "GPUs in use", true);
}

Verdict judge_replicas(const Record& r, const Expectation& e) {
  const ServiceId service = r.scenario.service(word(e, "service"));
  const bool ready = number(e, "ready").value_or(0) != 0;
  return judge_series(
      r, e, [&](TimeMs t) { return r.replicas_at(service, t, ready); }, ready ? "ready replicas" : "replicas");
}

Verdict judge_idle(const Record& r, const Expectation& e) {
  return judge_series(
      r, e,
      [&](TimeMs t) {
        const CardCount count = view_at(r, e, t);
        return count.free + count.claimed;
      },
      "free cards");
}

Verdict judge_running_count(const Record& r, const Expectation& e) {
  return judge_series(
      r, e,
      [&](TimeMs t) {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < r.jobs.size(); ++i)
          if (r.jobs[i].running_at(t) && selected(r, e, JobId(static_cast<std::uint32_t>(i)))) ++count;
        return count;
      },
      "jobs running");
}

Verdict judge_pending_count(const Record& r, const Expectation& e) {
  const Arg* codes = arg(e, "code");
  return judge_series(
      r, e,
      [&](TimeMs t) {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < r.jobs.size(); ++i) {
          if (!waits_at(r.jobs[i], t) || !selected(r, e, JobId(static_cast<std::uint32_t>(i)))) continue;
          const Reasons* reasons = r.jobs[i].reasons_at(t);
          if (codes == nullptr || (reasons != nullptr && reason_matches(*reasons, codes->words))) ++count;
        }
        return count;
      },
      codes == nullptr ? "jobs waiting" : "jobs waiting for such a reason");
}

Verdict judge_workers_running(const Record& r, const Expectation& e) {
  const JobId job = job_of(r, e);
  return judge_series(
      r, e,
      [&](TimeMs t) {
        return std::count_if(r.holds.begin(), r.holds.end(),
                             [&](const Hold& hold) { return hold.job == job && hold.at(t); });
      },
      "workers running");
}

namespace {

// One card at one moment.
struct CardUse {
  std::int64_t milli = 0;
  std::int64_t mem_mib = 0;
  std::int64_t pieces = 0;
};

CardUse use_of_card(const Record& r, NodeId node, std::int32_t card, TimeMs t) {
  CardUse use;
  for (const Hold& hold : r.holds) {
    if (hold.node != node || !hold.at(t) || (hold.cards >> card & 1) == 0) continue;
    use.milli += hold.share ? hold.milli : kMilliPerCard;
    use.mem_mib += hold.share ? hold.card_mem_mib : r.scenario.nodes[node.value].card_mem_mib;
    ++use.pieces;
  }
  return use;
}

// What is wrong with a card's use; empty when nothing is.
std::string card_problem(const Expectation& e, const CardUse& use, std::size_t position) {
  const auto pick = [position](const Arg& list) {
    return list.numbers.size() == 1 ? list.numbers[0] : position < list.numbers.size() ? list.numbers[position] : 0;
  };
  const auto over = [](std::optional<std::int64_t> most, std::int64_t value) { return most && value > *most; };
  const auto under = [](std::optional<std::int64_t> least, std::int64_t value) { return least && value < *least; };
  const Arg* equals = arg(e, "equals");
  const Arg* mem = arg(e, "mem_mib");
  if ((equals != nullptr && use.milli != pick(*equals)) || over(number(e, "max"), use.milli) ||
      under(number(e, "min"), use.milli))
    return milli_text(use.milli) + " GPU in use";
  if ((mem != nullptr && use.mem_mib != pick(*mem)) || over(number(e, "max_mem_mib"), use.mem_mib) ||
      under(number(e, "min_mem_mib"), use.mem_mib))
    return fmt::format("{} MiB in use", use.mem_mib);
  const auto pieces = number(e, "jobs");
  if (over(number(e, "max_jobs"), use.pieces) || under(number(e, "min_jobs"), use.pieces) ||
      (pieces && use.pieces != *pieces))
    return fmt::format("{} jobs or replicas", use.pieces);
  return {};
}

}  // namespace

Verdict judge_per_gpu(const Record& r, const Expectation& e) {
  const auto only = number(e, "gpu") ? number(e, "gpu") : number(e, "gpu_index");
  for (const NodeSpec& node : r.scenario.nodes) {
    if (const std::string name = word(e, "node"); !name.empty() && node.name != name) continue;
    for (const TimeMs t : moments_of(r, e)) {
      for (std::int32_t card = 0; card < node.cards; ++card) {
        if (only && *only != card) continue;
        const std::string problem =
            card_problem(e, use_of_card(r, node.id, card, t), only ? 0 : static_cast<std::size_t>(card));
        if (!problem.empty())
          return broken(fmt::format("{} on card {} of {} at {}", problem, card, node.name, at_text(t)));
      }
    }
  }
  return held();
}

Verdict judge_capacity(const Record& r, const Expectation& e) {
  return judge_series(
      r, e,
      [&](TimeMs t) {
        const CardCount count = view_at(r, e, t);
        return count.total() - count.missing - count.down - count.quarantined;
      },
      "usable cards");
}

Verdict judge_ledger_zero(const Record& r, const Expectation& e) {
  for (const TimeMs t : moments_of(r, e)) {
    const std::int64_t held_milli = r.milli_at(t, [](const Hold&) { return true; });
    const auto pieces = std::count_if(r.holds.begin(), r.holds.end(), [t](const Hold& hold) { return hold.at(t); });
    if (pieces > 0)
      return broken(fmt::format("{} pieces of work hold {} GPU at {}", pieces, milli_text(held_milli), at_text(t)));
    const CardCount* view = r.pool_view_at(t);
    if (view != nullptr && view->whole + view->shared + view->claimed != 0)
      return broken(fmt::format("the engine counts {} cards held and {} claimed at {}", view->whole + view->shared,
                                view->claimed, at_text(t)));
  }
  return held();
}

namespace {

Verdict judge_agreement(const Record& r, const Expectation& e, const std::string& about) {
  const auto moments = moments_of(r, e);
  const bool one = arg(e, "t") != nullptr || arg(e, "at") != nullptr;
  const TimeMs from = moments.front();
  const Arg* during = arg(e, "during");
  const TimeMs until = one ? from : during != nullptr ? during->numbers[1] : number(e, "until").value_or(r.end_ms);
  for (const auto& d : r.disagreements)
    if (d.at_ms >= from && d.at_ms <= until && (about.empty() || d.about == about))
      return broken(fmt::format("{} at {}", d.text, at_text(d.at_ms)));
  return held();
}

}  // namespace

Verdict judge_views_agree(const Record& r, const Expectation& e) { return judge_agreement(r, e, ""); }

Verdict judge_reported_equals_actual(const Record& r, const Expectation& e) {
  return judge_agreement(r, e, word(e, "team") + word(e, "node"));
}

}  // namespace weir::scenario
