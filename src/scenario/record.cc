#include "scenario/record.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "engine/engine.h"
#include "scenario/check.h"
#include "scenario/trace.h"

namespace weir::scenario {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

TimeMs relative(TimeMs world_ms) { return world_ms >= kNever ? kNever : world_ms - kOriginMs; }

// The value in force at t of a list of (from, value).
template <class T>
const T* in_force(const std::vector<std::pair<TimeMs, T>>& list, TimeMs t) {
  const auto after =
      std::upper_bound(list.begin(), list.end(), t, [](TimeMs at, const auto& entry) { return at < entry.first; });
  return after == list.begin() ? nullptr : &std::prev(after)->second;
}

const CardCount* in_force(const std::vector<NodeView>& list, TimeMs t) {
  const auto after =
      std::upper_bound(list.begin(), list.end(), t, [](TimeMs at, const NodeView& view) { return at < view.at_ms; });
  return after == list.begin() ? nullptr : &std::prev(after)->cards;
}

Hold hold_of(const Placement& place, TimeMs from) {
  return Hold{.node = place.node,
              .cards = place.cards,
              .share = place.share,
              .milli = place.milli,
              .card_mem_mib = place.card_mem_mib,
              .from_ms = from};
}

}  // namespace

std::int64_t Hold::milli_held() const { return share ? milli : std::int64_t{kMilliPerCard} * std::popcount(cards); }

std::optional<JobState> JobRecord::state_at(TimeMs t) const {
  const JobState* state = in_force(states, t);
  return state == nullptr ? std::nullopt : std::optional(*state);
}

const Reasons* JobRecord::reasons_at(TimeMs t) const { return in_force(reasons, t); }

bool JobRecord::running_at(TimeMs t) const {
  return std::any_of(attempts.begin(), attempts.end(),
                     [t](const Attempt& a) { return a.start_ms <= t && t < a.end_ms; });
}

Record::Record(const Scenario& s, const World& world, bool keep_log) : scenario(s), world_(world), keep_log_(keep_log) {
  for (const TeamSpec& team : s.settings.teams) teams_[team.name] = team;
  jobs.resize(s.jobs.size());
  nodes.resize(s.nodes.size());
  drained.resize(s.nodes.size());
  service_reasons.resize(s.services.size());
  guard_of.resize(s.services.size());
  for (const JobEntry& job : s.jobs) team_milli_[job.spec.team] = 0;
  for (const JobEntry& job : s.jobs)
    for (const WorkerGroup& role : job.spec.roles)
      memory_only_ = memory_only_ || (role.shape.share() && role.shape.milli == 0);
  for (std::size_t i = 0; i < s.services.size(); ++i)
    guard_of[i].emplace_back(s.services[i].at_ms - 1, s.services[i].spec.guard);
  for (std::size_t i = 0; i < s.services.size(); ++i)
    for (const TimeMs t : s.services[i].requests)
      answered.push_back({ServiceId(static_cast<std::uint32_t>(i)), {t, kNever}});
}

void Record::on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) {
  const TimeMs now = relative(now_ms);
  for (const Event& event : events) {
    apply(now, event);
    note(now, event);
  }
  // Changes first: a job that is lost and started again in one step is first
  // waiting, then running.
  deciding_ = result.decisions;
  for (const Change& change : result.changes) apply(now, change);
  deciding_ = {};
  for (const Decision& decision : result.decisions) apply(now, decision);
  for (const Decision& decision : result.decisions) note(now, decision);
  for (const Change& change : result.changes) note(now, change);
  steps.push_back(now);
  sample(now);
  compare_ledger(now);
}

template <class Fact>
void Record::note(TimeMs now, const Fact& fact) {
  if (keep_log_) log.emplace_back(now, describe(*this, fact));
}

// --- events: facts, at their own time ---

