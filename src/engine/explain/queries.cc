// What can be asked of the engine's state (engine.h).
#include <algorithm>

#include "base/hash.h"
#include "engine/engine.h"
#include "engine/place/fragments.h"
#include "engine/place/leases.h"
#include "engine/state.h"
#include "engine/tiers/queue.h"
#include "engine/tiers/tiers.h"

namespace weir {

namespace {

using engine::JobClass;
using engine::JobRec;
using engine::Pool;
using engine::QueueKey;

QueueKey key_of(const Pool& pool, const JobRec& job) {
  return engine::full_key(pool, pool.queue.classes[job.cls], job.key);
}

std::int64_t waiting_before(const Pool& pool, const QueueKey& key) {
  std::int64_t before = 0;
  for (const auto& [head, index] : pool.queue.heads) {
    if (head > key) break;
    const JobClass& cls = pool.queue.classes[index];
    // Jobs of a class differ from each other beyond the part that the class adds.
    QueueKey own = key;
    const bool same = head.below == key.below && head.not_aged == key.not_aged && head.first == key.first;
    if (same) own.first = cls.jobs.begin()->first;
    const bool by_class = head.first != cls.jobs.begin()->first;  // a team's share stands in for `first`
    const bool all = by_class && !same;
    before += static_cast<std::int64_t>(all ? cls.jobs.size() : cls.jobs.order_of_key(own));
  }
  return before;
}

Reasons reasons_apart(const Pool& pool, const JobRec& job) {
  if (job.state == JobState::held) return {{.code = ReasonCode::held, .amount = job.idle_runs}};
  if (job.state == JobState::backoff) return {{.code = ReasonCode::backoff, .at = job.backoff_until_ms}};
  for (const JobId before : job.spec.after) {
    if (pool.jobs.contains(before.value)) return {{.code = ReasonCode::waiting_jobs, .job = before}};
  }
  return {{.code = ReasonCode::capacity}};
}

Reason waiting_for_claim(const engine::ClaimRec& claim) {
  Reason reason{.code = ReasonCode::waiting_checkpoint, .at = claim.due_ms};
  TimeMs latest = -1;
  for (const engine::Victim& victim : claim.victims) {
    if (victim.gone || victim.free_ms <= latest) continue;
    latest = victim.free_ms;
    reason.run = victim.run;
  }
  return reason;
}

void add(Hasher& hash, const Placement& p) {
  hash.add(p.node.value);
  hash.add(p.cards);
  hash.add(p.milli);
  hash.add(p.card_mem_mib);
}

void add_jobs(Hasher& hash, const Pool& pool) {
  for (const auto& [id, job] : pool.jobs) {
    hash.add(id);
    hash.add(static_cast<std::uint32_t>(job.state));
    hash.add(job.progress_ms);
    hash.add(job.service);
    hash.add(job.incarnation);
    hash.add(job.failures);
    hash.add(job.stay_since_ms);
    hash.add(job.promoted);
    hash.add(job.aged);
    hash.add(job.run.value);
    hash.add(job.claim.value);
  }
}

void add_runs(Hasher& hash, const Pool& pool) {
  for (const auto& [id, run] : pool.runs) {
    hash.add(id);
    hash.add(run.job.value);
    hash.add(run.start_ms);
    hash.add(static_cast<std::uint32_t>(run.ask.state));
    hash.add(run.ask.boundary_ms);
    for (const Placement& place : run.places) add(hash, place);
  }
}

void add_inference(Hasher& hash, const Pool& pool) {
  for (const auto& [id, replica] : pool.replicas) {
    hash.add(id);
    hash.add(replica.service.value);
    hash.add(static_cast<std::uint32_t>(replica.state));
    add(hash, replica.place);
  }
  for (const auto& [id, service] : pool.services) {
    hash.add(id);
    hash.add(service.guard);
    hash.add(service.need);
    hash.add(service.target);
  }
}

}  // namespace

Reasons reasons_of(const State& state, JobId id) {
  const Pool& pool = state.pool();
  const JobRec* job = engine::job_of(pool, id);
  if (job == nullptr || job->run.valid()) return {};
  if (!job->queued) return reasons_apart(pool, *job);
  Reasons reasons;
  if (const engine::ClaimRec* claim = engine::claim_of(pool, job->claim)) reasons.push_back(waiting_for_claim(*claim));
  const JobClass& cls = pool.queue.classes[job->cls];
  if (reasons.empty()) reasons = cls.reasons;
  const QueueKey key = key_of(pool, *job);
  if (!pool.queue.heads.empty() && pool.queue.heads.begin()->first.id != id.value) {
    const std::int64_t before = waiting_before(pool, key);
    if (before > 0) {
      reasons.push_back(
          {.code = ReasonCode::behind, .amount = before, .job = JobId(pool.queue.heads.begin()->first.id)});
    }
  }
  if (reasons.empty()) reasons.push_back({.code = ReasonCode::capacity});
  return reasons;
}

Reasons reasons_of(const State& state, ServiceId id) {
  const engine::ServiceRec* service = engine::service_of(state.pool(), id);
  return service == nullptr ? Reasons{} : service->reasons;
}

std::optional<TierView> tier_of(const State& state, JobId id) {
  const Pool& pool = state.pool();
  const JobRec* job = engine::job_of(pool, id);
  if (job == nullptr) return std::nullopt;
  const TierSpec* tier = engine::tier_of_rank(pool, engine::rank_of(pool, *job));
  if (tier == nullptr) return TierView{.name = job->spec.tier, .promoted = job->promoted, .aged = job->aged};
  return TierView{tier->name, tier->weight, job->promoted, job->aged};
}

std::int64_t rank_of(const State& state, JobId id) {
  const Pool& pool = state.pool();
  const JobRec* job = engine::job_of(pool, id);
  if (job == nullptr || !job->queued) return 0;
  return waiting_before(pool, key_of(pool, *job)) + 1;
}

CardCount cards_of_pool(const State& state) { return state.pool().cards; }

CardCount cards_of_node(const State& state, NodeId id) {
  const engine::Node* node = engine::node_of(state.pool(), id);
  return node == nullptr ? CardCount{} : node->counted;
}

std::int64_t held_milli_of_team(const State& state, std::string_view team) {
  const Pool& pool = state.pool();
  const engine::Index index = pool.teams_by_name.find(team);
  return index == engine::kNoIndex ? 0 : pool.teams[index].held_milli;
}

FragmentView fragments_of(const State& state) {
  const Pool& pool = state.pool();
  FragmentView view;
  for (const engine::Node& node : pool.nodes) {
    view.free_milli += engine::free_milli_on(node);
    view.unusable_milli += engine::unusable_on(pool, node);
    view.largest_block_cards = std::max<std::int64_t>(view.largest_block_cards, std::popcount(node.free_whole()));
  }
  return view;
}

SizeView size_of(const State& state) {
  const Pool& pool = state.pool();
  const auto size = [](const auto& map) { return static_cast<std::int64_t>(map.size()); };
  return {size(pool.jobs), size(pool.runs), size(pool.replicas), size(pool.claims), size(pool.nodes)};
}

std::uint64_t hash_of(const State& state) {
  const Pool& pool = state.pool();
  Hasher hash;
  hash.add(pool.now_ms);
  hash.add(pool.next_decision);
  hash.add(pool.frozen);
  add_jobs(hash, pool);
  add_runs(hash, pool);
  add_inference(hash, pool);
  for (const auto& [id, claim] : pool.claims) {
    hash.add(id);
    hash.add(claim.due_ms);
    for (const engine::ClaimPart& part : claim.parts) add(hash, part.place);
  }
  for (const engine::Node& node : pool.nodes) {
    hash.add(node.whole);
    hash.add(node.shared);
    hash.add(node.kept);
    hash.add(node.faulty);
    hash.add(node.missing);
    hash.add(node.down);
    hash.add(node.silent);
    hash.add(node.draining);
  }
  for (const engine::Team& team : pool.teams) hash.add(team.used);
  return hash.value();
}

}  // namespace weir
