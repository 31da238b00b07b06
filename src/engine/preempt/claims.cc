#include "engine/preempt/claims.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/guard/services.h"
#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

bool overlap(const Placement& a, const Placement& b) { return a.node == b.node && (a.cards & b.cards) != 0; }

bool stands_on(const RunRec& run, const std::vector<ClaimPart>& parts) {
  return std::any_of(run.places.begin(), run.places.end(), [&](const Placement& place) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const ClaimPart& part) { return !part.started && overlap(place, part.place); });
  });
}

void enter_nodes(Pool& pool, const ClaimRec& claim) {
  for (const ClaimPart& part : claim.parts) {
    keep(pool, part.place);
    std::vector<std::uint32_t>& list = node_of(pool, part.place.node)->claims;
    if (std::find(list.begin(), list.end(), claim.id.value) == list.end()) list.push_back(claim.id.value);
  }
}

void leave_node(Pool& pool, const ClaimRec& claim, const ClaimPart& part) {
  unkeep(pool, part.place);
  const bool more = std::any_of(claim.parts.begin(), claim.parts.end(), [&](const ClaimPart& other) {
    return &other != &part && !other.started && other.place.node == part.place.node;
  });
  if (!more) std::erase(node_of(pool, part.place.node)->claims, claim.id.value);
}

// What the claim adds to its team's use: all of it, less what victims of the team still hold.
void count_for_team(Pool& pool, ClaimRec& claim, std::int64_t milli) {
  const JobRec* job = job_of(pool, claim.job);
  if (job == nullptr) return;
  pool.teams[job->team].claimed_milli += milli - claim.quota_milli;
  claim.quota_milli = milli;
}

std::int64_t quota_of(const Pool& pool, const ClaimRec& claim) {
  const JobRec* job = job_of(pool, claim.job);
  if (job == nullptr) return 0;
  std::int64_t milli = pool.demands[job->demand].variants[claim.variant].milli;
  if (claim.moves) {
    // Who moves comes back: only what the job's own run still holds is not counted twice.
    const RunRec* own = run_of(pool, job->run);
    return own == nullptr ? milli : std::max<std::int64_t>(0, milli - own->milli);
  }
  for (const Victim& victim : claim.victims) {
    const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
    if (run != nullptr && run->team == job->team) milli -= run->milli;
  }
  return std::max<std::int64_t>(0, milli);
}

TimeMs boundary_for(const Pool& pool, const RunRec& run, const Leaver& leaver, TimeMs due, bool first) {
  if (first && due <= pool.now_ms) return leaver.boundary_ms;
  const TimeMs latest = due - write_time(pool, run, leaver.cause);
  const TimeMs from = std::max(pool.now_ms, eligible_from(pool, run));
  const TimeMs last = boundary_until(pool, run, from, latest, leaver.cause);
  return last >= kNever ? leaver.boundary_ms : last;
}

// Victims of a claim that this one supersedes, on cards that it wants: now its own.
void inherit_victims(Pool& pool, ClaimRec& claim, ClaimId from) {
  const ClaimRec* old = claim_of(pool, from);
  if (old == nullptr) return;  // it ended with another that this one supersedes
  for (const Victim& victim : old->victims) {
    RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
    if (run == nullptr || run->ask.claim != from || !stands_on(*run, claim.parts)) continue;
    claim.victims.push_back({run->id, run->ask.boundary_ms, run->ask.free_ms, false});
    if (run->ask.boundary_ms > pool.now_ms && !run->writing) {
      ask(pool, *run, claim.id, run->ask.cause, run->ask.boundary_ms);
    } else {
      run->ask.claim = claim.id;
    }
  }
}

