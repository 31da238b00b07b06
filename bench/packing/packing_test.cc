#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packing/cluster.h"
#include "packing/fill.h"
#include "packing/policy.h"

namespace weir::packing {
namespace {

constexpr auto kFolder = "data/openb";

Workload two_hosts() {
  Workload workload{.name = "small"};
  workload.hosts = {{.name = "a", .model = "T", .cpu_milli = 8000, .ram_mib = 1000, .cards = 2, .model_bit = 1},
                    {.name = "b", .model = "V", .cpu_milli = 8000, .ram_mib = 1000, .cards = 1, .model_bit = 2}};
  workload.kinds = {{.cpu_milli = 1000, .cards = 1, .milli = 600}, {.cpu_milli = 1000, .cards = 1, .milli = 1000}};
  workload.tasks = {0, 0, 1};
  workload.typical = {{workload.kinds[0], 0.75}, {workload.kinds[1], 0.25}};
  workload.capacity_milli = 3000;
  return workload;
}

TEST(Cluster, CountsWhatTheMixCannotUse) {
  const Workload workload = two_hosts();
  Cluster cluster(workload, {0, 1});
  EXPECT_DOUBLE_EQ(cluster.fragmented_milli(), 0);
  cluster.place(0, workload.kinds[0], 1);
  // 400 left on the first card: of use for neither class; the other card is whole.
  EXPECT_DOUBLE_EQ(cluster.fragmented_of(0), 400);
  cluster.place(1, workload.kinds[0], 1);
  EXPECT_DOUBLE_EQ(cluster.fragmented_milli(), 800);
  EXPECT_EQ(cluster.allocated_milli(), 1200);
}

TEST(Cluster, WithoutCpuNothingIsOfUse) {
  Workload workload = two_hosts();
  workload.hosts[0].cpu_milli = 500;
  const Cluster cluster(workload, {0, 1});
  EXPECT_DOUBLE_EQ(cluster.fragmented_of(0), 2000);
}

TEST(Host, FitsByModelCpuMemoryAndCards) {
  const Workload workload = two_hosts();
  const Cluster cluster(workload, {0, 1});
  Kind kind{.cpu_milli = 1000, .ram_mib = 10, .cards = 1, .milli = 1000, .model_bits = 2};
  EXPECT_FALSE(cluster.hosts()[0].fits(kind));
  EXPECT_TRUE(cluster.hosts()[1].fits(kind));
  kind.ram_mib = 1001;
  EXPECT_FALSE(cluster.hosts()[1].fits(kind));
  EXPECT_FALSE(cluster.hosts()[1].fits({.cards = 2, .milli = 1000}));
}

TEST(Host, AShareTakesTheTightestCard) {
  Host host{.cards = 3};
  host.free = {1000, 650, 700};
  EXPECT_EQ(host.tightest(600), 1);
  EXPECT_EQ(host.tightest(680), 2);
  EXPECT_EQ(host.tightest(900), 0);
}

TEST(Policies, ShareGoesWhereItBreaksNothing) {
  const Workload workload = two_hosts();
  for (const std::string name : {"FGD", "Weir"}) {
    Cluster cluster(workload, {0, 1});
    const auto policy = make_policy(name, workload, {0, 1}, 1);
    std::int64_t placed = 0;
    for (const std::uint32_t kind : {0U, 1U, 1U}) {
      const auto choice = policy->choose(cluster, kind);
      if (!choice) continue;
      cluster.place(choice->host, workload.kinds[kind], choice->cards);
      ++placed;
    }
    EXPECT_EQ(placed, 3) << name;
    EXPECT_FALSE(policy->choose(cluster, 1)) << name;
  }
}

TEST(Openb, ReadsEveryWorkload) {
  for (const std::string& name : workload_names()) {
    const auto workload = read_workload(kFolder, name);
    ASSERT_TRUE(workload) << name << ": " << workload.error().front().text();
    EXPECT_EQ(workload->hosts.size(), 1213U);
    EXPECT_EQ(workload->capacity_milli, 6'212'000);
    EXPECT_GT(workload->tasks.size(), 7'000U) << name;
  }
  EXPECT_EQ(read_workload(kFolder, "default")->typical.size(), 35U);
  EXPECT_EQ(read_workload(kFolder, "gpuspec33")->typical.size(), 127U);
}

TEST(Openb, ArrivalsAskForThirteenTenths) {
  for (const std::string name : {"default", "multigpu50"}) {
    const auto workload = read_workload(kFolder, name);
    ASSERT_TRUE(workload);
    std::int64_t asked = 0;
    for (const std::uint32_t kind : arrivals(*workload, 42)) asked += workload->kinds[kind].total_milli();
    EXPECT_LE(asked, workload->capacity_milli * 13 / 10);
    EXPECT_GE(asked, workload->capacity_milli * 13 / 10 - 8000);
    EXPECT_EQ(arrivals(*workload, 7), arrivals(*workload, 7));
    EXPECT_NE(arrivals(*workload, 7), arrivals(*workload, 8));
  }
}

TEST(Openb, MissingFileNamesItself) {
  const auto workload = read_workload("no/such", "default");
  ASSERT_FALSE(workload);
  EXPECT_THAT(workload.error().front().text(), testing::HasSubstr("no/such/openb_node_list_gpu_node.csv.gz"));
}

TEST(Fill, MedianOfEvenAndOddCounts) {
  Fill a, b, c;
  a.unallocated_pct = 1, b.unallocated_pct = 2, c.unallocated_pct = 6;
  EXPECT_DOUBLE_EQ(median({a, b, c}).unallocated_pct, 2);
  EXPECT_DOUBLE_EQ(median({a, c}).unallocated_pct, 3.5);
}

// The protocol is the published one: FGD falls where the study has it, and Weir beside it.
TEST(Fill, OneSeedIsNearThePublishedMedians) {
  const auto workload = read_workload(kFolder, "default");
  const auto published = read_published(kFolder);
  ASSERT_TRUE(workload && published);
  EXPECT_NEAR(fill(*workload, "FGD", 42).unallocated_pct, published->at({"default", "FGD"}).unallocated_pct, 0.3);
  EXPECT_NEAR(fill(*workload, "BestFit", 42).unallocated_pct, published->at({"default", "BestFit"}).unallocated_pct,
              0.7);
  EXPECT_LE(fill(*workload, "Weir", 42).unallocated_pct, 5.0);
}

}  // namespace
}  // namespace weir::packing
