// Plays a plan on sim/world.h with the auditor on, and says what was wrong.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plan.h"
#include "sim/world.h"

namespace weir::property {

// How often the things happened that worlds are made for: a suite in which one of
// them never happens tests less than it says.
using Coverage = std::map<std::string, std::int64_t>;

struct PlayOptions {
  bool liveness = true;
  bool check_clone = false;          // one step in sixteen is taken on a clone too, in four the books are read
  bool trace = false;                // events, decisions and changes to stdout
  StepObserver* observer = nullptr;  // sees every step too; not owned
};

struct Verdict {
  std::vector<std::string> problems;
  std::uint64_t decisions_hash = 0;
  std::uint64_t state_hash = 0;
  std::int64_t steps = 0;
  Coverage coverage;
};

[[nodiscard]] Verdict play(const WorldPlan& plan, const PlayOptions& options = {});

// Leaves out of a failing plan what it does not need to go on failing with the
// same kind of problem. Costs some hundred plays.
[[nodiscard]] WorldPlan cut_down(WorldPlan plan, const PlayOptions& options,
                                 const std::function<bool(const Verdict&)>& still_fails);

// The problem without its numbers, so that two of one kind are equal.
[[nodiscard]] std::string kind_of(const std::string& problem);

// One line for an event, a decision or a change, for traces.
[[nodiscard]] std::string line_of(const Event& event);
[[nodiscard]] std::string line_of(const Decision& decision);
[[nodiscard]] std::string line_of(const Change& change);
[[nodiscard]] std::string line_of(const Reasons& reasons);

}  // namespace weir::property