change::ClaimMade said(const ClaimRec& claim) {
  change::ClaimMade made{.claim = claim.id,
                         .beneficiary = claim.beneficiary,
                         .cause = claim.cause,
                         .job = claim.job,
                         .service = claim.service};
  for (const ClaimPart& part : claim.parts) made.cards.push_back(part.place);
  for (const Victim& victim : claim.victims) made.victims.push_back({victim.run, victim.boundary_ms, victim.free_ms});
  made.replicas = claim.replicas;
  made.due_ms = claim.due_ms;
  made.expires_ms = claim.expires_ms;
  return made;
}

void ask_victims(Pool& pool, ClaimRec& claim, const Plan& plan, bool first_boundary, TimeMs need_by_ms) {
  for (const Leaver& leaver : plan.victims) {
    if (leaver.kind == LeaverKind::replica) {
      const ReplicaId id(leaver.id);
      claim.replicas.push_back(id);
      pool.replicas.at(leaver.id).taken_by = claim.id;
      drain_replica(pool, id, decision::DrainCause::taken, claim.id);
      continue;
    }
    RunRec& run = pool.runs.at(leaver.id);
    const TimeMs due = first_boundary ? need_by_ms : claim.due_ms;
    const TimeMs boundary = boundary_for(pool, run, leaver, due, first_boundary);
    claim.victims.push_back({run.id, boundary, boundary + write_time(pool, run, leaver.cause), false});
    ask(pool, run, claim.id, leaver.cause, boundary);
  }
}

// Others that counted on cards which a victim, now staying, was to free.
void end_dependents(Pool& pool, const RunRec& run, ClaimId except) {
  std::vector<ClaimId> broken;
  for (const auto& [id, other] : pool.claims) {
    if (other.id == except || !stands_on(run, other.parts)) continue;
    broken.push_back(other.id);
  }
  for (const ClaimId id : broken) end_claim(pool, id, ClaimEnd::withdrawn);
}

}  // namespace

namespace {

// Targets of moves whose runs stay where they are.
void end_targets(Pool& pool, ClaimId parent) {
  std::vector<ClaimId> idle;
  for (const auto& [id, claim] : pool.claims) {
    const JobRec* job = claim.parent == parent && parent.valid() ? job_of(pool, claim.job) : nullptr;
    const RunRec* run = job == nullptr ? nullptr : run_of(pool, job->run);
    if (run != nullptr && run->ask.state == AskState::none) idle.push_back(claim.id);
  }
  for (const ClaimId id : idle) end_claim(pool, id, ClaimEnd::withdrawn);
}

}  // namespace

ClaimRec& make_claim(Pool& pool, const Taker& taker, const Beneficiary& who, const Plan& plan) {
  const ClaimId id(pool.next_claim++);
  ClaimRec& claim = pool.claims[id.value];
  claim.id = id;
  claim.beneficiary = who.what;
  claim.cause = plan.move ? YieldCause::move : plan.rotation ? YieldCause::rotation : YieldCause::claim;
  claim.moves = plan.move;
  claim.parent = plan.parent;
  claim.job = who.job;
  claim.service = who.service;
  claim.variant = who.variant;
  claim.rank = taker.rank;
  claim.made_ms = pool.now_ms;
  claim.due_ms = std::max(plan.due_ms, taker.need_by_ms);
  const DurationMs wait = claim.due_ms - claim.made_ms;
  const Settings& s = *pool.settings;
  claim.expires_ms = claim.due_ms + std::max(s.claim_grace_ms, wait / 1000 * s.claim_grace_permille);
  for (const Placement& place : plan.places) claim.parts.push_back({place, false});
  for (const ClaimId other : plan.superseded) {
    inherit_victims(pool, claim, other);
    end_claim(pool, other, ClaimEnd::superseded);
  }
  enter_nodes(pool, claim);
  ask_victims(pool, claim, plan, who.first_boundary, taker.need_by_ms);
  count_for_team(pool, claim, quota_of(pool, claim));
  if (JobRec* job = job_of(pool, who.job)) job->claim = id;
  if (ServiceRec* service = service_of(pool, who.service)) service->claims.push_back(id);
  tell(pool, said(claim));
  wake_at(pool, claim.expires_ms, Timer::claim, id.value);
  ++pool.epoch;
  return claim;
}

