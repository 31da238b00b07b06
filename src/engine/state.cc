#include "engine/state.h"

#include <utility>

namespace weir {

State::State() : pool_(std::make_unique<engine::Pool>()) {
  (void)engine::team_index(*pool_, "");  // work without a team is of team 0
}
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;

State State::clone() const {
  State copy;
  *copy.pool_ = *pool_;
  return copy;
}

}  // namespace weir

namespace weir::engine {

Index Names::of(std::string_view name) {
  const auto it = index_.find(name);
  if (it != index_.end()) return it->second;
  const auto index = static_cast<Index>(names_.size());
  names_.emplace_back(name);
  index_.emplace(names_.back(), index);
  return index;
}

Index Names::find(std::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? kNoIndex : it->second;
}

namespace {

template <class Map, class Id>
auto* find_in(Map& map, Id id) {
  const auto it = map.find(id.value);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace

Node* node_of(Pool& pool, NodeId id) {
  const Index at = id.value < pool.node_index.size() ? pool.node_index[id.value] : kNoIndex;
  return at == kNoIndex ? nullptr : &pool.nodes[at];
}

const Node* node_of(const Pool& pool, NodeId id) {
  const Index at = id.value < pool.node_index.size() ? pool.node_index[id.value] : kNoIndex;
  return at == kNoIndex ? nullptr : &pool.nodes[at];
}

JobRec* job_of(Pool& pool, JobId id) { return find_in(pool.jobs, id); }
const JobRec* job_of(const Pool& pool, JobId id) { return find_in(pool.jobs, id); }
RunRec* run_of(Pool& pool, RunId id) { return pool.runs.find(id.value); }
const RunRec* run_of(const Pool& pool, RunId id) { return pool.runs.find(id.value); }
ReplicaRec* replica_of(Pool& pool, ReplicaId id) { return find_in(pool.replicas, id); }
const ReplicaRec* replica_of(const Pool& pool, ReplicaId id) { return find_in(pool.replicas, id); }
ServiceRec* service_of(Pool& pool, ServiceId id) { return find_in(pool.services, id); }
const ServiceRec* service_of(const Pool& pool, ServiceId id) { return find_in(pool.services, id); }
ClaimRec* claim_of(Pool& pool, ClaimId id) { return find_in(pool.claims, id); }
const ClaimRec* claim_of(const Pool& pool, ClaimId id) { return find_in(pool.claims, id); }

Index team_index(Pool& pool, std::string_view name) {
  const Index index = pool.teams_by_name.of(name);
  if (index >= pool.teams.size()) {
    pool.teams.resize(index + 1);
    pool.teams[index].spec.name = name;
  }
  return index;
}

Team& team_named(Pool& pool, std::string_view name) { return pool.teams[team_index(pool, name)]; }

void decide(Pool& pool, decision::Body body) {
  pool.out.decisions.push_back(Decision{pool.next_decision++, std::move(body)});
}

void tell(Pool& pool, Change change) { pool.out.changes.push_back(std::move(change)); }

void alarm(Pool& pool, change::Alarm alarm) { pool.out.changes.emplace_back(alarm); }

void wake_at(Pool& pool, TimeMs at_ms, Timer kind, std::uint32_t id) {
  if (at_ms < kNever) pool.timers.insert(TimerEntry{at_ms, kind, id});
}

}  // namespace weir::engine
