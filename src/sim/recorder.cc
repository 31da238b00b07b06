#include "sim/recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "executor/simulated/run_clock.h"

namespace weir {

namespace {

constexpr DurationMs kGridStep = kHour;

[[nodiscard]] std::int64_t cards_in(const std::vector<Placement>& places) {
  std::int64_t cards = 0;
  for (const Placement& place : places) cards += std::popcount(place.cards);
  return cards;
}

}  // namespace

Recorder::Recorder(const Workload& workload, const std::vector<ServiceSpec>& services)
    : workload_(workload),
      demand_(workload.load, workload.kappa_milli),
      run_{.name = "weir",
           .jobs = std::vector<JobOutcome>(workload.jobs.size()),
           .meter = Meter(workload.warmup_ms, workload.horizon_ms, kGridStep)},
      tracks_(workload.jobs.size()),
      target_(services.size(), 0),
      guard_(services.size(), 0),
      inference_held_(run_.meter, Use::inference_held),
      need_(run_.meter, Use::need),
      guard_level_(run_.meter, Use::guard),
      unusable_(run_.meter, Use::unusable),
      queue_jobs_(run_.meter, Use::queue_jobs),
      queue_cards_(run_.meter, Use::queue_cards) {
  for (std::size_t s = 0; s < services.size(); ++s) {
    service_meters_.emplace_back(run_.meter, demand_, s);
    cards_of_replica_.push_back(std::max<std::int64_t>(1, services[s].shape.cards));
    guard_[s] = services[s].guard;
  }
}

void Recorder::on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) {
  for (const Event& event : events) apply(event);
  for (const Change& change : result.changes) apply(change, now_ms);
  for (const Decision& decision : result.decisions) apply(decision, now_ms);
}

void Recorder::sample_unusable(TimeMs now_ms, double cards) { unusable_.set(now_ms, cards); }

// --- events ---

void Recorder::apply(const Event& event) {
  if (const auto* e = std::get_if<event::JobSubmitted>(&event.body)) enqueue(e->job.id, event.at_ms);
  if (const auto* e = std::get_if<event::RunExited>(&event.body)) run_exited(*e, event.at_ms);
  if (const auto* e = std::get_if<event::ReplicaReady>(&event.body)) replica_serves(e->replica, true, event.at_ms);
  if (const auto* e = std::get_if<event::ReplicaExited>(&event.body)) replica_exited(e->replica, event.at_ms);
}

void Recorder::run_exited(const event::RunExited& exit, TimeMs at_ms) {
  const auto it = runs_.find(exit.run.value);
  if (it == runs_.end()) return;
  const OpenRun run = it->second;
  runs_.erase(it);
  const bool yielded = exit.how == event::Exit::yielded;
  meter_run(run, exit.progress_ms - run.base_ms, at_ms);
  leave_claims(exit.run, run.job, yielded, at_ms);
  JobTrack& track = tracks_[run.job.value];
  track.saved_ms = exit.progress_ms;
  track.yield.reset();
  if (yielded) {
    track.yield = run_.yields.size();
    note_yield(run, exit, at_ms);
  }
  if (exit.how == event::Exit::done) {
    run_.jobs[run.job.value].end_ms = at_ms;
    return;
  }
  if (exit.how == event::Exit::stopped) run_.forced_stops.push_back(at_ms);
  enqueue(run.job, at_ms);
}

void Recorder::note_yield(const OpenRun& run, const event::RunExited& exit, TimeMs at_ms) {
  const CheckpointContract ckpt = contract_of(workload_, run.job.value);
  const DurationMs kept = exit.progress_ms - run.base_ms;
  const RunClock clock{run.work_from_ms, run.speed_milli};
  const TimeMs saved_at = at_ms - ckpt.write_ms;
  bool at_boundary = clock.work_at(saved_at) == kept;
  if (ckpt.mode == CheckpointMode::interval) {
    at_boundary = kept > 0 && kept % ckpt.interval_ms == 0 && clock.instant_of(kept) == saved_at;
  }
  const Ask ask = run.ask.value_or(Ask{.at_ms = at_ms});
  run_.yields.push_back({.asked_ms = ask.at_ms,
                         .free_ms = at_ms,
                         .cause = ask.cause,
                         .for_inference = ask.for_inference,
                         .at_boundary = at_boundary});
  ++run_.jobs[run.job.value].yields;
  if (at_ms < run_.meter.window_from_ms()) return;
  const double lost = static_cast<double>(run.cards) * static_cast<double>(ckpt.write_ms + ckpt.restart_ms);
  run_.lost_all += lost;
  if (ask.for_inference) run_.lost_inference += lost;
}