void end_claim(Pool& pool, ClaimId id, ClaimEnd how) {
  const auto it = pool.claims.find(id.value);
  if (it == pool.claims.end()) return;
  ClaimRec claim = std::move(it->second);
  for (const ClaimPart& part : claim.parts) {
    if (!part.started) leave_node(pool, claim, part);
  }
  for (ClaimPart& part : claim.parts) {
    if (!part.started) std::erase(node_of(pool, part.place.node)->claims, id.value);
  }
  count_for_team(pool, claim, 0);
  pool.claims.erase(it);
  if (JobRec* job = job_of(pool, claim.job)) {
    job->claim = ClaimId();
    if (how != ClaimEnd::started && !job->run.valid()) refund_budget(pool, *job);  // a mover goes on
  }
  if (ServiceRec* service = service_of(pool, claim.service)) std::erase(service->claims, id);
  tell(pool, change::ClaimEnded{id, how});
  ++pool.epoch;
  for (const Victim& victim : claim.victims) {
    RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
    if (run == nullptr || run->ask.claim != id) continue;
    if (how == ClaimEnd::expired) {
      alarm(pool,
            {.kind = change::AlarmKind::yield_overdue, .node = {}, .job = run->job, .service = {}, .run = run->id});
      const bool kill = pool.settings->on_emergency == EmergencyRule::kill && run->ask.boundary_ms <= pool.now_ms;
      if (kill && !run->stopping) {
        run->stopping = true;
        decide(pool, decision::StopRun{run->id, decision::StopCause::emergency});
      }
    }
    withdraw(pool, *run);
    if (run->ask.state == AskState::none) end_dependents(pool, *run, id);
  }
  if (claim.moves) end_targets(pool, id);
}

void shrink_claim(Pool& pool, ClaimId id, std::int64_t parts) {
  ClaimRec* claim = claim_of(pool, id);
  if (claim == nullptr) return;
  const auto open = [&] {
    return std::count_if(claim->parts.begin(), claim->parts.end(), [](const ClaimPart& p) { return !p.started; });
  };
  const bool began =
      std::any_of(claim->parts.begin(), claim->parts.end(), [](const ClaimPart& p) { return p.started; });
  if (parts <= 0) {
    end_claim(pool, id, began ? ClaimEnd::started : ClaimEnd::withdrawn);
    return;
  }
  while (open() > parts) {
    const auto last =
        std::find_if(claim->parts.rbegin(), claim->parts.rend(), [](const ClaimPart& p) { return !p.started; });
    leave_node(pool, *claim, *last);
    tell(pool, change::VictimDropped{id, RunId(), {last->place}});
    claim->parts.erase(std::next(last).base());
  }
  for (std::size_t i = claim->victims.size(); i-- > 0;) {
    RunRec* run = claim->victims[i].gone ? nullptr : run_of(pool, claim->victims[i].run);
    if (run == nullptr || stands_on(*run, claim->parts) || run->ask.claim != id) continue;
    withdraw(pool, *run);
    if (run->ask.state != AskState::none) continue;
    claim->victims.erase(claim->victims.begin() + static_cast<std::ptrdiff_t>(i));
    tell(pool, change::VictimDropped{id, run->id, {}});
  }
  ++pool.epoch;
}

void victim_left(Pool& pool, RunId run) {
  for (auto& [id, claim] : pool.claims) {
    for (Victim& victim : claim.victims) {
      if (victim.run != run || victim.gone) continue;
      victim.gone = true;
      claim.begun = true;
      count_for_team(pool, claim, quota_of(pool, claim));
    }
    if (claim.parent.valid()) count_for_team(pool, claim, quota_of(pool, claim));  // its own run has left
  }
}

bool part_free(const Pool& pool, const ClaimPart& part) {
  const Node* node = node_of(pool, part.place.node);
  return node != nullptr && free_of_holders(*node, part.place);
}

