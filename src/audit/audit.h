// The auditor: an independent model of the pool, fed the same events, decisions
// and changes as everyone else, that recounts and checks every invariant of
// architecture.md 6. It shares no code with the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace weir {

struct Violation {
  TimeMs at_ms = 0;
  int invariant = 0;     // number in architecture.md 6
  std::string text;      // what was found, with ids and numbers
};

// What the engine reports of itself, to be compared with the recount.
struct ReportedCounts {
  CardCount pool;
  std::int64_t waiting_without_reason = 0;
};

class Auditor {
 public:
  Auditor();
  ~Auditor();

  // Events in the order applied, then the step's decisions and changes.
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result);
  void compare(TimeMs now_ms, const ReportedCounts& reported);

  [[nodiscard]] const std::vector<Violation>& violations() const;

  // The recount, also used by checks: milli-GPU held now by live work.
  [[nodiscard]] std::int64_t milli_in_use_of_node(NodeId) const;
  [[nodiscard]] std::int64_t milli_in_use_of_team(std::string_view team) const;
  [[nodiscard]] std::int64_t milli_in_use_of_model(std::string_view model) const;
  [[nodiscard]] std::int64_t milli_in_use_of_service(ServiceId) const;
  [[nodiscard]] CardCount cards() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
