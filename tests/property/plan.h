// A random world on paper: the pool, the work, and what will happen to it. Plain
// data, so that a failing world can be cut down piece by piece and printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/simulated/simulated.h"
#include "model/model.h"

namespace weir::property {

struct PlannedJob {
  JobSpec spec;
  JobTruth truth;
};

// A need that a service reports at an instant.
struct PlannedNeed {
  TimeMs at_ms = 0;
  event::NeedMeasured need;
};

enum class FaultKind : std::uint8_t { down, silent, drain, card, fewer_cards };

// Something that befalls a node, and is mended at `until_ms`.
struct PlannedFault {
  FaultKind kind = FaultKind::down;
  NodeId node;
  TimeMs at_ms = 0;
  TimeMs until_ms = 0;
  std::int32_t card = 0;   // card
  std::int32_t code = 0;   // card: error code
  std::int32_t cards = 0;  // fewer_cards: so many are reported
};

enum class ActKind : std::uint8_t {
  cancel,
  hold,
  requeue,
  edit_tier,
  edit_deadline,
  edit_limit,
  freeze,
  process_fails,
  replica_fails,
  guard,
  need_planned,
  stop_service,
  quota,
  restart_engine,
  request,
};

// Something that somebody does; what has an end ends at `until_ms`.
struct PlannedAct {
  ActKind kind = ActKind::cancel;
  TimeMs at_ms = 0;
  TimeMs until_ms = 0;
  JobId job;
  ServiceId service;
  std::int64_t amount = 0;  // deadline or limit in ms, guard or need in replicas, quota in cards
  std::string name;         // tier or team
};

struct WorldPlan {
  std::uint64_t seed = 0;
  Settings settings;
  SimulatedOptions executor;
  std::vector<NodeSpec> nodes;
  std::vector<ServiceSpec> services;
  std::vector<PlannedJob> jobs;
  std::vector<PlannedNeed> needs;
  std::vector<PlannedFault> faults;
  std::vector<PlannedAct> acts;
  TimeMs quiet_from_ms = 0;  // nothing from outside happens after this
};

// How large a world may be. Each part draws from its own seed, so a smaller bound
// leaves the parts that remain as they were.
struct PlanBounds {
  std::int32_t nodes_max = 6;
  std::int32_t jobs_max = 30;
  std::int32_t services_max = 3;
  std::int32_t faults_max = 4;
  std::int32_t acts_max = 6;
};

[[nodiscard]] WorldPlan plan_world(std::uint64_t seed, const PlanBounds& bounds = {});

// The plan as text, one line per part, for a report of a failure.
[[nodiscard]] std::string text_of(const WorldPlan& plan);

}  // namespace weir::property
