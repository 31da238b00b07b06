#include "sim/demand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/meter.h"

namespace weir {
namespace {

// One service, a slot every ten minutes, values in thousandths of a card.
LoadCurve curve(const std::vector<std::int64_t>& milli) {
  LoadCurve load{.services = {"s"}, .start_ms = {}, .micro = {{}}};
  for (std::size_t i = 0; i < milli.size(); ++i) {
    load.start_ms.push_back(static_cast<TimeMs>(i) * 10 * kMinute);
    load.micro[0].push_back(milli[i] * 1000);
  }
  return load;
}

std::vector<std::pair<TimeMs, std::int32_t>> plan(const std::vector<std::int64_t>& milli, TimeMs horizon,
                                                  const NeedRule& rule = {}) {
  std::vector<std::pair<TimeMs, std::int32_t>> out;
  for (const NeedChange& change : plan_need(Demand(curve(milli), 1000), rule, horizon)) {
    out.emplace_back(change.at_ms / kMinute, change.replicas);
  }
  return out;
}

TEST(Demand, IsExact) {
  const Demand demand(curve({465, 407}), 10'196);
  EXPECT_EQ(demand.nano(0, 0), 4'741'140'000);
  EXPECT_EQ(demand.slot_at(10 * kMinute - 1), 0U);
  EXPECT_EQ(demand.slot_at(10 * kMinute), 1U);
  EXPECT_EQ(demand.slot_at(kDay), 1U);
  EXPECT_EQ(demand.peak_nano(0), 4'741'140'000);
  EXPECT_EQ(replicas_for(1'400'000'000, 700), 2);
  EXPECT_EQ(replicas_for(1'400'000'001, 700), 3);
  EXPECT_EQ(replicas_for(0, 700), 0);
}

TEST(Need, RisesAtOnceAndFallsTenMinutesLater) {
  EXPECT_THAT(plan({700, 2100, 700, 700}, 40 * kMinute),
              ::testing::ElementsAre(std::pair(0, 1), std::pair(10, 3), std::pair(30, 1)));
}

TEST(Need, HabitHoldsAFloor) {
  // Day one is at 7 cards; the next day only 1: the floor is 0.7 of habit, while
  // the same time of day, give or take half an hour, was so busy.
  std::vector<std::int64_t> milli(144, 7000);
  milli.insert(milli.end(), 144, 700);
  const auto changes = plan(milli, kDay + 60 * kMinute);
  EXPECT_THAT(changes, ::testing::ElementsAre(std::pair(0, 10), std::pair(24 * 60 + 10, 7)));
}

TEST(Need, KnowsNothingOfTheFuture) {
  EXPECT_EQ(plan({700, 700, 9000}, 20 * kMinute), plan({700, 700, 700}, 20 * kMinute));
}

TEST(Meter, ClipsToItsWindowAndFillsItsGrid) {
  Meter meter(kHour, 3 * kHour, kHour);
  meter.add(Use::training_held, 30 * kMinute, 90 * kMinute, 4);
  meter.add(Use::training_held, 170 * kMinute, 999 * kHour, 6);
  EXPECT_DOUBLE_EQ(meter.total(Use::training_held), (4.0 * 30 + 6.0 * 10) * kMinute);
  EXPECT_THAT(meter.series(Use::training_held), ::testing::ElementsAre(2, 2, 1));
}

TEST(ServiceMeter, ServesNoMoreThanItHas) {
  const Demand demand(curve({1000, 3000}), 1000);
  Meter meter(0, 20 * kMinute, 10 * kMinute);
  ServiceMeter service(meter, demand, 0);
  service.set_ready(5 * kMinute, 2);  // none before
  service.set_ready(15 * kMinute, 4);
  service.set_ready(20 * kMinute, 0);
  EXPECT_DOUBLE_EQ(meter.total(Use::unmet), (5 * 1.0 + 5 * 1.0) * kMinute);
  EXPECT_DOUBLE_EQ(meter.total(Use::served), (5 * 1.0 + 5 * 2.0 + 5 * 3.0) * kMinute);
  EXPECT_DOUBLE_EQ(service.unmet(), 10.0 * kMinute);
  EXPECT_DOUBLE_EQ(service.demand(), 40.0 * kMinute);
}

}  // namespace
}  // namespace weir
