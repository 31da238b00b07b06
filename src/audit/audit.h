// The auditor: an independent model of the pool, fed the same events, decisions
// and changes as everyone else, that recounts and checks every invariant of
// architecture.md 6. It shares no code with the engine.
//
// Cost: proportional to what a step names, never to the size of the pool, but
// for guards whose shapes are shares or need CPU (audit/guard.h).
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace weir {

struct Violation {
  TimeMs at_ms = 0;
  int invariant = 0;  // number in architecture.md 6; 0 = a rule of engine.md beyond the ten
  std::string text;   // what was found, with ids and numbers
};

// What the engine reports of itself, to be compared with the recount.
struct ReportedCounts {
  CardCount pool;
  std::int64_t waiting_without_reason = 0;
};

struct AuditOptions {
  // Longest time that an exit may take after the save of a yield has ended. Time
  // beyond it is work done after the boundary and lost. Unknown (kNever): one
  // interval is the bound.
  DurationMs exit_ms_max = kNever;
  // Keeps so many violations; what comes later is only counted.
  std::size_t violations_max = 1000;
};

class Auditor {
 public:
  explicit Auditor(AuditOptions options = {});
  ~Auditor();
  Auditor(Auditor&&) noexcept;
  Auditor& operator=(Auditor&&) noexcept;

  // Events in any order inside the step (they are sorted as event.h says), then
  // the step's decisions and changes.
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result);
  void compare(TimeMs now_ms, const ReportedCounts& reported);

  [[nodiscard]] const std::vector<Violation>& violations() const;

  // The recount, also used by checks: milli-GPU held now by live work.
  [[nodiscard]] std::int64_t milli_in_use_of_node(NodeId) const;
  [[nodiscard]] std::int64_t milli_in_use_of_team(std::string_view team) const;
  [[nodiscard]] std::int64_t milli_in_use_of_model(std::string_view model) const;
  [[nodiscard]] std::int64_t milli_in_use_of_service(ServiceId) const;
  [[nodiscard]] CardCount cards() const;

  // Claims that have neither started nor ended, and jobs accepted and not ended:
  // what a liveness check wants to see at nought when all is done.
  [[nodiscard]] std::int64_t open_claims() const;
  [[nodiscard]] std::int64_t open_jobs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
