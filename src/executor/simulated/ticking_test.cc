// The executor against a clock that ticks: one run, random contracts, requests
// and withdrawals, followed millisecond by millisecond by the rules as they are
// written (engine.md 6.1).
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/prng.h"
#include "executor/simulated/simulated.h"

namespace weir {
namespace {

constexpr TimeMs kUntil = 400;

struct Action {
  enum Kind { ask, withdraw, stop } kind = ask;
  TimeMs not_before_ms = 0;
};

struct Plan {
  CheckpointContract ckpt;
  DurationMs run_ms = 0;
  DurationMs base_ms = 0;
  int incarnation = 1;
  std::int32_t speed_milli = 1000;
  DurationMs exit_ms = 0;
  std::map<TimeMs, Action> actions;
};

struct Outcome {
  event::Exit how = event::Exit::lost;
  TimeMs at_ms = -1;
  DurationMs progress_ms = 0;
  bool operator==(const Outcome&) const = default;
};

std::string text(const Outcome& outcome) {
  return "exit " + std::to_string(static_cast<int>(outcome.how)) + " at " + std::to_string(outcome.at_ms) + " with " +
         std::to_string(outcome.progress_ms);
}

Plan random_plan(Prng& random) {
  Plan plan;
  const std::uint64_t mode = random.below(5);
  plan.ckpt.mode = mode == 0 ? CheckpointMode::none : mode == 1 ? CheckpointMode::on_demand : CheckpointMode::interval;
  plan.ckpt.interval_ms = random.between(2, 30);  // at the highest speed, boundaries on milliseconds of their own
  plan.ckpt.write_ms = random.between(0, 12);
  plan.ckpt.restart_ms = random.between(0, 15);
  plan.run_ms = random.between(1, 150);
  plan.incarnation = random.chance(1, 2) ? 1 : 2;
  if (plan.incarnation > 1) plan.base_ms = random.between(0, plan.run_ms - 1);
  constexpr std::int32_t kSpeeds[] = {1000, 1000, 700, 1300, 333};
  plan.speed_milli = kSpeeds[random.below(5)];
  plan.exit_ms = random.between(0, 2);
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    const auto kind = static_cast<Action::Kind>(random.chance(1, 12) ? 2 : random.below(3) / 2);
    plan.actions[random.between(0, 160)] = {kind, random.chance(1, 2) ? 0 : random.between(0, 200)};
  }
  return plan;
}

// The reference: nothing is computed ahead, everything is looked up every tick.
class Ticking {
 public:
  explicit Ticking(const Plan& plan) : plan_(plan), work_from_(plan.incarnation > 1 ? plan.ckpt.restart_ms : 0) {}

  Outcome play() {
    for (TimeMs now = 0; now <= kUntil; ++now) {
      if (const auto outcome = facts_of(now)) return *outcome;
      if (const auto it = plan_.actions.find(now); it != plan_.actions.end()) {
        if (const auto outcome = act(it->second, now)) return *outcome;
      }
      if (const auto outcome = facts_of(now)) return *outcome;  // the same millisecond counts
    }
    return {};
  }