void Recorder::meter_run(const OpenRun& run, DurationMs kept_ms, TimeMs exit_ms) {
  const RunClock clock{run.work_from_ms, run.speed_milli};
  const TimeMs until = clock.instant_of(kept_ms);
  const double speed = run.speed_milli / 1000.0;
  run_.meter.add(Use::training_held, run.start_ms, exit_ms, static_cast<double>(run.cards));
  run_.meter.add(Use::training_useful, run.work_from_ms, until, static_cast<double>(run.cards) * speed);
  const TimeMs before_window = std::min(until, run_.meter.window_from_ms());
  run_.jobs[run.job.value].done_before_window_ms += clock.work_at(before_window);
}

// --- claims ---

void Recorder::claim_made(const change::ClaimMade& made, TimeMs now_ms) {
  const auto [it, fresh] = claims_.try_emplace(made.claim);
  Claim& claim = it->second;
  if (fresh) claim.request.made_ms = now_ms;  // a better plan of the same claim counts from the first
  claim.for_inference = made.beneficiary != ClaimFor::job;
  claim.asks_runs = claim.asks_runs || !made.victims.empty();
  for (const change::ClaimVictim& victim : made.victims) {
    if (claim.victims.insert(victim.run).second) claims_of_run_[victim.run.value].push_back(made.claim);
  }
  for (const ReplicaId replica : made.replicas) {
    const auto open = replicas_.find(replica.value);
    if (open == replicas_.end()) continue;
    claim.replicas.insert(replica);
    open->second.claims.insert(made.claim);
  }
}

void Recorder::note_all_free(Claim& claim, TimeMs at_ms) {
  if (claim.victims.empty() && claim.replicas.empty()) claim.request.all_free_ms = at_ms;
}

void Recorder::leave_claims(RunId run, JobId job, bool yielded, TimeMs at_ms) {
  JobTrack& track = tracks_[job.value];
  track.claims.clear();
  const auto it = claims_of_run_.find(run.value);
  if (it == claims_of_run_.end()) return;
  for (const ClaimId id : it->second) {
    Claim& claim = claims_[id];
    if (claim.victims.erase(run) == 0) continue;  // dropped before
    note_all_free(claim, at_ms);
    if (yielded) track.claims.push_back(id);
  }
  claims_of_run_.erase(it);
}

// --- changes ---

void Recorder::apply(const Change& change, TimeMs now_ms) {
  if (const auto* c = std::get_if<change::ClaimMade>(&change)) claim_made(*c, now_ms);
  if (const auto* c = std::get_if<change::TargetSet>(&change)) set_target(*c, now_ms);
  if (const auto* c = std::get_if<change::TierSet>(&change)) run_.promotions += c->promoted ? 1 : 0;
  if (const auto* c = std::get_if<change::VictimDropped>(&change)) {
    Claim& claim = claims_[c->claim];
    if (claim.victims.erase(c->run) > 0) note_all_free(claim, now_ms);
  }
  if (const auto* c = std::get_if<change::ClaimEnded>(&change)) {
    if (c->how == ClaimEnd::withdrawn) claims_[c->claim].withdrawn = true;
  }
}

void Recorder::set_target(const change::TargetSet& set, TimeMs now_ms) {
  const auto s = static_cast<std::size_t>(set.service.value);
  if (s >= target_.size()) return;
  target_[s] = set.target * cards_of_replica_[s];
  guard_[s] = set.guard * cards_of_replica_[s];
  std::int64_t target = 0;
  std::int64_t guard = 0;
  for (const std::int64_t cards : target_) target += cards;
  for (const std::int64_t cards : guard_) guard += cards;
  need_.set(now_ms, static_cast<double>(target));
  guard_level_.set(now_ms, static_cast<double>(std::max<std::int64_t>(guard, workload_.pool.settings.guard_min_cards)));
}

// --- decisions ---

