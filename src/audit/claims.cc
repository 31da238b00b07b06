// Claims: feasible when made, disjoint, their cards their own, ended once.
#include <algorithm>
#include <bit>

#include "audit/impl.h"

namespace weir {

using audit::ClaimPart;
using audit::ClaimRecord;
using audit::JobRecord;
using audit::Lease;
using audit::NodeBook;
using audit::ReplicaRecord;
using audit::RunRecord;

ClaimRecord* Auditor::Impl::claim_of(ClaimId id) {
  const auto it = claims.find(id.value);
  return it == claims.end() ? nullptr : &it->second;
}

// A claim may count on whom the same step tells to leave, for whatever cause.
void Auditor::Impl::note_told(const StepResult& result) {
  told_to_leave.clear();
  replicas_told.clear();
  jobs_told_ended.clear();
  for (const Change& change : result.changes) {
    const auto* state = std::get_if<change::JobStateSet>(&change);
    if (state != nullptr && ended(state->state)) jobs_told_ended.insert(state->job);
  }
  for (const Decision& decision : result.decisions) {
    if (const auto* ask = std::get_if<decision::AskYield>(&decision.body)) told_to_leave.insert(ask->run);
    if (const auto* stop = std::get_if<decision::StopRun>(&decision.body)) told_to_leave.insert(stop->run);
    if (const auto* stop = std::get_if<decision::StopReplica>(&decision.body)) replicas_told.insert(stop->replica);
  }
}

// Those open before the step that end in it are out of the way of what it makes; the
// rest in the order in which it is told.
void Auditor::Impl::note_claims(const StepResult& result) {
  for (const Change& change : result.changes) {
    if (const auto* ended = std::get_if<change::ClaimEnded>(&change)) {
      if (claims.contains(ended->claim.value)) end_claim(*ended);
    } else if (const auto* dropped = std::get_if<change::VictimDropped>(&change)) {
      if (claims.contains(dropped->claim.value)) drop_victim(*dropped);
    }
  }
  for (const Change& change : result.changes) {
    if (const auto* made = std::get_if<change::ClaimMade>(&change)) make_claim(*made);
    if (const auto* ended = std::get_if<change::ClaimEnded>(&change)) {
      const bool done = std::find(claims_ended.begin(), claims_ended.end(), ended->claim) != claims_ended.end();
      if (!done) end_claim(*ended);
    }
  }
}

void Auditor::Impl::make_claim(const change::ClaimMade& made) {
  if (static_cast<std::int64_t>(made.claim.value) <= claim_newest || !made.claim.valid()) {
    violate(5, "claim ", made.claim, " is made, and its number was used before");
    return;
  }
  claim_newest = made.claim.value;
  if (made.expires_ms < made.due_ms) {
    violate(5, "claim ", made.claim, " expires at ", made.expires_ms, ", before its due at ", made.due_ms);
  }
  if (!settings->preempt_enabled && !(made.victims.empty() && made.replicas.empty())) {
    violate(5, "claim ", made.claim, " takes work while preemption is off");
  }
  if (frozen && !(made.victims.empty() && made.replicas.empty())) {
    violate(5, "claim ", made.claim, " takes work while the pool is frozen");
  }
  if (made.beneficiary == ClaimFor::job && job_of(made.job) == nullptr) {
    violate(5, "claim ", made.claim, " is for job ", made.job, ", which is not known");
  }
  if (made.beneficiary == ClaimFor::service && service_of(made.service) == nullptr) {
    violate(5, "claim ", made.claim, " is for service ", made.service, ", which is not known");
  }
  check_disjoint(made);
  check_feasible(made);
  ClaimRecord& claim = claims[made.claim.value];
  claim.made = made;
  claim.made_ms = now_ms;
  claims_by_expiry.emplace(made.expires_ms, made.claim.value);
  claims_made.push_back(made.claim);
  take_claim_parts(claim, true);
}

void Auditor::Impl::check_feasible(const change::ClaimMade& made) {
  for (const change::ClaimVictim& victim : made.victims) {
    const RunRecord* run = run_of(victim.run);
    if (run == nullptr || run->exited) {
      violate(5, "claim ", made.claim, " names run ", victim.run, ", which does not run");
      continue;
    }
    const JobRecord* job = job_of(run->job);
    if (job != nullptr && job->spec.ckpt.mode == CheckpointMode::none && settings->only_at_checkpoint) {
      violate(4, "claim ", made.claim, " takes run ", victim.run, " of job ", run->job, ", which has no checkpoints");
    }
    if (made.beneficiary == ClaimFor::job && made.job == run->job) {
      violate(5, "claim ", made.claim, " of job ", made.job, " takes that job's own run");
    }
  }
  for (const ReplicaId id : made.replicas) {
    if (replica_of(id) == nullptr) violate(5, "claim ", made.claim, " names replica ", id, ", which does not live");
  }
  for (const Placement& place : made.cards) check_claim_holders(made, place);
  const JobRecord* job = job_of(made.job);
  if (made.beneficiary != ClaimFor::job || job == nullptr) return;
  if (auto fault = audit::fault_of_places(job->spec, *settings, made.cards, ledger)) {
    violate(5, "claim ", made.claim, " does not hold job ", made.job, ": ", *fault);
  }
}

// Every holder of a claimed card is one that will have left: a victim, one that
// leaves anyway, or one whose end is promised by then.
void Auditor::Impl::check_claim_holders(const change::ClaimMade& made, const Placement& place) {
  const NodeBook* node = ledger.find(place.node);
  if (node == nullptr || (place.cards & ~node->declared_mask()) != 0) {
    violate(5, "claim ", made.claim, " names a card of node ", place.node, " that does not exist");
    return;
  }
  if (!node->takes_work() || (place.cards & node->faulty) != 0) {
    violate(5, "claim ", made.claim, " names a card of node ", place.node, " that can take no work");
    return;
  }
  for (const Lease& lease : node->leases) {
    if ((lease.place.cards & place.cards) == 0) continue;
    if (place.share && lease.place.share) continue;  // they may stand side by side; counted at the start
    if (lease.holder.replica.valid()) {
      const ReplicaRecord* replica = replica_of(lease.holder.replica);
      const bool leaves =
          replica == nullptr || replica->stale || replica->state == ReplicaState::draining ||
          replicas_told.contains(lease.holder.replica) ||
          std::find(made.replicas.begin(), made.replicas.end(), lease.holder.replica) != made.replicas.end();
      if (!leaves)
        violate(5, "claim ", made.claim, " counts on a card of replica ", lease.holder.replica, ", which stays");
      continue;
    }
    const RunRecord* run = run_of(lease.holder.run);
    if (run == nullptr || run->ask || run->stop_asked || run->hit || run->exited) continue;
    if (told_to_leave.contains(lease.holder.run)) continue;
    if (std::min(run->limit_ends_ms, run->loan_due_ms) <= made.due_ms) continue;
    const auto is_it = [&](const change::ClaimVictim& victim) { return victim.run == lease.holder.run; };
    if (std::any_of(made.victims.begin(), made.victims.end(), is_it)) continue;
    const bool of_another = std::any_of(claims.begin(), claims.end(), [&](const auto& entry) {
      const auto& victims = entry.second.made.victims;
      return !entry.second.ended && std::any_of(victims.begin(), victims.end(), is_it);
    });
    if (of_another) continue;  // it will be asked in time
    violate(5, "claim ", made.claim, " counts on a card of run ", lease.holder.run, ", which nobody asks to leave");
  }
}

void Auditor::Impl::check_disjoint(const change::ClaimMade& made) {
  for (const Placement& place : made.cards) {
    const NodeBook* node = ledger.find(place.node);
    if (node == nullptr || place.cards == 0) continue;
    std::int64_t milli = place.milli;
    for (const ClaimPart& part : node->claims) {
      if ((part.place.cards & place.cards) == 0 || part.claim == made.claim) continue;
      const ClaimRecord* other = claim_of(part.claim);
      if (other == nullptr || other->ended) continue;
      milli += part.place.milli;
      if (place.share && part.place.share && milli <= kMilliPerCard) continue;
      violate(5, "claim ", made.claim, " names cards of node ", place.node, " that belong to claim ", part.claim);
      return;
    }
  }
}

void Auditor::Impl::take_claim_parts(ClaimRecord& claim, bool add) {
  for (const Placement& place : claim.made.cards) {
    NodeBook* node = ledger.find(place.node);
    if (node == nullptr) continue;
    if (add) {
      node->claims.push_back(ClaimPart{.claim = claim.made.claim, .place = place});
    } else {
      std::erase_if(node->claims, [&](const ClaimPart& part) { return part.claim == claim.made.claim; });
    }
    ledger.touch(place.node);
  }
}

// The beneficiary has begun there: that part of the claim is spent.
void Auditor::Impl::use_claim_part(ClaimId claim, const Placement& place) {
  NodeBook* node = ledger.find(place.node);
  if (node == nullptr) return;
  for (std::size_t i = 0; i < node->claims.size(); ++i) {
    ClaimPart& part = node->claims[i];
    if (part.claim != claim || (part.place.cards & place.cards) == 0) continue;
    part.place.cards &= ~place.cards;
    if (part.place.cards == 0) node->claims.erase(node->claims.begin() + static_cast<std::ptrdiff_t>(i));
    ledger.touch(place.node);
    return;
  }
}

void Auditor::Impl::end_claim(const change::ClaimEnded& ended) {
  ClaimRecord* claim = claim_of(ended.claim);
  if (claim == nullptr || claim->ended) {
    violate(5, "claim ", ended.claim, " ends, and is not open");
    return;
  }
  if (ended.how == ClaimEnd::open) violate(5, "claim ", ended.claim, " ends as open");
  claim->ended = true;
  claim->how = ended.how;
  claims_ended.push_back(ended.claim);
  if (ended.how == ClaimEnd::expired && now_ms < claim->made.expires_ms) {
    violate(5, "claim ", ended.claim, " expires ", claim->made.expires_ms - now_ms, " ms too soon");
  }
  for (const change::ClaimVictim& victim : claim->made.victims) asks_to_recheck.push_back(victim.run);
}

void Auditor::Impl::drop_victim(const change::VictimDropped& dropped) {
  ClaimRecord* claim = claim_of(dropped.claim);
  for (const Placement& place : dropped.cards) use_claim_part(dropped.claim, place);
  if (!dropped.run.valid()) return;
  const auto is_it = [&](const change::ClaimVictim& victim) { return victim.run == dropped.run; };
  if (claim == nullptr || std::erase_if(claim->made.victims, is_it) == 0) {
    violate(5, "run ", dropped.run, " is dropped from claim ", dropped.claim, ", which does not name it");
    return;
  }
  asks_to_recheck.push_back(dropped.run);
}

void Auditor::Impl::check_claimed_cards(const Taker& taker, std::string_view what, std::uint32_t id,
                                        const Placement& place) {
  const NodeBook* node = ledger.find(place.node);
  if (node == nullptr || place.cards == 0) return;
  for (const ClaimPart& part : node->claims) {
    if ((part.place.cards & place.cards) == 0 || part.claim == taker.claim) continue;
    const ClaimRecord* claim = claim_of(part.claim);
    if (claim == nullptr || claim->ended) continue;
    const change::ClaimMade& made = claim->made;
    const bool own = (made.beneficiary == ClaimFor::job && made.job == taker.job) ||
                     (made.beneficiary == ClaimFor::service && made.service == taker.service) ||
                     (made.beneficiary == ClaimFor::guard_floor && taker.service.valid());
    if (own || taker.ends_ms <= made.due_ms) continue;
    if (place.share && part.place.share) {
      std::int64_t milli = place.milli + part.place.milli;
      for (const Lease& lease : node->leases) {
        if ((lease.place.cards & place.cards) == 0) continue;
        const auto is_it = [&](const change::ClaimVictim& victim) { return victim.run == lease.holder.run; };
        const RunRecord* run = run_of(lease.holder.run);
        const bool leaves =
            (run != nullptr && (run->ask || std::min(run->limit_ends_ms, run->loan_due_ms) <= made.due_ms)) ||
            std::any_of(made.victims.begin(), made.victims.end(), is_it) ||
            std::find(made.replicas.begin(), made.replicas.end(), lease.holder.replica) != made.replicas.end();
        if (!leaves) milli += lease.place.milli;
      }
      if (milli <= kMilliPerCard) continue;
    }
    violate(5, what, " ", id, " starts on cards of node ", place.node, " that belong to claim ", part.claim, " until ",
            made.due_ms);
  }
}

// At the end of the step: what started had a start; asks without a claim are gone.
void Auditor::Impl::close_claims() {
  for (const RunId id : asks_to_recheck) {
    const RunRecord* run = run_of(id);
    if (run == nullptr || run->exited || run->hit || !run->ask || run->ready_to_yield) continue;
    const ClaimRecord* claim = claim_of(run->ask->claim);
    if (!run->ask->claim.valid()) continue;
    const auto is_it = [&](const change::ClaimVictim& victim) { return victim.run == id; };
    if (claim != nullptr) {
      const auto victim = std::find_if(claim->made.victims.begin(), claim->made.victims.end(), is_it);
      const bool named = victim != claim->made.victims.end();
      if (named && !claim->ended) continue;
      if (named && (victim->boundary_ms <= now_ms || claim->how == ClaimEnd::expired)) continue;  // past recall
    }
    bool elsewhere = false;
    for (const auto& [other_id, other] : claims) {
      elsewhere =
          elsewhere || (!other.ended && std::any_of(other.made.victims.begin(), other.made.victims.end(), is_it));
    }
    if (!elsewhere)
      violate(5, "run ", id, " is still asked to yield for claim ", run->ask->claim, ", which needs it no more");
  }
  for (const ClaimId id : claims_ended) {
    ClaimRecord* claim = claim_of(id);
    if (claim == nullptr) continue;
    if (claim->how == ClaimEnd::started && claim->starts == 0 && claim->made.beneficiary != ClaimFor::guard_floor) {
      violate(5, "claim ", id, " ends as started, and nothing started on it");
    }
    take_claim_parts(*claim, false);
    claims_by_expiry.erase({claim->made.expires_ms, id.value});
    claims.erase(id.value);
  }
  while (!claims_by_expiry.empty() && claims_by_expiry.begin()->first < now_ms) {
    const auto [expires_ms, id] = *claims_by_expiry.begin();
    violate(5, "claim ", id, " is open at ", now_ms, ", past its expiry at ", expires_ms);
    claims_by_expiry.erase(claims_by_expiry.begin());  // said once
  }
}

}  // namespace weir
