// What the pool is told to do: the engine's view of pool.yaml, every default
// resolved to a number (engine.md 11). Made by config/, or by scenario/ with the
// defaults of scenarios.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/job.h"
#include "model/node.h"
#include "model/service.h"
#include "model/shape.h"

namespace weir {

enum class TierRole : std::uint8_t { inference, deadline, training };

struct TierSpec {
  std::string name;
  std::int32_t weight = 0;  // orders tiers; all different
  TierRole role = TierRole::training;
  bool operator==(const TierSpec&) const = default;
};

struct TeamSpec {
  std::string name;
  bool has_quota = false;               // false: no cap and no entitlement
  bool borrow = false;                  // true: quota is guaranteed and may be exceeded; false: a cap
  std::int64_t quota_cards = 0;
  bool quota_by_model = false;          // then quota_of_model, where a model not named is 0
  std::map<std::string, std::int64_t> quota_of_model;
  std::vector<std::string> tiers;       // training tiers its jobs may name; empty = all
  std::int64_t deadline_budget_ms = -1;  // promoted GPU-ms in a rolling 168 h; -1 = by the pool's share
  bool operator==(const TeamSpec&) const = default;
};

struct ModelSpeed {
  std::string model;
  std::int32_t speed_milli = 1000;
  bool operator==(const ModelSpeed&) const = default;
};

// What a task type needs and where it runs well: models in order of wish.
struct ProfileSpec {
  std::string type;
  std::vector<ModelSpeed> models;
  bool operator==(const ProfileSpec&) const = default;
};

enum class OrderRule : std::uint8_t { attained, response_ratio, fifo };
enum class BufferMode : std::uint8_t { lend, hold };
enum class DefragMode : std::uint8_t { off, waiter, background };
enum class EmergencyRule : std::uint8_t { wait, on_demand, kill };
enum class FaultPolicy : std::uint8_t { restart_job, remove_gpu_until_ok };

struct RotationSettings {
  bool on = true;
  MilliGpuMs first_service = std::int64_t{kMilliPerCard} * kHour;  // below: level 0
  DurationMs victim_after_ms = 10 * kMinute;      // level-1 victim's useful work since its start
  DurationMs gang_after_ms = kHour;               // a gang's wait since submission
  DurationMs gang_victim_after_ms = 4 * kHour;
  DurationMs short_limit_ms = kHour;              // a taker that cannot be preempted: limit at most this
  bool operator==(const RotationSettings&) const = default;
};

struct Settings {
  // pool
  std::int32_t total_gpus = 0;
  std::int32_t guard_min_cards = 0;        // inference_guard_min
  std::vector<Shape> guard_shapes;         // of the unassigned guard; empty = one-card shapes
  std::int32_t buffer_cards = 0;           // elastic_buffer
  BufferMode buffer_mode = BufferMode::lend;
  DurationMs lead_time_ms = 0;
  std::int64_t training_floor_cards = 0;
  std::int64_t nonpreemptible_max_cards = kUnlimited;
  GangScope gang_within = GangScope::any;  // for jobs that do not say

  std::vector<TierSpec> tiers;             // any order; weights differ
  std::string default_tier;                // the normal training tier
  std::vector<TeamSpec> teams;
  std::vector<ProfileSpec> profiles;

  // preempt
  bool preempt_enabled = true;
  bool only_at_checkpoint = true;
  DurationMs assumed_interval_ms = 10 * kMinute;   // checkpoint interval of a job that checkpoints without saying how often
  DurationMs min_run_ms = 10 * kMinute;
  EmergencyRule on_emergency = EmergencyRule::on_demand;
  DurationMs claim_grace_ms = 120 * kSecond;       // expires = due + max(grace, share of the wait)
  std::int32_t claim_grace_permille = 200;
  DurationMs lateness_step_ms = 30 * kSecond;

  // order
  OrderRule order = OrderRule::attained;
  RotationSettings rotation;
  DurationMs aging_max_wait_ms = 12 * kHour;       // kNever = off
  DurationMs share_half_life_ms = 7 * kDay;

  // deadline promotion
  DurationMs promote_slack_ms = -1;                // >= 0 replaces the rule below by a fixed slack
  std::int32_t slack_permille_of_remaining = 250;
  DurationMs slack_floor_ms = 30 * kMinute;
  DurationMs unknown_horizon_ms = 2 * kHour;       // remaining unknown: promoted when nearer than this
  std::int64_t deadline_budget_ms = -1;            // pool-wide, when no teams; -1 = none

  // backfill and defrag
  bool backfill = true;
  std::int32_t backfill_depth = 8;                 // reservations per model
  DefragMode defrag = DefragMode::waiter;
  std::int32_t moves_per_hour = 0;
  std::int32_t mix_starts = 4000;                  // window of the shape mix
  DurationMs mix_window_ms = 7 * kDay;

  // inference
  DurationMs hold_down_ms = 5 * kMinute;           // at least; the rule is max(this, 2 x time to ready)
  DurationMs stale_need_ms = 60 * kSecond;         // NeedMeasured without valid_until; kNever = never stale

  // facts from below
  DurationMs node_timeout_ms = 60 * kSecond;
  std::map<std::int32_t, FaultPolicy> fault_policy;  // by code; what is not named: remove_gpu_until_ok
  DurationMs backoff_first_ms = 10 * kSecond;        // x 4 each time
  DurationMs backoff_max_ms = 10 * kMinute;
  DurationMs heartbeat_ms = 30 * kSecond;            // the engine's own timer

  bool shadow = false;                               // decide and record, carry nothing out
  bool operator==(const Settings&) const = default;
};

// Everything a pool file says: the engine's settings, and the facts that the
// daemon or a simulation turns into events at its start.
struct PoolConfig {
  Settings settings;
  std::vector<NodeSpec> nodes;
  std::vector<ServiceSpec> services;
  std::map<std::string, std::map<std::string, std::string>> outer;  // executor, store, server, auth: section -> key -> text
};

}  // namespace weir
