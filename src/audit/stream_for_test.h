// Hand-made steps for the auditor's tests: a pool small enough to read, and
// builders that put one step together at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "audit/audit.h"
#include "model/model.h"

namespace weir {

inline NodeSpec node_of(std::uint32_t id, std::int32_t cards = 8, std::string model = "") {
  NodeSpec node;
  node.id = NodeId{id};
  node.name = "n" + std::to_string(id);
  node.model = std::move(model);
  node.cards = cards;
  return node;
}

// Whole cards of one node, by mask.
inline Placement cards_on(std::uint32_t node, std::uint64_t mask) {
  return Placement{.node = NodeId{node}, .cards = mask};
}

inline Placement share_on(std::uint32_t node, std::int32_t card, std::int32_t milli, std::int64_t mem_mib) {
  return Placement{
      .node = NodeId{node}, .cards = std::uint64_t{1} << card, .share = true, .milli = milli, .card_mem_mib = mem_mib};
}

// A gang of `workers` x `cards` that saves every 100 s, without cost.
inline JobSpec job_of(std::uint32_t id, std::int32_t cards = 1, std::int32_t workers = 1) {
  JobSpec job;
  job.id = JobId{id};
  job.roles = {WorkerGroup{.role = "", .count = workers, .shape = Shape{.cards = cards}}};
  job.ckpt = CheckpointContract{.mode = CheckpointMode::interval, .interval_ms = 100 * kSecond};
  return job;
}

inline ServiceSpec service_of(std::uint32_t id, std::int32_t guard, std::int32_t max) {
  ServiceSpec service;
  service.id = ServiceId{id};
  service.shape = Shape{.cards = 1};
  service.guard = guard;
  service.max = max;
  return service;
}

inline decision::StartRun start_of(std::uint32_t run, std::uint32_t job, std::vector<Placement> places) {
  return decision::StartRun{.run = RunId{run}, .job = JobId{job}, .places = std::move(places)};
}

inline decision::StartReplica replica_of(std::uint32_t replica, std::uint32_t service, Placement place) {
  return decision::StartReplica{.replica = ReplicaId{replica}, .service = ServiceId{service}, .place = place};
}

inline decision::AskYield ask_of(std::uint32_t run, std::uint32_t claim) {
  return decision::AskYield{.run = RunId{run}, .claim = ClaimId{claim}};
}

// Claim `id` of `job` on `cards`, taking `victims`, due at 100 s, expiring at 300 s.
inline change::ClaimMade claim_of(std::uint32_t id, std::uint32_t job, std::vector<Placement> cards,
                                  std::vector<std::uint32_t> victims) {
  change::ClaimMade made;
  made.claim = ClaimId{id};
  made.job = JobId{job};
  made.cards = std::move(cards);
  for (const std::uint32_t run : victims) made.victims.push_back({.run = RunId{run}, .boundary_ms = 100 * kSecond});
  made.due_ms = 100 * kSecond;
  made.expires_ms = 300 * kSecond;
  return made;
}

class Stream {
 public:
  explicit Stream(AuditOptions options = {}) : auditor(options) {}

  // One step. Bodies of events, decisions and changes in any mixture; events
  // happen at the step's instant.
  template <class... Bodies>
  Stream& step(TimeMs now_ms, Bodies&&... bodies) {
    std::vector<Event> events;
    StepResult result;
    (put(now_ms, events, result, std::forward<Bodies>(bodies)), ...);
    auditor.on_step(now_ms, events, result);
    return *this;
  }

  // Numbers of the invariants found broken, in order.
  [[nodiscard]] std::vector<int> broken() const {
    std::vector<int> out;
    for (const Violation& violation : auditor.violations()) out.push_back(violation.invariant);
    return out;
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Violation& violation : auditor.violations()) out += violation.text + "\n";
    return out;
  }

  Auditor auditor;

 private:
  template <class Body>
  void put(TimeMs now_ms, std::vector<Event>& events, StepResult& result, Body&& body) {
    if constexpr (std::is_constructible_v<event::Body, Body>) {
      events.push_back(Event{.at_ms = now_ms, .body = std::forward<Body>(body)});
    } else if constexpr (std::is_constructible_v<decision::Body, Body>) {
      result.decisions.push_back(Decision{.id = ++decision_, .body = std::forward<Body>(body)});
    } else {
      result.changes.push_back(std::forward<Body>(body));
    }
  }

  std::uint64_t decision_ = 0;
};

}  // namespace weir
