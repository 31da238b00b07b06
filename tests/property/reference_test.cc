// The brute force itself, on pools whose answer can be read off.
#include "reference.h"

#include <gtest/gtest.h>

namespace weir::property {
namespace {

NodeSpec node_of(std::uint32_t id, std::int32_t cards, std::string model = "") {
  NodeSpec node;
  node.id = NodeId{id};
  node.cards = cards;
  node.model = std::move(model);
  node.group = id % 2 == 0 ? "even" : "odd";
  return node;
}

bool fits(const FreePool& pool, const std::vector<WorkerNeed>& needs, const SpreadRule& rule = {}) {
  bool gave_up = false;
  const bool found = place_all(pool, needs, rule, gave_up).has_value();
  EXPECT_FALSE(gave_up);
  return found;
}

TEST(Reference, PlacesGangsOnlyWhole) {
  const FreePool pool = empty_pool({node_of(0, 4), node_of(1, 2)});
  const WorkerNeed two{.shape = Shape{.cards = 2}};
  EXPECT_TRUE(fits(pool, {two, two, two}));
  EXPECT_FALSE(fits(pool, {two, two, two, two}));
  EXPECT_FALSE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 5}}}));
}

TEST(Reference, GoesBackWhenTheFirstChoiceWasWrong) {
  // The single card must not go to the node that alone can hold four.
  const FreePool pool = empty_pool({node_of(0, 4), node_of(1, 1)});
  EXPECT_TRUE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 1}}, WorkerNeed{.shape = Shape{.cards = 4}}}));
}

TEST(Reference, KeepsTheSpreadRules) {
  const FreePool pool = empty_pool({node_of(0, 4), node_of(1, 4)});
  const WorkerNeed one{.shape = Shape{.cards = 1}};
  EXPECT_TRUE(fits(pool, {one, one}, {.one_per_node = true}));
  EXPECT_FALSE(fits(pool, {one, one, one}, {.one_per_node = true}));
  EXPECT_FALSE(fits(pool, {one, one}, {.one_per_node = true, .within = GangScope::group}));
}

TEST(Reference, SharesFillACardAndKeepWholeUseOut) {
  FreePool pool = empty_pool({node_of(0, 1)});
  const WorkerNeed half{.shape = Shape{.milli = 500, .card_mem_mib = 1}};
  EXPECT_TRUE(fits(pool, {half, half}));
  EXPECT_FALSE(fits(pool, {half, half, half}));
  take(pool, Placement{.node = NodeId{0}, .cards = 1, .share = true, .milli = 100, .card_mem_mib = 1});
  EXPECT_FALSE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 1}}}));
  take(pool, Placement{.node = NodeId{0}, .cards = 1, .share = true, .milli = 500, .card_mem_mib = 1});
  EXPECT_FALSE(fits(pool, {half}));
}

TEST(Reference, LooksAtModelsCpuAndMemory) {
  NodeSpec small = node_of(0, 2, "A");
  small.cpu_milli = 1000;
  const FreePool pool = empty_pool({small, node_of(1, 2, "B")});
  EXPECT_FALSE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 1}, .models = {"C"}}}));
  EXPECT_FALSE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 1, .cpu_milli = 2000}, .models = {"A"}}}));
  EXPECT_TRUE(fits(pool, {WorkerNeed{.shape = Shape{.cards = 1, .cpu_milli = 2000}}}));
}

}  // namespace
}  // namespace weir::property
