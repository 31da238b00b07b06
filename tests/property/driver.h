// An engine by itself, fed with facts by hand: no executor, no clock.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/model.h"

namespace weir::property {

struct LiveRun {
  RunId run;
  JobId job;
  std::vector<Placement> places;
  TimeMs started_ms = 0;
};

class Driver {
 public:
  Driver(Settings settings, const std::vector<NodeSpec>& nodes) {
    std::vector<event::Body> facts;
    facts.emplace_back(event::ConfigSet{std::make_shared<const Settings>(std::move(settings))});
    for (const NodeSpec& node : nodes) facts.emplace_back(event::NodeDeclared{node});
    (void)feed(0, std::move(facts));
  }

  // One step at `now_ms` with these facts.
  StepResult feed(TimeMs now_ms, std::vector<event::Body> facts) {
    std::vector<Event> events;
    for (event::Body& body : facts) events.push_back(Event{.at_ms = now_ms, .body = std::move(body)});
    StepResult result = step(state_, events, now_ms);
    for (const Decision& decision : result.decisions) {
      const auto* start = std::get_if<decision::StartRun>(&decision.body);
      if (start == nullptr) continue;
      live_[start->run.value] = {.run = start->run, .job = start->job, .places = start->places, .started_ms = now_ms};
    }
    return result;
  }

  // All that were started, by run: nothing ends by itself here.
  [[nodiscard]] const std::map<std::uint32_t, LiveRun>& live() const { return live_; }
  [[nodiscard]] const State& state() const { return state_; }

 private:
  State state_;
  std::map<std::uint32_t, LiveRun> live_;
};

}  // namespace weir::property
