// Inference, as declared: replicas of one shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/shape.h"

namespace weir {

enum class ServiceClass : std::uint8_t {
  core,      // replicas called for by load stand in the inference tier
  standard,  // replicas above the guard stand in `tier`
};

struct ServiceSpec {
  ServiceId id;
  std::string name;
  std::string team;
  ServiceClass service_class = ServiceClass::core;
  std::string tier;              // standard: tier of replicas above the guard; empty = the normal one
  std::int32_t tier_weight = -1;  // standard: by weight instead of name; 0 = below all work; -1 = by `tier`

  Shape shape;
  std::vector<std::string> models;
  bool models_in_order = false;

  std::int32_t guard = 0;        // replicas that run at all times
  std::int32_t max = 0;
  DurationMs start_ms = 0;       // time to ready
  DurationMs drain_ms = 0;       // time to wind down
  DurationMs idle_ms = 0;        // without a request so long: scale to zero (guard 0 only); 0 = never
  DurationMs hold_down_ms = -1;  // wait before scaling down; -1 = the pool's rule
  std::int32_t version = 1;      // changes by a rolling update
  std::int32_t max_missing = 0;  // rolling update: replicas that may be missing from the target
  std::int32_t max_extra = 1;    // rolling update: replicas above the target
  bool operator==(const ServiceSpec&) const = default;
};

enum class ReplicaState : std::uint8_t { starting, ready, draining, gone };

}  // namespace weir
