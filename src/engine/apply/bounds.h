// What no pool can mean is brought into bounds where it enters, so that nothing behind
// has to fear a sum or a product: events are facts, and facts may be odd.
#pragma once

#include <cstdint>
#include <memory>

#include "model/model.h"

namespace weir::engine {

inline constexpr DurationMs kLongest = std::int64_t{1} << 40;  // about 34 years
inline constexpr std::int32_t kReplicasMax = 1 << 16;          // of a service
inline constexpr std::int64_t kWorkersMax = 1 << 16;           // of a job

// Of two numbers that are not negative; kNever where it would be more.
[[nodiscard]] constexpr std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) || out > kNever ? kNever : out;
}

[[nodiscard]] DurationMs bounded(DurationMs length);       // 0 to kLongest
[[nodiscard]] TimeMs bounded_instant(TimeMs at);           // 0 to kNever
[[nodiscard]] std::int32_t bounded_count(std::int32_t n);  // 0 to kReplicasMax
[[nodiscard]] NodeSpec bounded(NodeSpec);
[[nodiscard]] ServiceSpec bounded(ServiceSpec);
[[nodiscard]] TeamSpec bounded(TeamSpec);
[[nodiscard]] JobSpec bounded(JobSpec);
// The same object where nothing has to be changed.
[[nodiscard]] std::shared_ptr<const Settings> bounded(const std::shared_ptr<const Settings>&);

}  // namespace weir::engine
