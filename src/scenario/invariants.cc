#include "scenario/invariants.h"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include "model/names.h"
#include "scenario/check.h"

namespace weir::scenario {

namespace {

constexpr DurationMs kGapMax = 30 * kSecond;
constexpr std::size_t kBreachesMax = 20;  // of one kind; more tell no more

using Breaches = std::vector<std::string>;

const std::string& name_of_job(const Record& r, JobId id) { return r.scenario.jobs[id.value].spec.name; }

// --- I1: nothing is given out above its size ---

struct CardLoad {
  std::int64_t whole = 0;
  std::int64_t shares = 0;
  std::int64_t milli = 0;
  std::int64_t mem_mib = 0;
};

void add_load(std::vector<CardLoad>& cards, const Hold& hold, std::int64_t sign) {
  for (std::uint64_t rest = hold.cards; rest != 0; rest &= rest - 1) {
    CardLoad& card = cards[static_cast<std::size_t>(std::countr_zero(rest))];
    (hold.share ? card.shares : card.whole) += sign;
    if (!hold.share) continue;
    card.milli += sign * hold.milli;
    card.mem_mib += sign * hold.card_mem_mib;
  }
}

void check_sizes(const Record& r, Breaches& out) {
  struct Edge {
    TimeMs at;
    bool starts;
    const Hold* hold;
  };
  std::vector<std::vector<Edge>> edges(r.scenario.nodes.size());
  for (const Hold& hold : r.holds) {
    if (hold.to_ms <= hold.from_ms) continue;
    edges[hold.node.value].push_back({hold.from_ms, true, &hold});
    edges[hold.node.value].push_back({hold.to_ms, false, &hold});
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::stable_sort(edges[i].begin(), edges[i].end(),
                     [](const Edge& a, const Edge& b) { return a.at != b.at ? a.at < b.at : a.starts < b.starts; });
    std::vector<CardLoad> cards(kCardsPerNodeMax);
    for (const Edge& edge : edges[i]) {
      add_load(cards, *edge.hold, edge.starts ? 1 : -1);
      if (!edge.starts) continue;
      for (std::uint64_t rest = edge.hold->cards; rest != 0; rest &= rest - 1) {
        const CardLoad& card = cards[static_cast<std::size_t>(std::countr_zero(rest))];
        const bool over = card.whole > 1 || (card.whole == 1 && card.shares > 0) || card.milli > kMilliPerCard ||
                          card.mem_mib > r.scenario.nodes[i].card_mem_mib;
        if (over && out.size() < kBreachesMax)
          out.push_back(
              fmt::format("I1: card {} of {} is given out above its size at {} ({} whole, {} shares, {} milli, {} MiB)",
                          std::countr_zero(rest), r.scenario.nodes[i].name, at_text(edge.at), card.whole, card.shares,
                          card.milli, card.mem_mib));
      }
    }
  }
}

// --- I2: a gang has all its workers at its start ---

void check_gangs(const Record& r, Breaches& out) {
  for (std::size_t i = 0; i < r.jobs.size(); ++i) {
    const JobSpec& spec = r.scenario.jobs[i].spec;
    std::int64_t workers = 0;
    for (const WorkerGroup& role : spec.roles) workers += role.count;
    const std::int64_t least = spec.min_workers > 0 ? spec.min_workers : workers;
    if (!spec.elastic.empty()) continue;  // its shapes say how many
    for (const Attempt& a : r.jobs[i].attempts)
      if (static_cast<std::int64_t>(a.places.size()) < least || static_cast<std::int64_t>(a.places.size()) > workers)
        out.push_back(fmt::format("I2: {} started at {} with {} of {} workers", spec.name, at_text(a.start_ms),
                                  a.places.size(), workers));
  }
}

// --- I3: nobody is preempted away from a save ---

void check_boundaries(const Record& r, Breaches& out) {
  if (!r.scenario.settings.only_at_checkpoint) return;
  for (const YieldRecord& yield : r.yields) {
    if (yield.left_ms == kNever) continue;
    if (r.scenario.jobs[yield.job.value].spec.ckpt.mode == CheckpointMode::none)
      out.push_back(fmt::format("I3: {} has no checkpoints and was made to yield at {}", name_of_job(r, yield.job),
                                at_text(yield.left_ms)));
    else if (!yield.at_boundary)
      out.push_back(
          fmt::format("I3: {} yielded away from a boundary at {}", name_of_job(r, yield.job), at_text(yield.left_ms)));
  }
  for (std::size_t i = 0; i < r.jobs.size(); ++i)
    for (const Attempt& a : r.jobs[i].attempts)
      if (a.stopped == decision::StopCause::emergency && r.scenario.settings.on_emergency != EmergencyRule::kill)
        out.push_back(
            fmt::format("I3: {} was stopped in an emergency at {}", r.scenario.jobs[i].spec.name, at_text(a.end_ms)));
}

// --- I4: live replicas stay at the guard ---

std::int32_t guard_at(const Record& r, ServiceId service, TimeMs t) {
  std::int32_t guard = 0;
  for (const auto& [from, value] : r.guard_of[service.value])
    if (from <= t) guard = value;
  return guard;
}

void check_guard(const Record& r, Breaches& out) {
  using decision::DrainCause;
  for (const ReplicaRecord& replica : r.replicas) {
    const bool chosen = replica.cause == DrainCause::taken || replica.cause == DrainCause::load_fell ||
                        replica.cause == DrainCause::move;
    if (!chosen) continue;
    const std::int32_t live = r.replicas_at(replica.service, replica.drain_ms, false);
    const std::int32_t guard = guard_at(r, replica.service, replica.drain_ms);
    if (live < guard)
      out.push_back(fmt::format("I4: {} has {} replicas at {}, below its guard of {}",
                                r.scenario.services[replica.service.value].spec.name, live, at_text(replica.drain_ms),
                                guard));
  }
}

// --- I5: the engine's ledger is the recount ---

void check_ledger(const Record& r, Breaches& out) {
  if (r.silence) return;  // stale runs live on; the auditor follows them
  for (const auto& d : r.disagreements)
    if (out.size() < kBreachesMax) out.push_back(fmt::format("I5: {} at {}", d.text, at_text(d.at_ms)));
}

// --- I6: a preemption leads to the start it was for ---

bool overlap(const std::vector<Placement>& a, const std::vector<Placement>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Placement& x) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Placement& y) { return x.node == y.node && (x.cards & y.cards) != 0; });
  });
}

