// The keys that say what one worker or replica needs (gpus, milli, gpu_mem_mib,
// cpu, mem), the same wherever a shape is written.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "model/shape.h"

namespace weir {

inline constexpr std::int64_t kMemMaxMib = std::int64_t{1} << 40;
inline constexpr std::int64_t kCpuMaxMilli = 100'000'000;

// A shape being read: which of its kinds were written.
struct ShapeDraft {
  Shape shape;
  bool gpus_given = false;

  // With none of gpus, milli and gpu_mem_mib it is one whole card.
  [[nodiscard]] Shape resolved() const {
    Shape out = shape;
    if (!gpus_given && out.milli == 0 && out.card_mem_mib == 0) out.cards = 1;
    return out;
  }
};

// `gpus` takes a whole number of cards, or a decimal number below one: a share.
void read_gpus(const Value& value, ShapeDraft& need);

// The rule between the keys of one shape: cards or a share, not both.
[[nodiscard]] bool shape_is_one_kind(const ShapeDraft& need);
inline constexpr const char* kTwoKinds = "has both gpus and milli: a need is whole cards or a share of one";

// A decimal number of cores; `unset` is shown as nothing.
template <class T, class Get>
Field<T> cpu_row(Get get, std::int64_t unset, std::string help, std::string fallback) {
  constexpr std::int64_t kMilli = 1000;
  Field<T> row{{"cpu", "cores, up to three decimals", std::move(fallback), "0 to 100000", std::move(help)}, {}, {}};
  row.read = [get](const Value& value, T& out) {
    if (const auto cores = value.milli({0, kCpuMaxMilli})) get(out) = *cores;
  };
  row.show = [get, unset](const T& in) { return get(in) == unset ? std::string() : print_scaled(get(in), kMilli); };
  return row;
}

// The rows of a shape for any T with a ShapeDraft `need`.
template <class T>
std::vector<Field<T>> shape_rows() {
  Field<T> gpus{{"gpus", "whole number, or decimal below one", "1 without milli and gpu_mem_mib", "0 to 64",
                 "Cards of one node; 0.3 is a share of one card."},
                {},
                {}};
  gpus.read = [](const Value& value, T& out) { read_gpus(value, out.need); };
  gpus.show = [](const T& in) { return in.need.shape.share() ? std::string() : std::to_string(in.need.shape.cards); };
  Field<T> milli = field::whole<T>("milli", WEIR_AT(need.shape.milli), {1, kMilliPerCard - 1},
                                   "Share of one card in thousandths.", "none");
  milli.show = [](const T& in) {
    return in.need.shape.milli == 0 ? std::string() : std::to_string(in.need.shape.milli);
  };
  return {std::move(gpus), std::move(milli),
          field::memory<T>("gpu_mem_mib", WEIR_AT(need.shape.card_mem_mib), {1, kMemMaxMib}, 0,
                           "Memory held of a shared card, or that each whole card must have.", "none"),
          cpu_row<T>(WEIR_AT(need.shape.cpu_milli), 0, "CPU cores of the node.", "0"),
          field::memory<T>("mem", WEIR_AT(need.shape.ram_mib), {0, kMemMaxMib}, 0, "Memory of the node.", "0")};
}

}  // namespace weir
