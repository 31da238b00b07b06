// From a scenario to a world: facts, services, jobs and events at their times.
#pragma once

#include <memory>

#include "scenario/record.h"
#include "scenario/scenario.h"
#include "sim/world.h"

namespace weir::scenario {

// What a scenario does to its world while it runs. Lives as long as the run.
class Player {
 public:
  Player(const Scenario& scenario, World& world, Record& record);

  void set_up();                                                         // everything is put on the world's clock
  [[nodiscard]] bool replay_differs() const { return replay_differs_; }  // after a restart of the engine

 private:
  void declare_pool();
  void declare_services();
  void schedule(const Happening& happening);
  void act(World& world, const Happening& h);
  void act_on_node(World& world, const Happening& h);
  void act_on_scheduler(World& world, Act act);
  void backend_exit(World& world, const Happening& h);
  [[nodiscard]] std::vector<NodeId> nodes_of(const Happening& h) const;
  [[nodiscard]] std::int32_t card_of(const Happening& h) const;
  [[nodiscard]] bool started_later() const;  // a scheduler_start is still to come

  const Scenario& scenario_;
  World& world_;
  Record& record_;
  std::vector<ServiceSpec> services_;  // as last declared
  std::vector<bool> silent_;           // nodes that are not heard of
  TimeMs stopped_at_ms_ = kNever;
  bool replay_differs_ = false;
};

// Does the engine have to be rebuilt from its events somewhere in this scenario?
[[nodiscard]] bool restarts_engine(const Scenario& scenario);

}  // namespace weir::scenario