void Recorder::apply(const Decision& decision, TimeMs now_ms) {
  if (const auto* d = std::get_if<decision::StartRun>(&decision.body)) start_run(*d, now_ms);
  if (const auto* d = std::get_if<decision::AskYield>(&decision.body)) {
    const auto it = runs_.find(d->run.value);
    if (it == runs_.end()) return;
    const auto claim = claims_.find(d->claim);
    it->second.ask = Ask{now_ms, d->cause, claim != claims_.end() && claim->second.for_inference};
  }
  if (const auto* d = std::get_if<decision::WithdrawYield>(&decision.body)) {
    const auto it = runs_.find(d->run.value);
    if (it != runs_.end()) it->second.ask.reset();
  }
  if (const auto* d = std::get_if<decision::StartReplica>(&decision.body)) {
    replicas_[d->replica.value] = {.service = d->service.value};
    held_ += cards_of_replica_[d->service.value];
    inference_held_.set(now_ms, static_cast<double>(held_));
  }
  if (const auto* d = std::get_if<decision::StopReplica>(&decision.body)) replica_serves(d->replica, false, now_ms);
}

void Recorder::start_run(const decision::StartRun& start, TimeMs now_ms) {
  JobTrack& track = tracks_[start.job.value];
  JobOutcome& outcome = run_.jobs[start.job.value];
  if (outcome.first_start_ms < 0) outcome.first_start_ms = now_ms;
  if (start.resume_progress_ms < track.saved_ms && track.yield) {
    run_.yields[*track.yield].lost_steps = true;
    for (const ClaimId id : track.claims) claims_[id].request.lost_work = true;
  }
  track.yield.reset();
  dequeue(start.job, now_ms);
  const bool first = start.incarnation <= 1;
  runs_[start.run.value] = {.job = start.job,
                            .start_ms = now_ms,
                            .work_from_ms = now_ms + (first ? 0 : workload_.restart_ms),
                            .base_ms = start.resume_progress_ms,
                            .speed_milli = start.speed_milli,
                            .cards = cards_in(start.places)};
}

// --- replicas and the queue ---

void Recorder::replica_serves(ReplicaId replica, bool serves, TimeMs at_ms) {
  const auto it = replicas_.find(replica.value);
  if (it == replicas_.end() || it->second.serving == serves) return;
  it->second.serving = serves;
  ServiceMeter& meter = service_meters_[it->second.service];
  const auto cards = static_cast<double>(cards_of_replica_[it->second.service]);
  meter.set_ready(at_ms, meter.ready() + (serves ? cards : -cards));
}

void Recorder::replica_exited(ReplicaId replica, TimeMs at_ms) {
  replica_serves(replica, false, at_ms);
  const auto it = replicas_.find(replica.value);
  if (it == replicas_.end()) return;
  held_ -= cards_of_replica_[it->second.service];
  inference_held_.set(at_ms, static_cast<double>(held_));
  for (const ClaimId id : it->second.claims) {
    claims_[id].replicas.erase(replica);
    note_all_free(claims_[id], at_ms);
  }
  replicas_.erase(it);
}

void Recorder::enqueue(JobId job, TimeMs at_ms) {
  tracks_[job.value].queued_since_ms = at_ms;
  queue_jobs_.set(at_ms, static_cast<double>(++waiting_));
  waiting_cards_ += workload_.jobs[job.value].gpus;
  queue_cards_.set(at_ms, static_cast<double>(waiting_cards_));
}

void Recorder::dequeue(JobId job, TimeMs at_ms) {
  JobTrack& track = tracks_[job.value];
  if (track.queued_since_ms < 0) return;
  run_.jobs[job.value].queued_ms += at_ms - track.queued_since_ms;
  track.queued_since_ms = -1;
  queue_jobs_.set(at_ms, static_cast<double>(--waiting_));
  waiting_cards_ -= workload_.jobs[job.value].gpus;
  queue_cards_.set(at_ms, static_cast<double>(waiting_cards_));
}

PolicyRun Recorder::finish() {
  const TimeMs horizon = workload_.horizon_ms;
  for (const auto& [id, run] : runs_) {
    meter_run(run, RunClock{run.work_from_ms, run.speed_milli}.work_at(horizon), horizon);
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].queued_since_ms >= 0) run_.jobs[i].queued_ms += horizon - tracks_[i].queued_since_ms;
  }
  for (const auto& [id, claim] : claims_) {
    if (claim.for_inference && claim.asks_runs && !claim.withdrawn) run_.requests.push_back(claim.request);
  }
  for (std::size_t s = 0; s < service_meters_.size(); ++s) {
    service_meters_[s].set_ready(horizon, 0);
    run_.services.push_back({workload_.load.services[s], service_meters_[s].unmet(), service_meters_[s].demand()});
  }
  for (Level* level : {&inference_held_, &need_, &guard_level_, &unusable_, &queue_jobs_, &queue_cards_}) {
    level->set(horizon, 0);
  }
  return std::move(run_);
}

}  // namespace weir