void Record::apply(TimeMs now, const Event& event) {
  const TimeMs at = std::min(now, relative(event.at_ms));
  std::visit(
      Overloaded{
          [&](const event::RunExited& e) { run_exited(at, e); },
          [&](const event::WorkerDone& e) { release(e.run, at, e.worker); },
          [&](const event::ReplicaExited& e) {
            if (const auto found = replica_of.find(e.replica); found != replica_of.end())
              replicas[found->second].gone_ms = at;
            for (Hold& hold : holds)
              if (hold.replica == e.replica && hold.to_ms == kNever) close(hold, at);
          },
          [&](const event::ReplicaReady& e) {
            if (const auto found = replica_of.find(e.replica); found != replica_of.end())
              replicas[found->second].ready_ms = at;
          },
          [&](const event::CheckpointCommitted& e) {
            if (Attempt* attempt = attempt_of(e.run); attempt != nullptr && attempt->end_ms == kNever)
              attempt->saved_ms = std::max(attempt->saved_ms, e.progress_ms);
          },
          [&](const event::NodeDown& e) {
            away_.insert(e.node);
            release_node(e.node, at);
          },
          [&](const event::NodeUp& e) {
            if (away_.erase(e.node) > 0) release_node(e.node, at);
          },
          [&](const event::NodeSilent& e) {
            silence = true;
            away_.insert(e.node);
          },
          [&](const event::NodeHeard& e) { away_.erase(e.node); },
          [&](const event::DrainSet& e) { drained[e.node.value].emplace_back(at, e.on); },
          [&](const event::GuardPublished& e) { guard_of[e.service.value].emplace_back(at, e.guard); },
          [&](const event::ServiceDeclared& e) { guard_of[e.service.id.value].emplace_back(at, e.service.guard); },
          [&](const event::ServiceStopped& e) { guard_of[e.service.value].emplace_back(at, 0); },
          [&](const event::QuotaSet& e) { teams_[e.team.name] = e.team; },
          [&](const event::JobSubmitted& e) { jobs[e.job.id.value].submitted_ms = at; },
          [&](const auto&) {},
      },
      event.body);
}

Attempt* Record::attempt_of(RunId run) {
  const auto found = run_of.find(run);
  return found == run_of.end() ? nullptr : &jobs[found->second.first.value].attempts[found->second.second];
}

void Record::run_exited(TimeMs at, const event::RunExited& exit) {
  if (Attempt* attempt = attempt_of(exit.run); attempt != nullptr && attempt->end_ms == kNever) {
    attempt->saved_ms = std::max(attempt->saved_ms, exit.progress_ms);
    if (exit.how == event::Exit::yielded) left_at_yield(exit.run, at, exit);
  }
  end_attempt(exit.run, at, exit.how);
  release(exit.run, at, -1);
}

// A yield left: is the exit at a boundary, by our own reckoning of engine.md 6.1?
void Record::left_at_yield(RunId run, TimeMs at, const event::RunExited& exit) {
  const auto [job, index] = run_of.at(run);
  const Attempt& attempt = jobs[job.value].attempts[index];
  const JobSpec& spec = scenario.jobs[job.value].spec;
  const DurationMs useful = useful_ms(attempt, index == 0, spec, at - spec.ckpt.write_ms - scenario.exit_ms);
  const DurationMs slack = attempt.speed_milli == 1000 ? 0 : 2;  // rounding of other speeds
  bool good = spec.ckpt.mode == CheckpointMode::on_demand;
  if (spec.ckpt.mode == CheckpointMode::interval && useful > 0) {
    const DurationMs beyond = useful % spec.ckpt.interval_ms;
    good = beyond <= slack || spec.ckpt.interval_ms - beyond <= slack;
  }
  good = good && std::abs(exit.progress_ms - (attempt.resume_ms + useful)) <= slack;
  const auto open = open_yield_.find(run);
  if (open == open_yield_.end()) {
    yields.push_back(
        {.job = job, .run = run, .cause = YieldCause::claim, .asked_ms = at, .left_ms = at, .at_boundary = false});
    return;
  }
  YieldRecord& yield = yields[open->second];
  yield.left_ms = at;
  yield.at_boundary = good;
  if (const auto claim = claims.find(yield.claim); claim != claims.end())
    claim->second.freed.insert(claim->second.freed.end(), attempt.places.begin(), attempt.places.end());
}