void check_claims(const Record& r, Breaches& out) {
  for (const auto& [id, claim] : r.claims) {
    if (claim.freed.empty() || claim.made.cause != YieldCause::claim) continue;
    const std::string who = claim.made.job.valid()       ? name_of_job(r, claim.made.job)
                            : claim.made.service.valid() ? r.scenario.services[claim.made.service.value].spec.name
                                                         : "the guard";
    if (claim.how == ClaimEnd::open && claim.made.expires_ms < r.end_ms)
      out.push_back(fmt::format("I6: the claim of {} made at {} expired at {} and is still open", who,
                                at_text(claim.made_ms), at_text(claim.made.expires_ms)));
    if (claim.how == ClaimEnd::started && claim.made.beneficiary != ClaimFor::guard_floor &&
        !overlap(claim.freed, claim.started))
      out.push_back(fmt::format("I6: {} started, but on none of the cards that were freed for its claim made at {}",
                                who, at_text(claim.made_ms)));
  }
  for (const YieldRecord& yield : r.yields) {
    if (yield.left_ms == kNever || yield.cause != YieldCause::claim) continue;
    if (!r.claims.contains(yield.claim))
      out.push_back(
          fmt::format("I6: {} was preempted at {} for no claim", name_of_job(r, yield.job), at_text(yield.left_ms)));
  }
}

// --- I7: nobody takes from its equals or betters, but for borrowed use ---

void check_takers(const Record& r, Breaches& out) {
  for (const auto& [id, claim] : r.claims)
    for (const Taking& taking : claim.takings)
      if (claim.made.cause == YieldCause::claim && taking.victim_weight >= taking.taker_weight && !taking.borrowed)
        out.push_back(fmt::format("I7: a claim of weight {} takes {}, which has weight {}, at {}", taking.taker_weight,
                                  name_of_job(r, taking.victim), taking.victim_weight, at_text(claim.made_ms)));
}

// --- I8: waiting work has a reason ---

void check_reasons(const Record& r, Breaches& out) {
  for (std::size_t i = 0; i < r.jobs.size(); ++i)
    for (const auto& [at, reasons] : r.jobs[i].reasons)
      if (reasons.empty() && out.size() < kBreachesMax)
        out.push_back(fmt::format("I8: {} waits without a reason at {}", r.scenario.jobs[i].spec.name, at_text(at)));
}

// --- I9: saved work is not lost ---

void check_saves(const Record& r, Breaches& out) {
  for (const auto& resume : r.expected_resume)
    if (resume.used_ms != resume.newest_ms)
      out.push_back(fmt::format("I9: {} starts at {} from {} of work; its newest complete save is at {}",
                                name_of_job(r, resume.job), at_text(resume.at_ms), seconds_text(resume.used_ms),
                                seconds_text(resume.newest_ms)));
}

// --- I10: the engine keeps stepping ---

void check_rounds(const Record& r, Breaches& out) {
  const DurationMs gap = r.longest_gap_ms(0, r.end_ms);
  if (gap > kGapMax) out.push_back("I10: no round for " + seconds_text(gap));
}

}  // namespace

std::vector<std::string> breaches_of(const Record& record) {
  std::vector<std::string> all;
  for (const auto check : {check_sizes, check_gangs, check_boundaries, check_guard, check_ledger, check_claims,
                           check_takers, check_reasons, check_saves, check_rounds}) {
    Breaches some;
    check(record, some);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace weir::scenario
