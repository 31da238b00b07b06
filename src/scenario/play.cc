#include "scenario/play.h"

#include <algorithm>

#include "base/hash.h"
#include "scenario/build.h"
#include "scenario/check.h"

namespace weir::scenario {

namespace {

void watch_tiers(const std::vector<Expectation>& expectations, Record& record) {
  for (const Expectation& e : expectations) {
    if (e.check == "tier_at") record.watched_tiers.insert(job_of(record, e));
    watch_tiers(e.parts, record);
  }
}

// The world as it is known at `now`: what has not ended runs to its declared end,
// what comes later is not there.
Scenario as_known_at(const Record& record, TimeMs now) {
  Scenario known = record.scenario;
  known.expect.clear();
  std::erase_if(known.events, [now](const Happening& h) { return h.at_ms > now; });
  for (JobEntry& job : known.jobs) {
    const JobRecord& seen = record.jobs[job.spec.id.value];
    const auto state = seen.state_at(now);
    if (state && ended(*state)) continue;
    if (job.spec.submitted_ms > now) job.spec.submitted_ms = kNever / 2;
    job.truth.run_ms = std::max(job.truth.run_ms, job.spec.declared_run_ms);
    for (DurationMs& run : job.truth.worker_run_ms)
      if (run < kNever) run = std::max(run, job.spec.declared_run_ms);
  }
  for (ServiceEntry& service : known.services)
    std::erase_if(service.demand, [now](const auto& entry) { return entry.first > now; });
  DurationMs all = now + kHour;
  for (const JobEntry& job : known.jobs)
    if (job.spec.submitted_ms <= now && job.truth.run_ms < kNever) all += job.truth.run_ms;
  known.until_ms = std::min(all, 30 * kDay);
  return known;
}

}  // namespace

Played play(const Scenario& s, bool keep_log) {
  Played played;
  WorldOptions options;
  options.executor.exit_ms = s.exit_ms;
  options.keep_events = restarts_engine(s);
  played.world = std::make_unique<World>(options);
  played.record = std::make_unique<Record>(s, *played.world, keep_log);
  watch_tiers(s.expect, *played.record);
  Player player(s, *played.world, *played.record);
  player.set_up();
  played.world->observe(played.record.get());
  played.world->run_until(kOriginMs + s.until_ms);
  played.record->finish(s.until_ms);
  played.replay_differs = player.replay_differs();
  Hasher hash;
  hash.add(hash_of(played.world->state()));
  hash.add(played.world->decisions_hash());
  played.hash = hash.value();
  return played;
}

std::optional<Forecast> forecast_of_start(const Record& record, JobId job) {
  const TimeMs submitted = record.scenario.jobs[job.value].spec.submitted_ms;
  const Scenario known = as_known_at(record, submitted);
  const Played played = play(known, false);
  const auto& attempts = played.record->jobs[job.value].attempts;
  if (attempts.empty()) return std::nullopt;
  return Forecast{.earliest_ms = submitted, .latest_ms = attempts.front().start_ms};
}

}  // namespace weir::scenario
