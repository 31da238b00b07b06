#include "scenario/build.h"

#include <algorithm>
#include <bit>

namespace weir::scenario {

namespace {

TimeMs world_time(TimeMs scenario_ms) { return scenario_ms >= kNever ? kNever : scenario_ms + kOriginMs; }

JobSpec on_world_clock(JobSpec spec) {
  spec.submitted_ms = world_time(spec.submitted_ms);
  spec.deadline_ms = world_time(spec.deadline_ms);
  return spec;
}

}  // namespace

bool restarts_engine(const Scenario& s) {
  return std::any_of(s.events.begin(), s.events.end(), [](const Happening& h) {
    return h.act == Act::scheduler_restart || h.act == Act::kill_scheduler || h.act == Act::scheduler_start ||
           h.act == Act::scheduler_stop;
  });
}

Player::Player(const Scenario& scenario, World& world, Record& record)
    : scenario_(scenario), world_(world), record_(record), silent_(scenario.nodes.size(), false) {
  for (const ServiceEntry& service : scenario.services) services_.push_back(service.spec);
}

void Player::set_up() {
  declare_pool();
  declare_services();
  for (const Happening& happening : scenario_.events) schedule(happening);
  for (const JobEntry& job : scenario_.jobs) world_.submit(on_world_clock(job.spec), job.truth);
}

// What stands from the beginning is known just before the beginning.
void Player::declare_pool() {
  const TimeMs before = kOriginMs - 1;
  for (const NodeSpec& node : scenario_.nodes) world_.at(Event{before, event::NodeDeclared{node}});
  for (const NodeId node : scenario_.down_at_start) world_.at(Event{before, event::NodeDown{node}});
  for (const NodeId node : scenario_.drained_at_start) world_.at(Event{before, event::DrainSet{node, true}});
  world_.at(Event{before, event::ConfigSet{std::make_shared<const Settings>(scenario_.settings)}});
}

void Player::declare_services() {
  for (const ServiceEntry& service : scenario_.services) {
    world_.at(Event{world_time(service.at_ms) - 1, event::ServiceDeclared{service.spec}});
    for (const auto& [at, replicas] : service.demand)
      world_.at(Event{
          world_time(at),
          event::NeedMeasured{.service = service.spec.id, .replicas = replicas, .ramp = 0, .valid_until_ms = kNever}});
    for (const TimeMs at : service.requests) world_.at(Event{world_time(at), event::RequestArrived{service.spec.id}});
  }
}

void Player::schedule(const Happening& happening) {
  world_.at(world_time(happening.at_ms), [this, happening](World& world) { act(world, happening); });
}

std::vector<NodeId> Player::nodes_of(const Happening& h) const {
  if (!h.host_of.valid()) return {h.node};
  const JobRecord& job = record_.jobs[h.host_of.value];
  if (job.attempts.empty() || job.attempts.back().end_ms != kNever || job.attempts.back().places.empty()) return {};
  return {job.attempts.back().places.front().node};
}

std::int32_t Player::card_of(const Happening& h) const {
  if (!h.card_of_job) return h.card;
  return std::countr_zero(record_.jobs[h.host_of.value].attempts.back().places.front().cards);
}

// What a node event does to the machines, and what the engine is told of it.
void Player::act_on_node(World& world, const Happening& h) {
  const TimeMs now = world.now_ms();
  for (const NodeId node : nodes_of(h)) {
    const auto tell = [&](event::Body body) { world.at(Event{now, std::move(body)}); };
    switch (h.act) {
      case Act::node_down:
        world.executor().node_lost(node, now);
        tell(event::NodeDown{node});
        break;
      case Act::node_up:
        if (silent_[node.value]) world.executor().node_lost(node, now);  // it came back by starting anew
        silent_[node.value] = false;
        tell(event::NodeUp{node});
        break;
      case Act::node_silent:
      case Act::partition:
        world.executor().node_partitioned(node, now);
        silent_[node.value] = true;
        tell(event::NodeSilent{node});
        break;
      case Act::node_heard:
      case Act::heal:
        world.executor().node_healed(node, now);
        silent_[node.value] = false;
        tell(event::NodeHeard{node});
        break;
      case Act::drain:
        tell(event::DrainSet{node, true});
        break;
      case Act::undrain:
        tell(event::DrainSet{node, false});
        break;
      case Act::allocatable:
        tell(event::NodeCards{node, h.number});
        break;
      case Act::gpu_event:
        tell(event::CardFault{node, card_of(h), h.number});
        break;
      case Act::card_ok:
        tell(event::CardOk{node, h.card});
        break;
      default:
        break;
    }
  }
}

bool Player::started_later() const {
  return std::any_of(scenario_.events.begin(), scenario_.events.end(), [this](const Happening& h) {
    return h.act == Act::scheduler_start && world_time(h.at_ms) > world_.now_ms();
  });
}

void Player::act_on_scheduler(World& world, Act act) {
  const TimeMs now = world.now_ms() - kOriginMs;
  const auto rebuild = [&] { replay_differs_ = !world.restart_engine() || replay_differs_; };
  const bool stops = act == Act::scheduler_stop || (act == Act::kill_scheduler && started_later());
  if (stops) {
    world.stop_engine();
    stopped_at_ms_ = now;
  } else if (act == Act::scheduler_start) {
    rebuild();
    world.start_engine();
    if (stopped_at_ms_ != kNever) record_.stopped.emplace_back(stopped_at_ms_, now);
    stopped_at_ms_ = kNever;
  } else {
    rebuild();
  }
}

void Player::backend_exit(World& world, const Happening& h) {
  const TimeMs now = world.now_ms();
  if (h.job.valid() && h.number >= 0) {
    if (h.success)
      world.executor().worker_done(h.job, h.number, now);
    else
      world.executor().worker_failed(h.job, h.number, now);
  } else if (h.job.valid()) {
    world.executor().run_exits(h.job, h.success, now);
  } else {
    const auto replica = std::find_if(record_.replicas.begin(), record_.replicas.end(), [&](const ReplicaRecord& r) {
      return r.service == h.service && r.live_at(now - kOriginMs);
    });
    if (replica != record_.replicas.end()) world.executor().replica_fails(replica->id, now);
  }
}

void Player::act(World& world, const Happening& h) {
  const TimeMs now = world.now_ms();
  const auto tell = [&](event::Body body) { world.at(Event{now, std::move(body)}); };
  switch (h.act) {
    case Act::cancel:
      return tell(event::JobCancelled{h.job});
    case Act::requeue:
      return tell(event::JobRequeued{h.job});
    case Act::hold:
      return tell(event::JobHeld{h.job, true});
    case Act::release:
      return tell(event::JobHeld{h.job, false});
    case Act::edit:
      return tell(event::JobEdited{
          h.job, h.tier, h.deadline_ms ? std::optional(world_time(*h.deadline_ms)) : std::nullopt, h.limit_ms});
    case Act::worker_done:
      for (const std::int32_t worker : h.workers) world.executor().worker_done(h.job, worker, now);
      return;
    case Act::worker_failed:
      for (const std::int32_t worker : h.workers) world.executor().worker_failed(h.job, worker, now);
      return;
    case Act::backend_exit:
      return backend_exit(world, h);
    case Act::stop_service:
      return tell(event::ServiceStopped{h.service});
    case Act::update_service: {
      ServiceSpec& spec = services_[h.service.value];
      spec.version = h.version.value_or(spec.version);
      spec.max_missing = h.max_missing.value_or(spec.max_missing);
      spec.max_extra = h.max_extra.value_or(spec.max_extra);
      spec.guard = h.guard.value_or(spec.guard);
      spec.max = h.max.value_or(spec.max);
      spec.start_ms = h.start_ms.value_or(spec.start_ms);
      spec.drain_ms = h.drain_ms.value_or(spec.drain_ms);
      if (h.demand) tell(event::NeedMeasured{.service = h.service, .replicas = *h.demand, .ramp = 0});
      return tell(event::ServiceDeclared{spec});
    }
    case Act::set_guard:
      services_[h.service.value].guard = h.number;
      return tell(event::GuardPublished{h.service, h.number});
    case Act::need:
      return tell(event::NeedMeasured{h.service, h.number, h.ramp, world_time(h.until_ms)});
    case Act::need_planned:
      return tell(event::NeedPlanned{h.service, h.number, world_time(h.from_ms), world_time(h.until_ms)});
    case Act::set_quota:
      return tell(event::QuotaSet{h.team});
    case Act::freeze:
      return tell(event::FreezeSet{true});
    case Act::unfreeze:
      return tell(event::FreezeSet{false});
    case Act::scheduler_restart:
    case Act::scheduler_stop:
    case Act::scheduler_start:
    case Act::kill_scheduler:
      return act_on_scheduler(world, h.act);
    case Act::nothing:
      return;
    default:
      return act_on_node(world, h);
  }
}

}  // namespace weir::scenario