DurationMs Record::useful_ms(const Attempt& attempt, bool first, const JobSpec& spec, TimeMs t) const {
  const DurationMs wall = t - attempt.start_ms - (first ? 0 : spec.ckpt.restart_ms);
  return wall <= 0 ? 0 : wall * attempt.speed_milli / 1000;
}

void Record::end_attempt(RunId run, TimeMs at, std::optional<event::Exit> how) {
  Attempt* attempt = attempt_of(run);
  if (attempt == nullptr || attempt->end_ms != kNever) return;
  attempt->end_ms = at;
  attempt->how = how;
  const auto [job, index] = run_of.at(run);
  const bool wanted =
      how == event::Exit::done || how == event::Exit::yielded || attempt->stopped == decision::StopCause::cancel;
  if (!wanted) {
    const DurationMs useful = useful_ms(*attempt, index == 0, scenario.jobs[job.value].spec, at);
    attempt->lost_ms = std::max<DurationMs>(0, attempt->resume_ms + useful - attempt->saved_ms);
  }
}

// --- holds ---

void Record::open(Hold hold) {
  node_milli_[hold.node.value] += hold.milli_held();
  team_milli_[std::string(team_of(hold))] += hold.milli_held();
  if (hold.run.valid()) holds_of_run_[hold.run].push_back(holds.size());
  change_times.push_back(hold.from_ms);
  holds.push_back(hold);
}

void Record::close(Hold& hold, TimeMs at) {
  hold.to_ms = std::max(at, hold.from_ms);
  node_milli_[hold.node.value] -= hold.milli_held();
  team_milli_[std::string(team_of(hold))] -= hold.milli_held();
  change_times.push_back(hold.to_ms);
}

void Record::release(RunId run, TimeMs at, std::int32_t worker) {
  const auto found = holds_of_run_.find(run);
  if (found == holds_of_run_.end()) return;
  for (const std::size_t index : found->second) {
    Hold& hold = holds[index];
    if (hold.to_ms == kNever && (worker < 0 || hold.worker == worker)) close(hold, at);
  }
}

void Record::release_node(NodeId node, TimeMs at) {
  for (Hold& hold : holds)
    if (hold.node == node && hold.to_ms == kNever) close(hold, at);
}

std::string_view Record::team_of(const Hold& hold) const {
  if (hold.job.valid()) return scenario.jobs[hold.job.value].spec.team;
  return scenario.services[hold.service.value].spec.team;
}

// --- decisions ---

void Record::start_run(TimeMs now, const decision::StartRun& start) {
  JobRecord& job = jobs[start.job.value];
  for (Attempt& earlier : job.attempts)
    if (earlier.end_ms == kNever) end_attempt(earlier.run, now, event::Exit::lost);
  DurationMs newest = 0;
  if (!job.attempts.empty()) newest = job.attempts.back().saved_ms;
  expected_resume.push_back({start.job, now, newest, start.resume_progress_ms});
  run_of[start.run] = {start.job, job.attempts.size()};
  job.attempts.push_back({.run = start.run,
                          .start_ms = now,
                          .resume_ms = start.resume_progress_ms,
                          .saved_ms = start.resume_progress_ms,
                          .speed_milli = start.speed_milli,
                          .places = start.places,
                          .loan = start.loan,
                          .claim = start.claim});
  for (std::size_t i = 0; i < start.places.size(); ++i) {
    Hold hold = hold_of(start.places[i], now);
    hold.job = start.job;
    hold.run = start.run;
    hold.worker = static_cast<std::int32_t>(i);
    open(hold);
  }
  if (const auto claim = claims.find(start.claim); claim != claims.end())
    claim->second.started.insert(claim->second.started.end(), start.places.begin(), start.places.end());
}

