// Reservations and loans (engine.md 5): cards that earlier work will get, and who
// may use them until then.
#pragma once

#include <optional>

#include "engine/place/place.h"
#include "engine/preempt/search.h"

namespace weir::engine {

// Reservations in force during a pass: kept on the cards from the moment that their
// owner has been passed.
class Reservations {
 public:
  explicit Reservations(Pool& pool) : pool_(pool) {}
  ~Reservations() { lift(); }
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;

  // Gives the job its reservation of before, or a new one, while the depth allows.
  void reserve(const JobRec&, const Variant&, const QueueKey&);
  // Work of this demand cannot reserve any more: the depth is used up.
  [[nodiscard]] bool full_for(const Demand&) const;

  // The first that stands where this demand could sit; nullptr when there is none.
  [[nodiscard]] const Reservation* first_for(const Demand&) const;

  // A place that is only kept for others until later, with the time it is wanted.
  struct Loan {
    std::vector<Placement> places;
    TimeMs due_ms = kNever;
    JobId owner;
  };
  [[nodiscard]] std::optional<Loan> borrowed(const Demand&, const Variant&, const Where&);

  // Ends the pass: what was reserved is remembered, and off the cards.
  void finish();

 private:
  void lift();
  void count(const Demand&);
  [[nodiscard]] Reservation renewed(const JobRec&, const Variant&, const QueueKey&);

  Pool& pool_;
  std::vector<Reservation> active_;
  std::vector<std::int32_t> used_;  // by model
  std::int32_t searches_ = 0;
  bool lifted_ = false;
};

}  // namespace weir::engine
