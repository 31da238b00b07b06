// Invariant 6, and a service's live replicas (I4 of the cases).
#include "audit/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/stream_for_test.h"
#include "base/prng.h"

namespace weir {
namespace {

using audit::GuardIndex;
using audit::GuardNeed;
using audit::Ledger;
using audit::Placeable;
using testing::ElementsAre;
using testing::IsEmpty;

event::NodeDeclared declare(const NodeSpec& node) { return {node}; }
event::JobSubmitted submit(const JobSpec& job) { return {job}; }

event::ConfigSet guard_of(std::int32_t cards, std::vector<Shape> shapes = {}) {
  Settings settings;
  settings.guard_min_cards = cards;
  settings.guard_shapes = std::move(shapes);
  return {std::make_shared<const Settings>(settings)};
}

TEST(AuditGuard, AcceptsTrainingUpToTheGuardAndCatchesTheStepTooFar) {
  Stream stream;
  stream.step(0, guard_of(2), declare(node_of(0, 4)), submit(job_of(0, 2)), submit(job_of(1)),
              start_of(0, 0, {cards_on(0, 3)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(1, 1, {cards_on(0, 4)}));
  EXPECT_THAT(stream.broken(), ElementsAre(6));
}

TEST(AuditGuard, LooksAtShapesNotAtSums) {
  Stream stream;
  stream.step(0, guard_of(2, {Shape{.cards = 2}}), declare(node_of(0, 2)), declare(node_of(1, 2)), submit(job_of(0)),
              submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(1, 1, {cards_on(1, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(6)) << "two cards are left, on two nodes";
}

TEST(AuditGuard, LooksAtModels) {
  ServiceSpec service = service_of(0, 1, 2);
  service.models = {"B"};
  Stream stream;
  stream.step(0, declare(node_of(0, 2, "A")), declare(node_of(1, 1, "B")), event::ServiceDeclared{service},
              submit(job_of(0)), submit(job_of(1)), start_of(0, 0, {cards_on(0, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(1, 1, {cards_on(1, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(6));
}

TEST(AuditGuard, ReplicasAboveTheGuardLeaveTheirCardsToIt) {
  Stream stream;
  stream.step(0, guard_of(2), declare(node_of(0, 2)), event::ServiceDeclared{service_of(0, 0, 2)},
              replica_of(0, 0, cards_on(0, 1)), replica_of(1, 0, cards_on(0, 2)));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditGuard, AFactIsAnsweredInItsOwnStep) {
  for (const bool answered : {true, false}) {
    Stream stream;
    stream.step(0, guard_of(1), declare(node_of(0, 2)), submit(job_of(0)), start_of(0, 0, {cards_on(0, 1)}));
    if (answered) {
      stream.step(1, guard_of(2), change::Alarm{.kind = change::AlarmKind::guard_unplaceable});
    } else {
      stream.step(1, guard_of(2));
    }
    EXPECT_EQ(stream.broken().empty(), answered) << stream.text();
  }
}

TEST(AuditGuard, CatchesAServiceTakenBelowItsGuard) {
  for (const std::int32_t guard : {1, 2}) {
    Stream stream;
    stream.step(0, declare(node_of(0, 8)), event::ServiceDeclared{service_of(0, guard, 4)},
                replica_of(0, 0, cards_on(0, 1)), replica_of(1, 0, cards_on(0, 2)));
    stream.step(1, decision::StopReplica{.replica = ReplicaId{0}});
    EXPECT_EQ(stream.broken().empty(), guard == 1) << stream.text();
  }
}

TEST(AuditGuard, AcceptsWhatAnUpdateOrAnEndAllows) {
  ServiceSpec service = service_of(0, 2, 4);
  service.max_missing = 1;
  Stream stream;
  stream.step(0, declare(node_of(0, 8)), event::ServiceDeclared{service}, replica_of(0, 0, cards_on(0, 1)),
              replica_of(1, 0, cards_on(0, 2)));
  stream.step(1, decision::StopReplica{.replica = ReplicaId{0}, .cause = decision::DrainCause::update});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(2, event::ServiceStopped{ServiceId{0}},
              decision::StopReplica{.replica = ReplicaId{1}, .cause = decision::DrainCause::stopped});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditGuard, CatchesTooManyReplicasAndBadTargets) {
  Stream stream;
  stream.step(0, declare(node_of(0, 8)), event::ServiceDeclared{service_of(0, 0, 1)}, replica_of(0, 0, cards_on(0, 1)),
              replica_of(1, 0, cards_on(0, 2)));
  EXPECT_THAT(stream.broken(), IsEmpty()) << "one extra, for an update: " << stream.text();
  stream.step(1, replica_of(2, 0, cards_on(0, 4)));
  stream.step(2, change::TargetSet{.service = ServiceId{0}, .target = 5});
  EXPECT_THAT(stream.broken(), ElementsAre(0, 6));
}

// --- the three ways to place agree ---

struct RandomPool {
  Ledger ledger;
  std::vector<GuardNeed> needs;
};

RandomPool random_pool(std::uint64_t seed) {
  Prng prng(seed);
  RandomPool out;
  const std::int64_t nodes = prng.between(1, 4);
  for (std::int64_t i = 0; i < nodes; ++i) {
    NodeSpec node = node_of(static_cast<std::uint32_t>(i), static_cast<std::int32_t>(prng.between(1, 4)),
                            prng.chance(1, 2) ? "A" : "B");
    node.card_mem_mib = 100;
    out.ledger.declare(node);
    for (std::int32_t card = 0; card < node.cards; ++card) {
      audit::Lease lease{.holder = {.run = RunId{static_cast<std::uint32_t>(i * 8 + card)}, .replica = {}}};
      if (prng.chance(1, 3)) {
        lease.place = cards_on(node.id.value, std::uint64_t{1} << card);
      } else if (prng.chance(1, 3)) {
        lease.place = share_on(node.id.value, card, static_cast<std::int32_t>(prng.between(1, 9) * 100), 10);
      } else {
        continue;
      }
      lease.team = out.ledger.team_index("t");
      out.ledger.add(lease);
    }
  }
  const std::int64_t needs = prng.between(1, 3);
  for (std::int64_t i = 0; i < needs; ++i) {
    GuardNeed need{.shape = Shape{.cards = static_cast<std::int32_t>(prng.between(1, 3))}, .count = prng.between(1, 2)};
    if (prng.chance(1, 3)) need.shape = Shape{.milli = static_cast<std::int32_t>(prng.between(1, 9) * 100)};
    if (prng.chance(1, 3)) need.models = {"A"};
    out.needs.push_back(need);
  }
  return out;
}

TEST(GuardPlacement, CountsNeverSayYesOrNoAgainstTheSearch) {
  std::int64_t yes = 0;
  std::int64_t no = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    RandomPool pool = random_pool(seed);
    GuardIndex index;
    index.refresh(pool.ledger, pool.ledger.take_touched());
    const Placeable truth = audit::search_places(pool.ledger, pool.needs);
    ASSERT_NE(truth, Placeable::unknown) << seed;
    ASSERT_EQ(index.test(pool.ledger, pool.needs), truth) << seed;
    ASSERT_TRUE(!audit::best_fit_places(pool.ledger, pool.needs) || truth == Placeable::yes) << seed;
    yes += truth == Placeable::yes ? 1 : 0;
    no += truth == Placeable::no ? 1 : 0;
  }
  EXPECT_GT(yes, 300);
  EXPECT_GT(no, 300);
}

TEST(GuardPlacement, CountsFillNodesAsBestFitDoes) {
  Ledger ledger;
  for (std::uint32_t i = 0; i < 3; ++i) ledger.declare(node_of(i, 8));
  GuardIndex index;
  index.refresh(ledger, ledger.take_touched());
  EXPECT_EQ(index.test(ledger, {{.shape = Shape{.cards = 3}, .count = 6}, {.shape = Shape{.cards = 2}, .count = 3}}),
            Placeable::yes);
  EXPECT_EQ(index.test(ledger, {{.shape = Shape{.cards = 3}, .count = 7}}), Placeable::no);
  EXPECT_EQ(index.test(ledger, {{.shape = Shape{.cards = 1}, .count = 24}}), Placeable::yes);
  EXPECT_EQ(index.test(ledger, {{.shape = Shape{.cards = 1}, .count = 25}}), Placeable::no);
}

}  // namespace
}  // namespace weir
