// The hosts as tasks fill them, and what is fragmented of them: the milli-GPU of a host
// that a task drawn from the mix could not use (F of the FGD study).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "packing/openb.h"

namespace weir::packing {

struct Host {
  std::int64_t cpu_left = 0;
  std::int64_t ram_left = 0;
  std::int64_t milli_left = 0;
  std::array<std::int32_t, kCardsMax> free{};  // milli of each card
  std::int32_t cards = 0;
  std::uint32_t model_bit = 0;
  std::array<std::int32_t, kCardsMax + 1> hosted{};  // tasks by size: [0] in part, [n] of n cards

  [[nodiscard]] bool fits(const Kind&) const;
  // Cards that a task of whole cards takes: the first free ones. 0 = does not fit.
  [[nodiscard]] std::uint32_t first_whole(std::int32_t count) const;
  // The card with the least room that a share fits on; -1 = none.
  [[nodiscard]] int tightest(std::int32_t milli) const;
  void take(const Kind&, std::uint32_t cards);
};

// Fragmented milli-GPU of a host, in expectation over the typical classes.
[[nodiscard]] double fragmented(const Host&, const std::vector<FragmentClass>&);

class Cluster {
 public:
  // Hosts in the order that `order` gives.
  Cluster(const Workload&, const std::vector<std::uint32_t>& order);

  void place(std::size_t host, const Kind&, std::uint32_t cards);

  [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
  [[nodiscard]] double fragmented_of(std::size_t host) const { return fragmented_[host]; }
  [[nodiscard]] const std::vector<FragmentClass>& typical() const { return typical_; }
  [[nodiscard]] const std::vector<std::uint32_t>& changed() const { return changed_; }  // hosts placed on, in order

  [[nodiscard]] std::int64_t allocated_milli() const { return allocated_; }
  [[nodiscard]] double fragmented_milli() const { return fragmented_sum_; }

 private:
  const std::vector<FragmentClass>& typical_;
  std::vector<Host> hosts_;
  std::vector<double> fragmented_;
  std::vector<std::uint32_t> changed_;
  std::int64_t allocated_ = 0;
  double fragmented_sum_ = 0;
};

}  // namespace weir::packing
