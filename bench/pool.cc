#include "pool.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace weir::bench {
namespace {

constexpr std::int32_t kCardsPerNode = 8;
constexpr DurationMs kRestart = 60 * kSecond;
constexpr DurationMs kWrite = 30 * kSecond;

Settings plain_settings() {
  Settings settings;
  settings.tiers = {{.name = "infer_core", .weight = 100, .role = TierRole::inference},
                    {.name = "train_deadline_near", .weight = 80, .role = TierRole::deadline},
                    {.name = "train_normal", .weight = 40, .role = TierRole::training},
                    {.name = "train_best_effort", .weight = 20, .role = TierRole::training}};
  settings.default_tier = "train_normal";
  return settings;
}

std::vector<NodeSpec> plain_nodes(std::int32_t count) {
  std::vector<NodeSpec> nodes;
  for (std::int32_t i = 0; i < count; ++i) nodes.push_back({.name = "n" + std::to_string(i), .cards = kCardsPerNode});
  return nodes;
}

}  // namespace

Pool::Pool(std::int32_t nodes) : Pool(plain_nodes(nodes)) {}

Pool::Pool(std::vector<NodeSpec> nodes) {
  Settings settings = plain_settings();
  std::vector<event::Body> facts;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    nodes[i].id = NodeId(i);
    settings.total_gpus += nodes[i].cards;
    facts.emplace_back(event::NodeDeclared{std::move(nodes[i])});
  }
  facts.emplace_back(event::ConfigSet{std::make_shared<const Settings>(std::move(settings))});
  (void)advance(0, std::move(facts));
  all_steps_ns_ = 0;
}

StepResult Pool::advance(DurationMs after_ms, std::vector<event::Body> facts) {
  now_ms_ += after_ms;
  std::vector<Event> events;
  events.reserve(facts.size());
  leave_at_boundaries(facts);
  for (event::Body& fact : facts) events.push_back({.at_ms = now_ms_, .body = std::move(fact)});
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.body.index() < b.body.index(); });

  const auto begin = std::chrono::steady_clock::now();
  StepResult result = step(state_, events, now_ms_);
  const auto end = std::chrono::steady_clock::now();
  last_step_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
  all_steps_ns_ += last_step_ns_;

  for (const Decision& decision : result.decisions) {
    if (const auto* start = std::get_if<decision::StartRun>(&decision.body)) {
      running_.push_back(start->run);
      work_[start->run] = {.from_ms = now_ms_ + (start->incarnation > 1 ? kRestart : 0),
                           .before_ms = start->resume_progress_ms};
    }
    if (const auto* ask = std::get_if<decision::AskYield>(&decision.body)) asked_[ask->run] = ask->not_before_ms;
    if (const auto* back = std::get_if<decision::WithdrawYield>(&decision.body)) asked_.erase(back->run);
  }
  return result;
}

// Runs that were asked to yield do so, as a real executor would have them.
void Pool::leave_at_boundaries(std::vector<event::Body>& facts) {
  for (auto ask = asked_.begin(); ask != asked_.end();) {
    const auto& [run, boundary_ms] = *ask;
    if (boundary_ms + kWrite > now_ms_) {
      ++ask;
      continue;
    }
    const auto at = std::find(running_.begin(), running_.end(), run);
    if (at != running_.end()) {
      const Work work = work_[run];
      facts.emplace_back(
          event::RunExited{.run = run,
                           .how = event::Exit::yielded,
                           .progress_ms = work.before_ms + std::max<DurationMs>(0, boundary_ms - work.from_ms)});
      running_.erase(at);
    }
    work_.erase(run);
    ask = asked_.erase(ask);
  }
}

JobSpec Pool::job(std::int32_t workers, std::int32_t cards, const std::string& tier) {
  JobSpec job;
  job.id = JobId(next_job_++);
  job.name = "j" + std::to_string(job.id.value);
  job.tier = tier;
  job.roles = {{.role = {}, .count = workers, .shape = {.cards = cards}}};
  job.submitted_ms = now_ms_;
  job.ckpt = {
      .mode = CheckpointMode::interval, .interval_ms = 10 * kMinute, .write_ms = kWrite, .restart_ms = kRestart};
  return job;
}

RunId Pool::take_running(std::size_t index) {
  std::swap(running_[index], running_.back());
  const RunId run = running_.back();
  running_.pop_back();
  return run;
}

JobSpec mixed_job(Pool& pool, std::uint64_t draw) {
  switch (draw % 10) {
    case 6:
      return pool.job(1, 2);
    case 7:
      return pool.job(1, 4);
    case 8:
      return pool.job(1, 8);
    case 9:
      return pool.job(2, 8);
    default:
      return pool.job(1, 1);
  }
}

std::int64_t quantile(std::vector<std::int64_t> values, std::int64_t permille) {
  const auto index = static_cast<std::int64_t>(values.size() - 1) * permille / 1000;
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace weir::bench
