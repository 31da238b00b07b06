// Facts about nodes and cards.
#include <algorithm>

#include "engine/apply/apply.h"
#include "engine/apply/bounds.h"
#include "engine/apply/jobs.h"
#include "engine/guard/services.h"
#include "engine/place/leases.h"
#include "engine/preempt/boundary.h"

namespace weir::engine {

namespace {

constexpr std::uint32_t kNodeIdsMax = 1U << 22;  // ids are handed out in order; more is a mistake

void order_by_memory(Pool& pool) {
  std::set<std::int64_t> sizes;
  for (const Node& node : pool.nodes) sizes.insert(node.spec.card_mem_mib);
  for (Node& node : pool.nodes) {
    node.mem_order = static_cast<std::int32_t>(std::distance(sizes.begin(), sizes.find(node.spec.card_mem_mib)));
  }
}

struct OnNode {
  std::vector<RunId> runs;
  std::vector<ReplicaId> replicas;
};

OnNode holders_on(const Node& node, Mask cards) {
  OnNode on;
  for (const Lease& lease : node.leases) {
    const bool here = (lease.place.cards & cards) != 0 || (lease.place.cards == 0 && cards == ~Mask{0});
    if (!here) continue;
    if (lease.replica) {
      on.replicas.emplace_back(lease.holder);
    } else if (on.runs.empty() || on.runs.back() != RunId(lease.holder)) {
      on.runs.emplace_back(lease.holder);
    }
  }
  return on;
}

bool all_on_lost_nodes(const Pool& pool, const RunRec& run) {
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    const Node* node = node_of(pool, run.places[i].node);
    if (!run.left[i] && node != nullptr && !node->down) return false;
  }
  return true;
}

// The work on a node is gone; its cards are proven empty, or will be counted as down.
void lose_work(Pool& pool, NodeId id) {
  const OnNode on = holders_on(*node_of(pool, id), ~Mask{0});
  for (const RunId run_id : on.runs) {
    RunRec* run = run_of(pool, run_id);
    if (run == nullptr) continue;
    const JobRec* job = job_of(pool, run->job);
    if (all_on_lost_nodes(pool, *run)) {
      end_run(pool, run_id, event::Exit::lost, job == nullptr ? 0 : job->progress_ms);
    } else {
      for (std::size_t i = 0; i < run->places.size(); ++i) {
        if (run->places[i].node == id) worker_done(pool, run_id, static_cast<std::int32_t>(i));
      }
      stop_for_loss(pool, *run);
    }
  }
  for (const ReplicaId replica : on.replicas) forget_replica(pool, replica);
}

void hit_cards(Pool& pool, NodeId id, Mask cards) {
  const OnNode on = holders_on(*node_of(pool, id), cards);
  for (const RunId run_id : on.runs) {
    if (RunRec* run = run_of(pool, run_id); run != nullptr && run->current) stop_for_loss(pool, *run);
  }
  for (const ReplicaId replica : on.replicas) {
    drain_replica(pool, replica, decision::DrainCause::card_lost, ClaimId());
  }
}

}  // namespace

void apply(Pool& pool, const event::NodeDeclared& e) {
  NodeSpec spec = bounded(e.node);
  Node* node = node_of(pool, spec.id);
  if (node == nullptr) {
    if (spec.id.value >= kNodeIdsMax) return;
    if (pool.node_index.size() <= spec.id.value) pool.node_index.resize(spec.id.value + 1, kNoIndex);
    pool.node_index[spec.id.value] = static_cast<Index>(pool.nodes.size());
    pool.nodes.emplace_back();
    node = &pool.nodes.back();
    node->reported = spec.cards;
    node->known = true;
  } else if (node->reported == node->spec.cards || node->reported > spec.cards) {
    node->reported = spec.cards;
  }
  uncount(pool, *node);
  change_model(pool, *node, pool.models.of(spec.model));
  node->spec = std::move(spec);
  node->cards_ever = std::max(node->cards_ever, node->spec.cards);
  node->group = pool.groups.of(node->spec.group);
  node->rack = pool.racks.of(node->spec.rack);
  node->cards.resize(static_cast<std::size_t>(node->cards_ever));
  order_by_memory(pool);
  node_changed(pool, *node);
  ++pool.fit.pool_version;
  ++pool.epoch;
}

void apply(Pool& pool, const event::NodeDown& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || node->down) return;
  node->down = true;
  node->silent = node->timed_out = false;
  node_changed(pool, *node);
  alarm(pool, {.kind = change::AlarmKind::node_lost, .node = e.node, .job = {}, .service = {}, .run = {}});
  lose_work(pool, e.node);
  ++pool.epoch;
}

