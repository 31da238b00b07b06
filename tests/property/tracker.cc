#include "tracker.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "base/hash.h"
#include "books.h"

namespace weir::property {

namespace {

constexpr std::int64_t kCloneEvery = 16;
constexpr std::int64_t kBooksEvery = 4;

std::int64_t milli_of(const Placement& place) {
  return place.share ? place.milli : std::int64_t{kMilliPerCard} * std::popcount(place.cards);
}

std::uint64_t fingerprint(const StepResult& result) {
  Hasher hash;
  for (const Decision& decision : result.decisions) add_to(hash, decision);
  hash.add(result.next_due_ms);
  hash.add(static_cast<std::uint64_t>(result.changes.size()));
  return hash.value();
}

}  // namespace

Tracker::Tracker(const World& world, const WorldPlan& plan, const PlayOptions& options)
    : world_(world), plan_(plan), options_(options) {
  for (const TeamSpec& team : plan.settings.teams) teams_[team.name] = team;
}

void Tracker::problem(std::string text) {
  if (problems.size() < 20) problems.push_back("t=" + std::to_string(now_ms_) + "ms " + std::move(text));
}

void Tracker::on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) {
  now_ms_ = now_ms;
  if (options_.trace) {
    for (const Event& event : events)
      std::printf("%9.3f  event     %s\n", static_cast<double>(event.at_ms) / 1000, line_of(event).c_str());
    for (const Change& change : result.changes)
      std::printf("%9.3f    change    %s\n", static_cast<double>(now_ms) / 1000, line_of(change).c_str());
    for (const Decision& decision : result.decisions)
      std::printf("%9.3f    decision  %s\n", static_cast<double>(now_ms) / 1000, line_of(decision).c_str());
  }
  for (const Event& event : events) on_event(event);
  deciding_ = result.decisions;
  for (const Change& change : result.changes) on_change(change);
  deciding_ = {};
  for (const Decision& decision : result.decisions) on_decision(decision);
  if (options_.check_clone) check_clone(events, result, now_ms);
  if (options_.check_clone && steps_ % kBooksEvery == 0) {
    for (const std::string& fault : faults_in_books(world_.state())) problem(fault);
  }
  ++steps_;
}

// A clone of the state before the step, given the same events, ends where the state does.
void Tracker::check_clone(std::span<const Event> events, const StepResult& result, TimeMs now_ms) {
  if (has_before_) {
    const StepResult again = step(before_, events, now_ms);
    if (fingerprint(again) != fingerprint(result)) problem("a clone decides something else");
    if (hash_of(before_) != hash_of(world_.state())) problem("a clone ends in another state");
    has_before_ = false;
  }
  if (steps_ % kCloneEvery == 0) {
    before_ = world_.state().clone();
    has_before_ = true;
  }
}

void Tracker::on_event(const Event& event) {
  if (const auto* submitted = std::get_if<event::JobSubmitted>(&event.body)) {
    jobs_.emplace(submitted->job.id.value, JobState::waiting);
  } else if (const auto* exited = std::get_if<event::RunExited>(&event.body)) {
    runs_.erase(exited->run.value);
    ++coverage[std::string("exit ") + std::string(name_of(exited->how))];
  } else if (const auto* done = std::get_if<event::WorkerDone>(&event.body)) {
    const auto run = runs_.find(done->run.value);
    if (run != runs_.end()) run->second.done.insert(static_cast<std::size_t>(done->worker));
  } else if (const auto* gone = std::get_if<event::ReplicaExited>(&event.body)) {
    replicas_.erase(gone->replica.value);
  } else if (const auto* quota = std::get_if<event::QuotaSet>(&event.body)) {
    teams_[quota->team.name] = quota->team;
  } else if (const auto* down = std::get_if<event::NodeDown>(&event.body)) {
    ++coverage["node down"];
    std::erase_if(replicas_, [&](const auto& entry) { return entry.second.place.node == down->node; });
    std::erase_if(runs_, [&](const auto& entry) {
      return std::all_of(entry.second.places.begin(), entry.second.places.end(),
                         [&](const Placement& place) { return place.node == down->node; });
    });
  }
}

void Tracker::on_decision(const Decision& decision) {
  if (const auto* start = std::get_if<decision::StartRun>(&decision.body)) {
    runs_[start->run.value] = Run{.job = start->job, .places = start->places, .done = {}};
    if (!start->places.empty()) last_node_[start->job.value] = start->places[0].node;
    ++coverage["start"];
    if (start->incarnation > 1) ++coverage["resume"];
    if (start->loan) ++coverage["start on loan"];
    if (start->claim.valid()) ++coverage["start on claim"];
  } else if (const auto* replica = std::get_if<decision::StartReplica>(&decision.body)) {
    replicas_[replica->replica.value] = Replica{.service = replica->service, .place = replica->place};
    ++coverage["replica"];
  } else if (const auto* ask = std::get_if<decision::AskYield>(&decision.body)) {
    asked_.insert(ask->run.value);
    ++coverage[std::string("ask ") + std::string(name_of(ask->cause))];
  } else if (const auto* stop = std::get_if<decision::StopRun>(&decision.body)) {
    ++coverage[std::string("stop ") + std::string(name_of(stop->cause))];
  } else if (const auto* withdrawn = std::get_if<decision::WithdrawYield>(&decision.body)) {
    asked_.erase(withdrawn->run.value);
    ++coverage["withdraw"];
  }
}

