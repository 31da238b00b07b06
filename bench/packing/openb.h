// The openb cluster and its task lists, and the order in which the study of fragmentation
// lets the tasks arrive (Weng et al., "Beware of Fragmentation", USENIX ATC 2023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace weir::packing {

inline constexpr std::int32_t kCardMilli = 1000;
inline constexpr std::size_t kCardsMax = 8;  // of a host of openb

struct HostSpec {
  std::string name;
  std::string model;
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  std::int32_t cards = 0;
  std::uint32_t model_bit = 0;
};

// What a task asks for. Tasks that ask for the same are of one kind.
struct Kind {
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;
  std::int32_t cards = 0;           // 0 = CPU only
  std::int32_t milli = 0;           // of each card
  std::uint32_t model_bits = 0;     // 0 = any
  std::vector<std::string> models;  // the same by name
  std::size_t fragment_class = 0;   // kinds that differ in memory alone are one class
  [[nodiscard]] std::int64_t total_milli() const { return std::int64_t{cards} * milli; }
  [[nodiscard]] bool shares() const { return cards == 1 && milli < kCardMilli; }
  [[nodiscard]] std::string slice() const;  // "810m", "8 cards", "cpu"
};

// A class of tasks that free capacity is measured against, and its part of all tasks.
struct FragmentClass {
  Kind kind;
  double share = 0;
};

struct Workload {
  std::string name;
  std::vector<HostSpec> hosts;
  std::vector<Kind> kinds;
  std::vector<std::uint32_t> tasks;    // kinds, in the order of names
  std::vector<FragmentClass> typical;  // the most frequent ones that make 95 % of the tasks
  std::int64_t capacity_milli = 0;
};

// All that are compared, as the study names them.
[[nodiscard]] const std::vector<std::string>& workload_names();
// `folder` holds the openb files. Errors: io, bad_input with file, line and column.
[[nodiscard]] ResultAll<Workload> read_workload(const std::string& folder, const std::string& name);

// The tasks shuffled, then drawn again (or removed) until they ask for 1.3 times the cluster.
[[nodiscard]] std::vector<std::uint32_t> arrivals(const Workload&, std::uint64_t seed);
// The order in which hosts are looked at, and ties fall.
[[nodiscard]] std::vector<std::uint32_t> host_order(const Workload&, std::uint64_t seed);

}  // namespace weir::packing