void apply(Pool& pool, const event::NodeUp& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || (!node->down && !node->silent)) return;  // told again
  node->down = true;                                              // whatever stood there is proven gone
  lose_work(pool, e.node);
  node = node_of(pool, e.node);
  node->down = node->silent = node->timed_out = false;
  node->reported = node->spec.cards;
  node_changed(pool, *node);
  ++pool.epoch;
}

void apply(Pool& pool, const event::NodeSilent& e, TimeMs at_ms) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || node->down || node->silent) return;
  node->silent = true;
  node->silent_since_ms = std::min(at_ms, pool.now_ms);
  node_changed(pool, *node);
  wake_at(pool, node->silent_since_ms + pool.settings->node_timeout_ms, Timer::node, e.node.value);
  ++pool.epoch;
}

void apply(Pool& pool, const event::NodeHeard& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || !node->silent) return;
  node->silent = node->timed_out = false;
  node_changed(pool, *node);
  for (const ReplicaId id : holders_on(*node, ~Mask{0}).replicas) {
    const ReplicaRec& replica = pool.replicas.at(id.value);
    if (replica.stale) decide(pool, decision::StopReplica{id, decision::DrainCause::card_lost, ClaimId()});
  }
  ++pool.epoch;
}

void node_timed_out(Pool& pool, Node& node) {
  if (!node.silent || node.timed_out) return;
  if (pool.now_ms < node.silent_since_ms + pool.settings->node_timeout_ms) return;
  node.timed_out = true;
  const NodeId id = node.spec.id;
  alarm(pool, {.kind = change::AlarmKind::node_lost, .node = id, .job = {}, .service = {}, .run = {}});
  const OnNode on = holders_on(node, ~Mask{0});
  for (const RunId run_id : on.runs) {
    if (RunRec* run = run_of(pool, run_id)) supersede(pool, *run);
  }
  for (const ReplicaId replica_id : on.replicas) {
    ReplicaRec* replica = replica_of(pool, replica_id);
    if (replica == nullptr || replica->stale) continue;
    ServiceRec& service = pool.services.at(replica->service.value);
    replica->stale = true;
    leave_live(pool, service, *replica);
    holder_changed(pool, {replica->place});
  }
  ++pool.epoch;
}

void apply(Pool& pool, const event::NodeCards& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr) return;
  const std::int32_t before = node->reported;
  node->reported = std::max(0, e.cards);
  node_changed(pool, *node);
  if (node->reported < before) {
    alarm(pool, {.kind = change::AlarmKind::cards_missing, .node = e.node, .job = {}, .service = {}, .run = {}});
  }
  ++pool.epoch;
}

void apply(Pool& pool, const event::CardFault& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || e.card < 0 || e.card >= node->spec.cards) return;
  const auto policy = pool.settings->fault_policy.find(e.code);
  const bool restart = policy != pool.settings->fault_policy.end() && policy->second == FaultPolicy::restart_job;
  const Mask bit = Mask{1} << e.card;
  if (!restart && (node->faulty & bit) == 0) {
    node->faulty |= bit;
    node_changed(pool, *node);
    alarm(pool, {.kind = change::AlarmKind::card_quarantined, .node = e.node, .job = {}, .service = {}, .run = {}});
  }
  hit_cards(pool, e.node, bit);
  ++pool.epoch;
}

void apply(Pool& pool, const event::CardOk& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || e.card < 0 || e.card >= node->spec.cards) return;
  node->faulty &= ~(Mask{1} << e.card);
  node_changed(pool, *node);
  ++pool.epoch;
}

void apply(Pool& pool, const event::DrainSet& e) {
  Node* node = node_of(pool, e.node);
  if (node == nullptr || node->draining == e.on) return;
  node->draining = e.on;
  node_changed(pool, *node);
  ++pool.epoch;
  for (const ReplicaId id : holders_on(*node, ~Mask{0}).replicas) {
    pool.services.at(pool.replicas.at(id.value).service.value).replacing = true;
  }
  for (const RunId id : holders_on(*node, ~Mask{0}).runs) {
    RunRec* run = run_of(pool, id);
    if (run == nullptr || !run->current) continue;
    if (!e.on && run->ask.state != AskState::none && run->ask.cause == YieldCause::drain) withdraw(pool, *run);
    if (e.on) ask_for_drain(pool, *run);
  }
}

}  // namespace weir::engine
