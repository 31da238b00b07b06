// Weir's placement as production uses it: every arrival is a submission to the engine,
// in a step of its own; what does not start at once is cancelled with the next.
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>

#include "engine/engine.h"
#include "packing/policy.h"

namespace weir::packing {

namespace {

Settings settings_of(const Workload& workload) {
  Settings settings;
  settings.tiers = {{.name = "infer_core", .weight = 100, .role = TierRole::inference},
                    {.name = "train_deadline_near", .weight = 80, .role = TierRole::deadline},
                    {.name = "train_normal", .weight = 40, .role = TierRole::training}};
  settings.default_tier = "train_normal";
  settings.total_gpus = static_cast<std::int32_t>(workload.capacity_milli / kCardMilli);
  return settings;
}

class Engine final : public Policy {
 public:
  Engine(const Workload& workload, const std::vector<std::uint32_t>& order) : workload_(workload) {
    std::vector<Event> events;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const HostSpec& host = workload.hosts[order[i]];
      NodeSpec node{.id = NodeId(i), .name = host.name, .model = host.model, .cards = host.cards};
      node.cpu_milli = host.cpu_milli;
      node.ram_mib = host.ram_mib;
      events.push_back({.at_ms = 0, .body = event::NodeDeclared{std::move(node)}});
    }
    events.push_back({.at_ms = 0, .body = event::ConfigSet{std::make_shared<const Settings>(settings_of(workload))}});
    (void)step(state_, events, 0);
  }

  std::optional<Choice> choose(const Cluster&, std::uint32_t kind) override {
    now_ms_ += kSecond;
    std::vector<Event> events;
    if (turned_away_.valid()) events.push_back({.at_ms = now_ms_, .body = event::JobCancelled{turned_away_}});
    const JobId id(next_job_++);
    events.push_back({.at_ms = now_ms_, .body = event::JobSubmitted{job(id, workload_.kinds[kind])}});
    const StepResult result = step(state_, events, now_ms_);
    turned_away_ = id;
    for (const Decision& decision : result.decisions) {
      const auto* start = std::get_if<decision::StartRun>(&decision.body);
      if (start == nullptr || start->job != id) continue;
      turned_away_ = JobId();
      const Placement& place = start->places.front();
      return Choice{place.node.value, static_cast<std::uint32_t>(place.cards)};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] JobSpec job(JobId id, const Kind& kind) const {
    JobSpec job;
    job.id = id;
    job.models = kind.models;
    job.submitted_ms = now_ms_;
    Shape shape{.cpu_milli = kind.cpu_milli, .ram_mib = kind.ram_mib};
    (kind.shares() ? shape.milli : shape.cards) = kind.shares() ? kind.milli : kind.cards;
    job.roles = {{.role = {}, .count = 1, .shape = shape}};
    return job;
  }

  const Workload& workload_;
  State state_;
  TimeMs now_ms_ = 0;
  std::uint32_t next_job_ = 0;
  JobId turned_away_;
};

}  // namespace

std::unique_ptr<Policy> make_weir(const Workload& workload, const std::vector<std::uint32_t>& order) {
  return std::make_unique<Engine>(workload, order);
}

}  // namespace weir::packing