 private:
  [[nodiscard]] bool done_by(DurationMs work, TimeMs now) const {
    return now >= work_from_ && (now - work_from_) * plan_.speed_milli >= work * 1000;
  }
  [[nodiscard]] bool ended(TimeMs now) const { return done_by(plan_.run_ms - plan_.base_ms, now); }
  [[nodiscard]] DurationMs work(TimeMs now) const {
    DurationMs done = 0;
    while (done_by(done + 1, now)) ++done;
    return done;
  }
  // Work of the boundary that falls on this very millisecond.
  [[nodiscard]] std::optional<DurationMs> boundary_at(TimeMs now) const {
    if (plan_.ckpt.mode == CheckpointMode::none) return std::nullopt;
    if (plan_.ckpt.mode == CheckpointMode::on_demand) return work(now);
    for (DurationMs k = plan_.ckpt.interval_ms; done_by(k, now); k += plan_.ckpt.interval_ms) {
      if (!done_by(k, now - 1)) return k;
    }
    return std::nullopt;
  }
  std::optional<Outcome> facts_of(TimeMs now) {
    if (writing_until_) {
      if (now < *writing_until_ + plan_.exit_ms) return std::nullopt;
      return Outcome{event::Exit::yielded, now, plan_.base_ms + saved_};
    }
    if (ended(now)) return Outcome{event::Exit::done, now, plan_.run_ms};
    if (!asked_ || now < *asked_) return std::nullopt;
    const auto at = boundary_at(now);
    if (!at) return std::nullopt;
    bool ends_first = false;
    for (TimeMs t = now; t < now + plan_.ckpt.write_ms; ++t) ends_first = ends_first || ended(t);
    if (ends_first) return std::nullopt;
    writing_until_ = now + plan_.ckpt.write_ms;
    saved_ = *at;
    return facts_of(now);
  }
  std::optional<Outcome> act(const Action& action, TimeMs now) {
    if (action.kind == Action::stop) return Outcome{event::Exit::stopped, now, plan_.base_ms + committed(now)};
    if (writing_until_) return std::nullopt;
    if (action.kind == Action::withdraw) asked_.reset();
    if (action.kind == Action::ask) asked_ = std::max(now, action.not_before_ms);
    return std::nullopt;
  }
  // The newest periodic save that is complete; the one of a yield is not.
  [[nodiscard]] DurationMs committed(TimeMs now) const {
    if (plan_.ckpt.mode != CheckpointMode::interval) return 0;
    DurationMs newest = 0;
    for (DurationMs k = plan_.ckpt.interval_ms; done_by(k, now); k += plan_.ckpt.interval_ms) {
      if (!writing_until_ || k < saved_) newest = k;
    }
    return newest;
  }

  const Plan& plan_;
  TimeMs work_from_;
  std::optional<TimeMs> asked_;
  std::optional<TimeMs> writing_until_;
  DurationMs saved_ = 0;
};

Outcome play_executor(const Plan& plan) {
  SimulatedExecutor executor({.report_checkpoints = true, .exit_ms = plan.exit_ms});
  executor.know(JobSpec{.id = JobId(0), .roles = {{.count = 1, .shape = {.cards = 1}}}, .ckpt = plan.ckpt},
                {.run_ms = plan.run_ms});
  std::uint64_t id = 0;
  const auto tell = [&](TimeMs now, decision::Body body) {
    const Decision decision{id++, std::move(body)};
    executor.carry_out({&decision, 1}, now);
  };
  tell(0, decision::StartRun{.run = RunId(0),
                             .job = JobId(0),
                             .incarnation = plan.incarnation,
                             .places = {{.node = NodeId(0), .cards = 1}},
                             .resume_progress_ms = plan.base_ms,
                             .speed_milli = plan.speed_milli});
  std::optional<Outcome> outcome;
  const auto look = [&](TimeMs now) {
    for (const Event& event : executor.take_events(now)) {
      const auto* exit = std::get_if<event::RunExited>(&event.body);
      if (exit != nullptr) outcome = Outcome{exit->how, event.at_ms, exit->progress_ms};
    }
  };
  for (TimeMs now = 0; now <= kUntil && !outcome; ++now) {
    look(now);
    const auto it = plan.actions.find(now);
    if (it == plan.actions.end() || outcome) continue;
    if (it->second.kind == Action::ask) {
      tell(now, decision::AskYield{.run = RunId(0), .not_before_ms = it->second.not_before_ms});
    } else if (it->second.kind == Action::withdraw) {
      tell(now, decision::WithdrawYield{RunId(0)});
    } else {
      tell(now, decision::StopRun{RunId(0)});
    }
    look(now);
  }
  return outcome.value_or(Outcome{});
}

TEST(Ticking, TheExecutorDoesWhatTheRulesSay) {
  constexpr int kWorlds = 5'000;
  int yielded = 0;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    Prng random(seed);
    const Plan plan = random_plan(random);
    const Outcome expected = Ticking(plan).play();
    const Outcome actual = play_executor(plan);
    ASSERT_EQ(actual, expected) << "seed " << seed << ": expected " << text(expected) << ", was " << text(actual);
    yielded += expected.how == event::Exit::yielded ? 1 : 0;
  }
  EXPECT_GT(yielded, kWorlds / 10);  // the plans are not idle
}

}  // namespace
}  // namespace weir
