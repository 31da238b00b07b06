#include "sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

// Remembers when runs start and end.
class Log final : public StepObserver {
 public:
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) override {
    steps.push_back(now_ms);
    for (const Event& e : events) {
      if (std::get_if<event::RunExited>(&e.body) != nullptr) exits.push_back(e.at_ms);
    }
    for (const Decision& d : result.decisions) {
      if (std::get_if<decision::StartRun>(&d.body) != nullptr) starts.push_back(now_ms);
    }
  }
  std::vector<TimeMs> steps, starts, exits;
};

// One node of two cards, and jobs of one card each.
class SmallWorld : public ::testing::Test {
 protected:
  explicit SmallWorld(WorldOptions options = {.keep_events = true}) : world_(options) {
    Settings settings;
    settings.total_gpus = 2;
    settings.tiers = {{"infer_core", 100, TierRole::inference}, {"train_normal", 40, TierRole::training}};
    settings.default_tier = "train_normal";
    world_.at(Event{0, event::ConfigSet{std::make_shared<const Settings>(settings)}});
    world_.at(Event{0, event::NodeDeclared{{.id = NodeId(0), .name = "n0", .cards = 2}}});
    world_.observe(&log_);
  }
  void submit(std::uint32_t id, TimeMs at, DurationMs run) {
    world_.submit({.id = JobId(id),
                   .name = "j" + std::to_string(id),
                   .roles = {{.count = 1, .shape = {.cards = 1}}},
                   .submitted_ms = at},
                  {.run_ms = run});
  }
  Log log_;
  World world_;
};

TEST_F(SmallWorld, PlaysJobsOnTheVirtualClock) {
  submit(0, 1000, 5000);
  submit(1, 1000, 7000);
  submit(2, 2000, 1000);
  world_.run_until(20'000);
  EXPECT_THAT(log_.starts, ::testing::ElementsAre(1000, 1000, 6000));
  EXPECT_THAT(log_.exits, ::testing::ElementsAre(6000, 7000, 8000));
  EXPECT_EQ(world_.now_ms(), 20'000);
  EXPECT_THAT(world_.violations(), ::testing::IsEmpty());
  EXPECT_EQ(world_.steps(), static_cast<std::int64_t>(log_.steps.size()));
}

TEST_F(SmallWorld, ActionsComeBeforeTheEventsOfTheirInstant) {
  submit(0, 1000, 5000);
  bool done = false;
  world_.at(1000, [&](World& world) {
    EXPECT_THAT(log_.starts, ::testing::IsEmpty());
    world.at(Event{1000, event::JobCancelled{JobId(7)}});
    done = true;
  });
  world_.run_until(1000);
  EXPECT_TRUE(done);
  EXPECT_EQ(log_.starts.size(), 1U);
}

TEST_F(SmallWorld, FactsWaitWhileTheEngineIsStopped) {
  world_.at(500, [](World& world) { world.stop_engine(); });
  submit(0, 1000, 5000);
  world_.at(4000, [](World& world) { world.start_engine(); });
  world_.run_until(20'000);
  EXPECT_THAT(log_.starts, ::testing::ElementsAre(4000));
  EXPECT_THAT(log_.exits, ::testing::ElementsAre(9000));
}

TEST_F(SmallWorld, AReplayGivesTheSameState) {
  submit(0, 1000, 5000);
  submit(1, 1000, 90'000);
  world_.at(30'000, [](World& world) { EXPECT_TRUE(world.restart_engine()); });
  submit(2, 40'000, 1000);
  world_.run_until(100'000);
  EXPECT_THAT(log_.starts, ::testing::ElementsAre(1000, 1000, 40'000));
  EXPECT_THAT(world_.violations(), ::testing::IsEmpty());
}

TEST(World, TheSameEventsGiveTheSameHash) {
  const auto play = [](DurationMs run) {
    World world({});
    world.at(Event{0, event::NodeDeclared{{.id = NodeId(0), .cards = 1}}});
    for (std::uint32_t i = 0; i < 5; ++i) {
      world.submit({.id = JobId(i), .roles = {{.count = 1, .shape = {.cards = 1}}}, .submitted_ms = 10 * i},
                   {.run_ms = run});
    }
    world.run_until(100'000);
    return world.decisions_hash();
  };
  EXPECT_EQ(play(1000), play(1000));
  EXPECT_NE(play(1000), play(1001));
}

}  // namespace
}  // namespace weir
