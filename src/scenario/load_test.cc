#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/scenario.h"

namespace weir::scenario {
namespace {

Scenario good(const std::string& text) {
  auto scenario = load(text, "s.yaml");
  if (scenario) return std::move(*scenario);
  for (const Error& error : scenario.error()) ADD_FAILURE() << error.text();
  return {};
}

struct Bad {
  std::string name;
  std::string text;
  int line = 0;
  std::string message;  // part of it
};

std::ostream& operator<<(std::ostream& out, const Bad& bad) { return out << bad.name; }

class BadScenario : public testing::TestWithParam<Bad> {};

TEST_P(BadScenario, SaysWhereAndWhat) {
  const auto scenario = load(GetParam().text, "s.yaml");
  ASSERT_FALSE(scenario.has_value());
  std::string all;
  bool found = false;
  for (const Error& error : scenario.error()) {
    all += error.text() + "\n";
    found = found || (error.line == GetParam().line && error.text().find(GetParam().message) != std::string::npos);
  }
  EXPECT_TRUE(found) << "line " << GetParam().line << ": " << GetParam().message << " is not among\n" << all;
}

const std::string kHead = "scenario:\n  nodes: {n1: {gpus: 2, model: A}}\n";  // two lines

INSTANTIATE_TEST_SUITE_P(
    Fields, BadScenario,
    testing::Values(
        Bad{"misspelt_job_field", kHead + "  jobs:\n    - {id: J, at: 0, gpu: 1, run: 5}\n", 4,
            "jobs[0].gpu: unknown key; nearest is gpus"},
        Bad{"misspelt_setting", kHead + "  settings: {defarg: true}\n", 3, "nearest is defrag"},
        Bad{"misspelt_service_field", kHead + "  services:\n    - {id: S, gards: 1}\n", 4, "nearest is guard"},
        Bad{"misspelt_node_field", "scenario:\n  nodes: {n1: {gpu: 2}}\n", 2, "nearest is gpus"},
        Bad{"misspelt_top_field", "scenario:\n  node: {n1: {gpus: 2}}\n", 2, "nearest is nodes"},
        Bad{"misspelt_event", kHead + "  events:\n    - {t: 5, node_dwn: n1}\n", 4, "nearest is node_down"},
        Bad{"event_of_nothing", kHead + "  events:\n    - {t: 5}\n", 4, "says nothing that happens"},
        Bad{"event_without_time", kHead + "  events:\n    - {node_down: n1}\n", 4, "the key t is missing"},
        Bad{"unknown_node", kHead + "  events:\n    - {t: 5, node_down: n2}\n", 4, "unknown node \"n2\""},
        Bad{"host_of_nobody", kHead + "  events:\n    - {t: 5, node_down: host of J}\n", 4, "unknown job \"J\""},
        Bad{"unknown_check", kHead + "expect:\n  - start: {job: J, by: 5}\n", 4, "nearest is starts"},
        Bad{"unknown_check_field", kHead + "  jobs: [{id: J, run: 5}]\nexpect:\n  - starts: {job: J, bye: 5}\n", 5,
            "nearest is by"},
        Bad{"unknown_job_in_check",
            kHead + "  jobs: [{id: train1, run: 5}]\nexpect:\n  - starts: {job: train2, by: 5}\n", 5,
            "unknown job \"train2\"; nearest is train1"},
        Bad{"missing_field_in_check", kHead + "  jobs: [{id: J, run: 5}]\nexpect:\n  - rejected: {field: gpus}\n", 5,
            "the key job is missing"},
        Bad{"unknown_reason_word",
            kHead + "  jobs: [{id: J, run: 5}]\nexpect:\n  - reason: {job: J, at: 1, code: [capasity]}\n", 5,
            "nearest is capacity"},
        Bad{"window_backwards", kHead + "expect:\n  - idle: {during: [9, 5], min: 1}\n", 4, "ends before it begins"},
        Bad{"inside_any_of", kHead + "  jobs: [{id: J, run: 5}]\nexpect:\n  - any_of:\n      - stars: {job: J}\n", 6,
            "nearest is starts"}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadScenario,
    testing::Values(
        Bad{"negative_gpus", kHead + "  jobs: [{id: J, run: 5, gpus: -1}]\n", 3, "must be between 0"},
        Bad{"gpus_and_a_half", kHead + "  jobs: [{id: J, run: 5, gpus: 1.5}]\n", 3, "only whole cards"},
        Bad{"gpus_and_milli", kHead + "  jobs: [{id: J, run: 5, gpus: 1, milli: 300}]\n", 3, "both gpus and milli"},
        Bad{"job_twice", kHead + "  jobs:\n    - {id: \"x{1..3}\", run: 5}\n    - {id: x2, run: 5}\n", 5,
            "is there twice"},
        Bad{"range_backwards", kHead + "  jobs: [{id: \"x{3..1}\", run: 5}]\n", 3, "upwards"},
        Bad{"no_run", kHead + "  jobs: [{id: J, gpus: 1}]\n", 3, "the key run is missing"},
        Bad{"worker_runs_short", kHead + "  jobs: [{id: J, workers: 3, worker_runs: [1, 2]}]\n", 3,
            "each of the 3 workers"},
        Bad{"done_when_no_role", kHead + "  jobs: [{id: J, roles: {a: 1}, run: 5, done_when: b}]\n", 3,
            "which the job does not have"},
        Bad{"tier_name_without_list", kHead + "  jobs: [{id: J, run: 5, tier: high}]\n", 3,
            "expects the number of a tier"},
        Bad{"tier_not_in_list",
            "scenario:\n  nodes: {n1: {gpus: 2}}\n  tiers: [{name: normal, weight: 40}]\n  jobs: [{id: J, run: 5, "
            "tier: nomal}]\n",
            4, "nearest is normal"},
        Bad{"unknown_team", kHead + "  teams: {Alpha: {quota: 1}}\n  jobs: [{id: J, run: 5, team: Alpa}]\n", 4,
            "nearest is Alpha"},
        Bad{"profile_of_no_model", kHead + "  profiles: {t: {B: 1.0}}\n", 3, "which no node has"},
        Bad{"cards_differ", kHead + "  pool: {total_gpus: 64}\n", 3, "the nodes have 2 cards together"},
        Bad{"guard_too_large", kHead + "  pool: {inference_guard_min: 2, elastic_buffer: 1}\n", 3,
            "more than the pool's 2 cards"},
        Bad{"max_below_guard", kHead + "  services: [{id: S, guard: 3, max: 1}]\n", 3, "max is smaller than guard"},
        Bad{"place_for_some", kHead + "  jobs: [{id: J, run: 5, workers: 3, place: [n1, n1]}]\n", 3,
            "a place for each of the 3 workers"},
        Bad{"prose_that_cannot_be_read", kHead + "  phases:\n    - {jobs: some of this and that}\n", 4,
            "expects counts of shares"},
        Bad{"no_scenario", "id: x\n", 1, "the key scenario is missing"}));

TEST(Load, TellsEveryProblemAtOnce) {
  const auto scenario =
      load(kHead + "  jobs:\n    - {id: J, at: x, run: 5}\n    - {id: K, rum: 5}\nexpect:\n  - strats: {job: J}\n",
           "s.yaml");
  ASSERT_FALSE(scenario.has_value());
  std::vector<int> lines;
  for (const Error& error : scenario.error()) lines.push_back(error.line);
  EXPECT_THAT(lines, testing::IsSupersetOf({4, 5, 7}));
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
}

TEST(Load, WritesRangesOutAndSpacesThem) {
  const Scenario s = good(kHead + "  jobs: [{id: \"x{8..11}\", at: 5, every: 30, run: 7}]\n");
  ASSERT_EQ(s.jobs.size(), 4U);
  EXPECT_EQ(s.jobs[0].spec.name, "x8");
  EXPECT_EQ(s.jobs[3].spec.name, "x11");
  EXPECT_EQ(s.jobs[3].spec.submitted_ms, 95 * kSecond);
  EXPECT_EQ(s.job("x10"), JobId(2));
}

TEST(Load, DefaultsAreThoseOfScenarios) {
  const Scenario s = good(kHead + "  jobs: [{id: J, run: 7}]\n  services: [{id: S, guard: 1}]\n");
  EXPECT_EQ(s.settings.order, OrderRule::fifo);
  EXPECT_FALSE(s.settings.rotation.on);
  EXPECT_EQ(s.settings.aging_max_wait_ms, kNever);
  EXPECT_EQ(s.settings.defrag, DefragMode::off);
  EXPECT_EQ(s.settings.min_run_ms, 0);
  EXPECT_EQ(s.settings.stale_need_ms, kNever);
  EXPECT_EQ(s.settings.nonpreemptible_max_cards, kUnlimited);
  EXPECT_EQ(s.services[0].spec.service_class, ServiceClass::standard);
  EXPECT_EQ(s.services[0].spec.tier_weight, 0);
  const JobSpec& job = s.jobs[0].spec;
  EXPECT_EQ(job.limit_ms, 7 * kSecond);  // limit = run
  EXPECT_EQ(job.ckpt.mode, CheckpointMode::none);
  EXPECT_EQ(job.max_retries, 3);
  EXPECT_EQ(job.roles.at(0).shape.cards, 1);
}

TEST(Load, NumbersMakeTiersInOrder) {
  const Scenario s = good(kHead + "  jobs: [{id: J, run: 7, tier: 9}, {id: K, run: 7, tier: 2}]\n");
  std::int32_t nine = 0;
  std::int32_t two = 0;
  std::int32_t deadline = 0;
  std::int32_t inference = 0;
  for (const TierSpec& tier : s.settings.tiers) {
    if (tier.name == "9") nine = tier.weight;
    if (tier.name == "2") two = tier.weight;
    if (tier.role == TierRole::deadline) deadline = tier.weight;
    if (tier.role == TierRole::inference) inference = tier.weight;
  }
  EXPECT_LT(two, nine);
  EXPECT_LT(nine, deadline);
  EXPECT_LT(deadline, inference);
  EXPECT_EQ(s.settings.default_tier, "1");
}

TEST(Load, WorkersByRoleWithEndlessOnes) {
  const Scenario s = good(kHead +
                          "  jobs: [{id: J, roles: {main: 1, helper: 3}, gpus: 1, worker_runs: {main: 100, helper: "
                          "endless}, done_when: main}]\n");
  EXPECT_EQ(s.jobs[0].truth.worker_run_ms, (std::vector<DurationMs>{100 * kSecond, kNever, kNever, kNever}));
  EXPECT_EQ(s.jobs[0].truth.run_ms, 100 * kSecond);
}

TEST(Load, SharesOfACard) {
  const Scenario s = good(kHead +
                          "  jobs: [{id: a, run: 1, milli: 300}, {id: b, run: 1, gpu_mem_mib: 2000}, {id: c, run: 1, "
                          "gpus: 0.25}, {id: d, run: 1, gpus: 2, gpu_mem_mib: 10}]\n");
  EXPECT_EQ(s.jobs[0].spec.roles[0].shape, (Shape{.milli = 300}));
  EXPECT_EQ(s.jobs[1].spec.roles[0].shape, (Shape{.card_mem_mib = 2000}));
  EXPECT_EQ(s.jobs[2].spec.roles[0].shape, (Shape{.milli = 250}));
  EXPECT_EQ(s.jobs[3].spec.roles[0].shape, (Shape{.cards = 2, .card_mem_mib = 10}));
}

TEST(Load, PlacesOfAGang) {
  const Scenario s = good(
      "scenario:\n  nodes: {n1: {gpus: 4}, n2: {gpus: 4}}\n  jobs:\n"
      "    - {id: a, run: 1, workers: 2, place: [n1, n2]}\n"
      "    - {id: b, run: 1, workers: 3, place: {n1: 2, n2: [3]}}\n"
      "    - {id: c, run: 1, node: n2, gpu_index: [0, 2], gpus: 2}\n"
      "    - {id: d, run: 1, workers: 2, node: n2, gpu_index: [0, 2]}\n"
      "    - {id: e, run: 1, workers: 2, place: [\"n1:3\", [n2, 1]]}\n");
  EXPECT_EQ(s.jobs[0].spec.first_places, (std::vector<FirstPlace>{{"n1", 0}, {"n2", 0}}));
  EXPECT_EQ(s.jobs[1].spec.first_places, (std::vector<FirstPlace>{{"n1", 0}, {"n1", 0}, {"n2", 8}}));
  EXPECT_EQ(s.jobs[2].spec.first_node, "n2");
  EXPECT_EQ(s.jobs[2].spec.first_cards, 5U);
  EXPECT_EQ(s.jobs[3].spec.first_places, (std::vector<FirstPlace>{{"n2", 1}, {"n2", 4}}));
  EXPECT_EQ(s.jobs[4].spec.first_places, (std::vector<FirstPlace>{{"n1", 8}, {"n2", 2}}));
}

TEST(Load, TotalGpusMakesNodesOfEight) {
  const Scenario s = good("scenario:\n  pool: {total_gpus: 20}\n");
  ASSERT_EQ(s.nodes.size(), 3U);
  EXPECT_EQ(s.nodes[0].cards, 8);
  EXPECT_EQ(s.nodes[2].cards, 4);
}

TEST(Load, PhasesBecomeJobs) {
  const Scenario s = good(kHead +
                          "  phases:\n    - {repeat: 2, jobs: \"ten jobs of 0.1 GPU, in an order drawn at random\"}\n  "
                          "  - {jobs: \"seven of 0.14 and none other; an eighth of 0.03 must wait\"}\n");
  ASSERT_EQ(s.phases.size(), 3U);
  EXPECT_EQ(s.phases[0].together.size(), 10U);
  EXPECT_EQ(s.phases[2].together.size(), 7U);
  EXPECT_EQ(s.phases[2].waiting.size(), 1U);
  EXPECT_EQ(s.jobs[s.phases[2].waiting[0].value].spec.roles[0].shape.milli, 30);
}

TEST(Load, ProseForABackendIsRemembered) {
  const Scenario s = good(
      "scenario:\n  backend: {slurm_fake: hangs}\n  jobs: [{id: J, run: 5}]\nexpect:\n  - check: the backend holds one "
      "job\n");
  EXPECT_FALSE(s.runnable());
  EXPECT_THAT(s.beyond_engine, testing::Contains("backend"));
  ASSERT_EQ(s.expect.size(), 1U);
  EXPECT_EQ(s.expect[0].prose, "the backend holds one job");
}

// Every name of the language loads, also those that no open case uses.
TEST(Load, FurtherNames) {
  const Scenario s = good(R"(
scenario:
  nodes: {n1: {gpus: 4, group: g}, n2: {gpus: 4}}
  teams: {T: {quota: 4}}
  settings: {gpu_event_policy: {79: restart_job}, promote_slack_s: 60, hold_down_s: 5, seed: 3, backfill: on}
  services: [{id: S, guard: 1, max: 2, class: core, demand: 1}]
  jobs:
    - {id: J, run: 100, workers: 4, min_workers: 2, one_per_node: false, may_be_rejected: true, max_retries: 1, max_timeouts: 2, node: n1, ckpt: 10, type: t, deadline: 900}
    - {id: K, run: 100, gpu_index: 1, place: n1}
  events:
    - {t: 1, gpu_event: {node: n1, gpu: 0, code: 79}}
    - {t: 2, node_silent: n1}
    - {t: 3, node_heard: n1}
    - {t: 4, wall_clock: 3600}
    - {t: 5, scheduler_restart: true}
    - {t: 6, scheduler_stop: true}
    - {t: 7, scheduler_start: true}
    - {t: 8, kill_scheduler: true}
    - {t: 9, requeue: J}
    - {t: 10, update_service: {service: S, version: 2}}
    - {t: 11, set_quota: {team: T, quota: 2}}
    - {t: 12, partition: n2}
    - {t: 13, heal: n2}
    - {t: 14, backend_exit: {job: J, code: 1}}
    - {t: 15, allocatable: {n1: 3}}
  until: 20
expect:
  - attempts: {job: J, max: 3}
  - workers_running: {job: J, t: 5, min: 2}
  - first_start_of_any: {jobs: [J, K], by: 15}
  - each_job_preempted: {max: 1}
  - reason_never: {job: J, code: [quota]}
  - reason_breakdown: {job: J, at: 5, nodes: {capacity: 1, drained: 0}}
  - per_gpu: {node: n1, during: [0, 20], max: 1}
  - capacity: {node: n1, t: 16, equals: 3}
  - state: {job: J, at: 5, equals: running}
  - overlap: {jobs: [J, K], allowed: true}
  - scale_events: {service: S, up_max: 2, down_max: 0}
  - cycles: {during: [0, 20], min: 1, max_gap_s: 30}
  - counter: {name: weir_preemptions_total, at: 20, max: 0}
  - log_lines_about: {job: J, max: 100}
  - yield_asked: {job: J, times: 0, by: 5, not_before: 1}
  - withdrawn: {job: J, times: 0}
  - preempted_at_boundary: {job: J}
  - tier_at: {job: J, at: 5, equals: 1}
  - idle: {during: [0, 5], min: 0, max: 8}
  - yields: {job: J, cause: drain, times: 0}
  - reason_names: {job: J, at: 5, holder: K}
  - ledger_zero: {at: 19}
  - views_agree: {from: 5}
  - version: {service: S, all: 2, by: 20}
  - eta_contains_start: {job: J}
)");
  EXPECT_EQ(s.events.size(), 15U);
  EXPECT_EQ(s.expect.size(), 25U);
}

TEST(Load, RefusesWhatIsNoScenarioAtAll) {
  for (const std::string& text :
       {std::string(), std::string("- 1\n"), std::string("{"), std::string("a\0b", 3), std::string("scenario: 5\n")}) {
    const auto scenario = load(text, "s.yaml");
    EXPECT_FALSE(scenario.has_value()) << text;
  }
}

}  // namespace
}  // namespace weir::scenario