void Record::ask_yield(TimeMs now, const decision::AskYield& ask) {
  const auto found = run_of.find(ask.run);
  if (found == run_of.end()) return;
  open_yield_[ask.run] = yields.size();
  yields.push_back({.job = found->second.first,
                    .run = ask.run,
                    .claim = ask.claim,
                    .cause = ask.cause,
                    .asked_ms = now,
                    .not_before_ms = relative(ask.not_before_ms)});
}

void Record::apply(TimeMs now, const Decision& decision) {
  std::visit(Overloaded{
                 [&](const decision::StartRun& d) { start_run(now, d); },
                 [&](const decision::AskYield& d) { ask_yield(now, d); },
                 [&](const decision::WithdrawYield& d) {
                   if (const auto open = open_yield_.find(d.run); open != open_yield_.end()) {
                     yields[open->second].withdrawn_ms = now;
                     open_yield_.erase(open);
                   }
                 },
                 [&](const decision::StopRun& d) {
                   if (Attempt* attempt = attempt_of(d.run); attempt != nullptr && attempt->end_ms == kNever)
                     attempt->stopped = d.cause;
                 },
                 [&](const decision::StartReplica& d) {
                   replica_of[d.replica] = replicas.size();
                   replicas.push_back({.id = d.replica, .service = d.service, .version = d.version, .start_ms = now});
                   Hold hold = hold_of(d.place, now);
                   hold.service = d.service;
                   hold.replica = d.replica;
                   open(hold);
                   if (const auto claim = claims.find(d.claim); claim != claims.end())
                     claim->second.started.push_back(d.place);
                 },
                 [&](const decision::StopReplica& d) {
                   const auto found = replica_of.find(d.replica);
                   if (found == replica_of.end() || replicas[found->second].drain_ms != kNever) return;
                   replicas[found->second].drain_ms = now;
                   replicas[found->second].cause = d.cause;
                   change_times.push_back(now);
                 },
             },
             decision.body);
}

// --- changes: what the engine says became true ---

void Record::apply(TimeMs now, const Change& change) {
  std::visit(Overloaded{
                 [&](const change::JobStateSet& c) {
                   JobRecord& job = jobs[c.job.value];
                   job.states.emplace_back(now, c.state);
                   change_times.push_back(now);
                   const bool waits =
                       c.state == JobState::waiting || c.state == JobState::backoff || c.state == JobState::held;
                   if (waits)
                     waiting_.insert(c.job);
                   else
                     waiting_.erase(c.job);
                   if (c.state != JobState::running && !job.attempts.empty())
                     end_attempt(job.attempts.back().run, now,
                                 c.state == JobState::succeeded ? event::Exit::done : event::Exit::lost);
                 },
                 [&](const change::JobRejected& c) { jobs[c.job.value].rejected = c; },
                 [&](const change::ClaimMade& c) {
                   ClaimRecord& claim = claims[c.claim];
                   claim.made = c;
                   claim.made_ms = now;
                   claim.made.due_ms = relative(c.due_ms);
                   claim.made.expires_ms = relative(c.expires_ms);
                   note_takings(c, claim);
                 },
                 [&](const change::ClaimEnded& c) {
                   ClaimRecord& claim = claims[c.claim];
                   claim.how = c.how;
                   claim.ended_ms = now;
                 },
                 [&](const change::RunEnded& c) { release(c.run, now, -1); },
                 [&](const change::ReplicaStateSet& c) {
                   const auto found = replica_of.find(c.replica);
                   if (found == replica_of.end() || c.state != ReplicaState::gone) return;
                   ReplicaRecord& replica = replicas[found->second];
                   if (replica.gone_ms == kNever) replica.gone_ms = now;
                   for (Hold& hold : holds)
                     if (hold.replica == c.replica && hold.to_ms == kNever) close(hold, now);
                 },
                 [&](const change::Alarm& c) { alarms.emplace_back(now, c); },
                 [&](const auto&) {},
             },
             change);
}