// Does the job's team hold more than its quota? It borrows, or the quota was cut.
bool Tracker::over_its_own(JobId job) const {
  const JobSpec* spec = spec_of(job);
  const auto team = spec == nullptr ? teams_.end() : teams_.find(spec->team);
  if (team == teams_.end() || !team->second.has_quota) return spec == nullptr || team == teams_.end();
  std::int64_t milli = 0;
  for (const Placement& place : held_by_team(spec->team)) milli += milli_of(place);
  for (const Decision& decision : deciding_) {  // and what it starts in this step
    const auto* start = std::get_if<decision::StartRun>(&decision.body);
    const JobSpec* started = start == nullptr ? nullptr : spec_of(start->job);
    if (started == nullptr || started->team != spec->team) continue;
    for (const Placement& place : start->places) milli += milli_of(place);
  }
  return milli > team->second.quota_cards * kMilliPerCard;
}

// Taking (cause claim) is for a strictly higher tier, or for a team within its own.
void Tracker::on_claim(const change::ClaimMade& made) {
  if (made.beneficiary != ClaimFor::job || made.cause != YieldCause::claim) return;
  const auto taker = tier_of(world_.state(), made.job);
  for (const change::ClaimVictim& victim : made.victims) {
    const auto run = runs_.find(victim.run.value);
    if (run == runs_.end() || !taker || asked_.contains(victim.run.value)) continue;  // it leaves anyway
    const auto held = tier_of(world_.state(), run->second.job);
    if (!held) continue;
    const bool lower = held->weight < taker->weight;
    const bool equal = held->weight == taker->weight;
    if (!lower && !(equal && over_its_own(run->second.job))) {
      problem("claim " + std::to_string(made.claim.value) + " of job " + std::to_string(made.job.value) + " (" +
              std::string(taker->name) + ") takes run " + std::to_string(victim.run.value) + " of job " +
              std::to_string(run->second.job.value) + " (" + std::string(held->name) + ")");
    }
  }
}

void Tracker::on_change(const Change& change) {
  if (const auto* state = std::get_if<change::JobStateSet>(&change)) {
    jobs_[state->job.value] = state->state;
    ++coverage[std::string("job ") + std::string(name_of(state->state))];
  } else if (const auto* rejected = std::get_if<change::JobRejected>(&change)) {
    jobs_[rejected->job.value] = JobState::rejected;
    ++coverage["job rejected"];
    if (rejected->message.empty())
      problem("job " + std::to_string(rejected->job.value) + " is rejected without a word");
  } else if (const auto* made = std::get_if<change::ClaimMade>(&change)) {
    claims_[made->claim.value] = *made;
    ++coverage["claim made"];
    on_claim(*made);
  } else if (const auto* over = std::get_if<change::ClaimEnded>(&change)) {
    claims_.erase(over->claim.value);
    ++coverage[std::string("claim ") + std::string(name_of(over->how))];
  } else if (const auto* tier = std::get_if<change::TierSet>(&change)) {
    if (tier->promoted) ++coverage["promoted"];
    if (tier->aged) ++coverage["aged"];
  } else if (const auto* ended_run = std::get_if<change::RunEnded>(&change)) {
    runs_.erase(ended_run->run.value);
  }
}

bool Tracker::all_ended() const {
  return std::all_of(jobs_.begin(), jobs_.end(), [](const auto& entry) { return ended(entry.second); });
}

bool Tracker::still() const { return runs_.empty() && claims_.empty(); }

std::vector<Placement> Tracker::held() const {
  std::vector<Placement> out;
  for (const auto& [id, run] : runs_) {
    for (std::size_t i = 0; i < run.places.size(); ++i) {
      if (!run.done.contains(i)) out.push_back(run.places[i]);
    }
  }
  for (const auto& [id, replica] : replicas_) out.push_back(replica.place);
  return out;
}

std::vector<Placement> Tracker::held_by_team(std::string_view team) const {
  std::vector<Placement> out;
  for (const auto& [id, run] : runs_) {
    const JobSpec* spec = spec_of(run.job);
    if (spec != nullptr && spec->team == team) out.insert(out.end(), run.places.begin(), run.places.end());
  }
  for (const auto& [id, replica] : replicas_) {
    const auto of = [&](const ServiceSpec& service) { return service.id == replica.service && service.team == team; };
    if (std::any_of(plan_.services.begin(), plan_.services.end(), of)) out.push_back(replica.place);
  }
  return out;
}

std::int64_t Tracker::nonpreemptible_milli() const {
  std::int64_t milli = 0;
  for (const auto& [id, run] : runs_) {
    const JobSpec* spec = spec_of(run.job);
    if (spec == nullptr || spec->ckpt.mode != CheckpointMode::none) continue;
    for (const Placement& place : run.places) milli += milli_of(place);
  }
  return milli;
}

std::map<std::uint32_t, std::int64_t> Tracker::live_replicas() const {
  std::map<std::uint32_t, std::int64_t> out;
  for (const auto& [id, replica] : replicas_) ++out[replica.service.value];
  return out;
}

ReplicaId Tracker::oldest_replica(ServiceId service) const {
  for (const auto& [id, replica] : replicas_) {
    if (replica.service == service) return ReplicaId{id};
  }
  return {};
}

std::vector<std::string> Tracker::open_claims() const {
  std::vector<std::string> out;
  for (const auto& [id, made] : claims_) out.push_back(line_of(Change{made}));
  return out;
}

const JobSpec* Tracker::spec_of(JobId id) const {
  for (const PlannedJob& job : plan_.jobs) {
    if (job.spec.id == id) return &job.spec;
  }
  return nullptr;
}

NodeId Tracker::checkpoint_node(JobId id) const {
  const auto it = last_node_.find(id.value);
  return it == last_node_.end() ? NodeId{} : it->second;
}

}  // namespace weir::property