namespace {

// Each part fits by itself; do all of a node fit beside each other?
bool fit_together(const Node& node, const std::vector<const Placement*>& places) {
  std::int64_t cpu = 0;
  std::int64_t ram = 0;
  std::vector<Card> cards = node.cards;
  bool fits = true;
  for (const Placement* place : places) {
    cpu += place->cpu_milli;
    ram += place->ram_mib;
    if (!place->share) continue;
    Card& card = cards[static_cast<std::size_t>(std::countr_zero(place->cards))];
    card.milli += place->milli;
    card.mem_mib += place->card_mem_mib;
    fits = fits && card.milli <= kMilliPerCard && card.mem_mib <= node.spec.card_mem_mib;
  }
  return fits && (cpu == 0 || cpu <= node.spec.cpu_milli - node.cpu_used) &&
         (ram == 0 || ram <= node.spec.ram_mib - node.ram_used);
}

}  // namespace

bool all_free(const Pool& pool, const ClaimRec& claim) {
  const auto& parts = claim.parts;
  if (!std::all_of(parts.begin(), parts.end(), [&](const ClaimPart& p) { return part_free(pool, p); })) return false;
  std::map<std::uint32_t, std::vector<const Placement*>> by_node;
  for (const ClaimPart& part : parts) by_node[part.place.node.value].push_back(&part.place);
  return std::all_of(by_node.begin(), by_node.end(), [&](const auto& entry) {
    return fit_together(*node_of(pool, NodeId(entry.first)), entry.second);
  });
}

void review_claims(Pool& pool) {
  std::vector<std::pair<ClaimId, ClaimEnd>> over;
  for (const auto& [id, claim] : pool.claims) {
    const bool lost = std::any_of(claim.parts.begin(), claim.parts.end(), [&](const ClaimPart& part) {
      const Node* node = node_of(pool, part.place.node);
      return !part.started && (node == nullptr || !node->takes_work() || (part.place.cards & ~node->healthy()) != 0);
    });
    if (lost) {
      over.emplace_back(claim.id, ClaimEnd::withdrawn);
    } else if (pool.now_ms >= claim.expires_ms) {
      over.emplace_back(claim.id, ClaimEnd::expired);
    }
  }
  for (const auto& [id, how] : over) {
    const ClaimRec* claim = claim_of(pool, id);
    if (claim == nullptr) continue;
    const bool began =
        std::any_of(claim->parts.begin(), claim->parts.end(), [](const ClaimPart& p) { return p.started; });
    end_claim(pool, id, began && how == ClaimEnd::withdrawn ? ClaimEnd::started : how);
  }
}

void withdraw_unasked(Pool& pool) {
  std::vector<std::pair<ClaimId, ClaimEnd>> over;
  for (const auto& [id, claim] : pool.claims) {
    const bool unasked = std::any_of(claim.victims.begin(), claim.victims.end(), [&](const Victim& victim) {
      const RunRec* run = victim.gone ? nullptr : run_of(pool, victim.run);
      return run != nullptr && run->ask.state == AskState::planned;
    });
    const bool began =
        std::any_of(claim.parts.begin(), claim.parts.end(), [](const ClaimPart& p) { return p.started; });
    if (unasked) over.emplace_back(claim.id, began ? ClaimEnd::started : ClaimEnd::withdrawn);
  }
  for (const auto& [id, how] : over) end_claim(pool, id, how);
}

void expire_claims(Pool& pool) {
  std::vector<ClaimId> over;
  for (const auto& [id, claim] : pool.claims) {
    if (pool.now_ms >= claim.expires_ms) over.push_back(claim.id);
  }
  for (const ClaimId id : over) end_claim(pool, id, ClaimEnd::expired);
  if (!over.empty()) wake_at(pool, pool.now_ms + 1, Timer::eligible, 0);  // its cards are free for others
}

}  // namespace weir::engine
