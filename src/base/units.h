// Integer units (ARCHITECTURE.md, section 5). Time is in milliseconds of the
// clock in use, GPU share in milli-GPU, memory in MiB, CPU in thousandths of a
// core, cost in GPU-milliseconds. Names carry the unit last.
#pragma once

#include <cstdint>

namespace weir {

using TimeMs = std::int64_t;      // an instant
using DurationMs = std::int64_t;  // a length of time
using GpuMs = std::int64_t;       // cards x milliseconds
using MilliGpuMs = std::int64_t;  // milli-GPU x milliseconds

inline constexpr DurationMs kSecond = 1000;
inline constexpr DurationMs kMinute = 60 * kSecond;
inline constexpr DurationMs kHour = 60 * kMinute;
inline constexpr DurationMs kDay = 24 * kHour;

// Later than every instant in use, and far enough from the edge of the type
// that sums of a few of them do not overflow.
inline constexpr TimeMs kNever = std::int64_t{1} << 60;

inline constexpr std::int32_t kMilliPerCard = 1000;
inline constexpr std::int32_t kCardsPerNodeMax = 64;               // a node's cards are a bit mask
inline constexpr std::int64_t kUnlimited = std::int64_t{1} << 50;  // CPU or memory not declared

}  // namespace weir