// The level a claim stands on: guard replicas above all, then what its service or job has.
std::int64_t Record::taker_weight(const change::ClaimMade& made, TimeMs now) const {
  if (made.beneficiary == ClaimFor::guard_floor) return kNever;
  if (made.job.valid()) {
    const auto tier = tier_of(world_.state(), made.job);
    return tier ? tier->weight : 0;
  }
  const ServiceSpec& spec = scenario.services[made.service.value].spec;
  std::int32_t guard = 0;
  for (const auto& [from, value] : guard_of[made.service.value])
    if (from <= now) guard = value;
  if (replicas_at(made.service, now, false) < guard) return kNever;
  std::int64_t weight = spec.tier_weight;
  for (const TierSpec& tier : scenario.settings.tiers) {
    if (spec.service_class == ServiceClass::core && tier.role == TierRole::inference) return tier.weight;
    if (spec.tier_weight < 0 && tier.name == (spec.tier.empty() ? scenario.settings.default_tier : spec.tier))
      weight = tier.weight;
  }
  return weight;
}

// Does the team hold more than its quota, with what this very step starts? It borrows, or its quota was cut.
bool Record::borrows(std::string_view team) const {
  const auto found = teams_.find(team);
  if (found == teams_.end() || !found->second.has_quota) return false;
  const auto held = team_milli_.find(team);
  std::int64_t milli = held == team_milli_.end() ? 0 : held->second;
  for (const Decision& decision : deciding_) {
    const auto* start = std::get_if<decision::StartRun>(&decision.body);
    if (start == nullptr || scenario.jobs[start->job.value].spec.team != team) continue;
    for (const Placement& place : start->places) {
      milli += place.share ? place.milli : std::int64_t{kMilliPerCard} * std::popcount(place.cards);
    }
  }
  return milli > found->second.quota_cards * kMilliPerCard;
}

void Record::note_takings(const change::ClaimMade& made, ClaimRecord& claim) {
  const std::int64_t taker = taker_weight(made, claim.made_ms);
  for (const change::ClaimVictim& victim : made.victims) {
    const auto found = run_of.find(victim.run);
    if (found == run_of.end()) continue;
    const JobId job = found->second.first;
    const auto tier = tier_of(world_.state(), job);
    claim.takings.push_back({.victim = job,
                             .victim_weight = tier ? tier->weight : 0,
                             .taker_weight = taker,
                             .borrowed = borrows(scenario.jobs[job.value].spec.team)});
  }
}

// --- the engine's view, written down beside ours ---

void Record::sample(TimeMs now) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const CardCount cards = cards_of_node(world_.state(), NodeId(static_cast<std::uint32_t>(i)));
    if (nodes[i].empty() || nodes[i].back().cards != cards) nodes[i].push_back({now, cards});
  }
  const CardCount all = cards_of_pool(world_.state());
  if (pool.empty() || pool.back().cards != all) {
    pool.push_back({now, all});
    change_times.push_back(now);
  }
  sample_reasons(now);
}

void Record::sample_reason(TimeMs now, JobId id) {
  auto& list = jobs[id.value].reasons;
  Reasons reasons = reasons_of(world_.state(), id);
  if (!list.empty() && list.back().second == reasons) return;
  // Numbers may change all the time; a line is worth it when the words do.
  if (keep_log_) {
    const std::string text = reasons_text(*this, reasons);
    if (list.empty() || reasons_text(*this, list.back().second) != text)
      log.emplace_back(now, fmt::format("reason {}: {}", scenario.jobs[id.value].spec.name, text));
  }
  list.emplace_back(now, std::move(reasons));
}

