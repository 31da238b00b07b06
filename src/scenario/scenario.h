// The scenario language: a small YAML file with a pool, work, events and what
// must come out. `load` reads one and names every problem at once; `run` plays it
// on the production engine with a virtual clock, the auditor on, and holds every
// expectation against what happened.
//
// Times in a Scenario are milliseconds from its start. On the world's clock the
// start is kOriginMs, so that what stands at time 0 (nodes, teams, services) can
// be declared just before the work that arrives at time 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/simulated/simulated.h"
#include "model/model.h"

namespace weir::scenario {

inline constexpr TimeMs kOriginMs = 1000;

struct JobEntry {
  JobSpec spec;  // submitted_ms and deadline_ms count from the scenario's start
  JobTruth truth;
  int line = 0;
  bool may_be_rejected = false;  // checks about it hold when it was turned away
};

struct ServiceEntry {
  ServiceSpec spec;
  TimeMs at_ms = 0;
  std::map<TimeMs, std::int32_t> demand;  // wanted replicas from a time on
  std::vector<TimeMs> requests;           // single requests, for services that scale to zero
  int line = 0;
};

enum class Act : std::uint8_t {
  node_down,
  node_up,
  node_silent,
  node_heard,
  partition,
  heal,
  drain,
  undrain,
  allocatable,
  gpu_event,
  card_ok,
  cancel,
  requeue,
  hold,
  release,
  edit,
  worker_done,
  worker_failed,
  backend_exit,
  stop_service,
  update_service,
  set_guard,
  need,
  need_planned,
  set_quota,
  freeze,
  unfreeze,
  scheduler_restart,
  scheduler_stop,
  scheduler_start,
  kill_scheduler,
  nothing,  // a fact without effect on the engine: node_label_change, wall_clock
};

// One thing that happens. Only the fields of its act are set.
struct Happening {
  TimeMs at_ms = 0;
  Act act = Act::nothing;
  NodeId node;
  JobId host_of;  // instead of `node`: where this job runs at that moment
  JobId job;
  ServiceId service;
  bool card_of_job = false;  // gpu_event: the first card of `host_of`
  std::int32_t number = 0;   // cards, code, worker count, replicas, guard
  std::int32_t card = 0;
  bool success = true;  // backend_exit
  std::vector<std::int32_t> workers;
  TeamSpec team;                                                                    // set_quota
  std::optional<std::int32_t> version, max_missing, max_extra, guard, max, demand;  // update_service
  std::optional<DurationMs> start_ms, drain_ms;
  std::optional<std::string> tier;  // edit
  std::optional<TimeMs> deadline_ms;
  std::optional<DurationMs> limit_ms;
  std::int32_t ramp = 0;                  // need
  TimeMs from_ms = 0, until_ms = kNever;  // need_planned; need: valid until
  int line = 0;
};

// The value of one field of a check, in the unit of the field.
struct Arg {
  std::int64_t number = 0;
  std::string text;
  std::vector<std::string> words;
  std::vector<std::int64_t> numbers;
  std::map<std::string, std::int64_t> counts;
};

struct Expectation {
  std::string check;  // name in the table of checks; empty: prose
  std::string prose;  // a `check:` line, for a person or a real backend
  int line = 0;
  std::map<std::string, Arg, std::less<>> args;
  std::vector<Expectation> parts;  // any_of, all_of
};

// One instance of a phase (`phases:`): jobs that must run together, jobs that
// must wait meanwhile, and when the pool must be empty again.
struct PhaseRun {
  int phase = 0;
  std::vector<JobId> together;
  std::vector<JobId> waiting;
  TimeMs at_ms = 0;
  TimeMs empty_ms = 0;
};

struct Scenario {
  std::string file;
  std::string id;
  std::int32_t repeat = 1;
  TimeMs until_ms = 0;
  std::uint64_t seed = 1;  // of what a scenario draws at random
  DurationMs exit_ms = 0;  // from the end of a save to the proof that the cards are empty

  Settings settings;
  bool tiers_by_number = true;                      // no `tiers:`: each number that is used makes its own
  std::map<std::string, std::int32_t> fault_codes;  // of card errors that are named by a word
  std::vector<NodeSpec> nodes;                      // NodeId = index
  std::vector<NodeId> down_at_start;
  std::vector<NodeId> drained_at_start;
  std::vector<ServiceEntry> services;  // ServiceId = index
  std::vector<JobEntry> jobs;          // JobId = index
  std::vector<Happening> events;
  std::vector<PhaseRun> phases;
  std::int64_t load_jobs = 0;  // jobs made by `load:`, all of which must succeed

  std::vector<std::string> beyond_engine;  // parts of the set-up that only a real backend can play
  bool needs_backend = false;              // nothing of it can be judged without that backend
  std::vector<Expectation> expect;

  std::map<std::string, JobId, std::less<>> job_ids;
  std::map<std::string, NodeId, std::less<>> node_ids;
  std::map<std::string, ServiceId, std::less<>> service_ids;
  [[nodiscard]] JobId job(std::string_view name) const;  // not valid when there is none
  [[nodiscard]] NodeId node(std::string_view name) const;
  [[nodiscard]] ServiceId service(std::string_view name) const;
  [[nodiscard]] bool runnable() const { return !nodes.empty() && !needs_backend; }
};

// Reads a scenario. `text` is the file's content, `file` its name in messages.
// Every problem of the file at once, each with its line and the nearest valid name.
[[nodiscard]] ResultAll<Scenario> load(std::string_view text, const std::string& file);
[[nodiscard]] ResultAll<Scenario> load_file(const std::string& path);

struct RunOptions {
  bool trace = false;  // keep a line for every event, decision and reason
};

struct Report {
  std::int32_t passed = 0;
  std::int32_t failed = 0;
  std::int32_t skipped = 0;
  std::vector<std::string> failures;  // one line each: what was expected, and what happened instead
  std::vector<std::string> skips;     // what was not judged, by name
  std::vector<std::string> trace;
  std::uint64_t hash = 0;  // of the state at the end and of all decisions
};

// Plays the scenario `repeat` times and judges it.
[[nodiscard]] Report run(const Scenario& scenario, const RunOptions& options);

}  // namespace weir::scenario