// Of a very long queue a part is looked at in turn.
void Record::sample_reasons(TimeMs now) {
  constexpr std::size_t kSampledMax = 1'000;
  auto next = waiting_.size() <= kSampledMax ? waiting_.begin() : waiting_.upper_bound(last_sampled_);
  for (std::size_t i = 0; i < std::min(waiting_.size(), kSampledMax); ++i) {
    if (next == waiting_.end()) next = waiting_.begin();
    last_sampled_ = *next++;
    sample_reason(now, last_sampled_);
  }
  for (std::size_t i = 0; i < service_reasons.size(); ++i) {
    Reasons reasons = reasons_of(world_.state(), ServiceId(static_cast<std::uint32_t>(i)));
    auto& list = service_reasons[i];
    if (list.empty() || list.back().second != reasons) list.emplace_back(now, std::move(reasons));
  }
  for (const JobId id : watched_tiers) {
    const auto tier = tier_of(world_.state(), id);
    if (!tier) continue;
    auto& list = jobs[id.value].tiers;
    if (list.empty() || list.back().second != tier->name) list.emplace_back(now, std::string(tier->name));
  }
}

void Record::compare_ledger(TimeMs now) {
  for (const auto& [team, milli] : team_milli_) {
    if (team.empty()) continue;
    const std::int64_t said = held_milli_of_team(world_.state(), team);
    if (said != milli)
      disagreements.push_back(
          {now, team, fmt::format("team {} holds {} milli-GPU by recount, the engine says {}", team, milli, said)});
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const CardCount& said = nodes[i].back().cards;
    const bool empty = said.whole + said.shared == 0;
    const std::string& name = scenario.nodes[i].name;
    const std::int64_t held = node_milli_[static_cast<std::uint32_t>(i)];
    if (held == 0 && !empty && !memory_only_)
      disagreements.push_back({now, name,
                               fmt::format("node {} is empty by recount, the engine says {} cards are held", name,
                                           said.whole + said.shared)});
    if (held > 0 && empty && said.down + said.quarantined + said.missing == 0)
      disagreements.push_back(
          {now, name, fmt::format("node {} holds {} milli-GPU by recount, the engine says none", name, held)});
  }
}

void Record::finish(TimeMs until_ms) {
  end_ms = until_ms;
  std::sort(change_times.begin(), change_times.end());
  change_times.erase(std::unique(change_times.begin(), change_times.end()), change_times.end());
  for (auto& [service, times] : answered) {
    for (const ReplicaRecord& replica : replicas) {
      if (replica.service != service) continue;
      if (replica.ready_at(times.first))
        times.second = std::min(times.second, times.first);
      else if (replica.ready_ms != kNever && replica.ready_ms >= times.first)
        times.second = std::min(times.second, replica.ready_ms);
    }
  }
}

// --- questions ---

std::int64_t Record::team_milli_at(TimeMs t, std::string_view team) const {
  return milli_at(t, [&](const Hold& hold) { return team_of(hold) == team; });
}

const CardCount* Record::node_view_at(NodeId node, TimeMs t) const { return in_force(nodes[node.value], t); }
const CardCount* Record::pool_view_at(TimeMs t) const { return in_force(pool, t); }

bool Record::drained_at(NodeId node, TimeMs t) const {
  const bool* on = in_force(drained[node.value], t);
  return on != nullptr && *on;
}

DurationMs Record::longest_gap_ms(TimeMs from, TimeMs until) const {
  DurationMs longest = 0;
  TimeMs last = from;
  const auto gap_to = [&](TimeMs t) {
    DurationMs gap = t - last;
    for (const auto& [stop, start] : stopped) gap -= std::max<DurationMs>(0, std::min(t, start) - std::max(last, stop));
    longest = std::max(longest, gap);
    last = t;
  };
  for (const TimeMs t : steps)
    if (t > from && t <= until) gap_to(t);
  gap_to(until);
  return longest;
}

std::int32_t Record::replicas_at(ServiceId service, TimeMs t, bool ready) const {
  std::int32_t count = 0;
  for (const ReplicaRecord& replica : replicas)
    if (replica.service == service && (ready ? replica.ready_at(t) : replica.live_at(t))) ++count;
  return count;
}

}  // namespace weir::scenario
