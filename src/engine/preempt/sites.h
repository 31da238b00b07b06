// The cards of one node as a search sees them: what is free, and whose leaving
// frees the rest.
#pragma once

#include <map>
#include <vector>

#include "engine/preempt/leavers.h"

namespace weir::engine {

inline constexpr std::int64_t kNoLateness = -1;

// Holders that must all leave before these cards are free.
struct Bundle {
  Mask cards = 0;
  std::vector<std::uint32_t> leavers;  // indexes into Scene::leavers
};

struct Site {
  Index node = 0;
  Index domain = 0;                // workers of a gang that must stay together do so in one domain
  Mask allowed = ~Mask{0};
  Mask free = 0;                   // free now, not assigned
  Mask freed = 0;                  // by chosen leavers, not assigned
  Mask parts = 0;                  // cards in shares, or kept in part
  std::vector<Bundle> bundles;
  std::int64_t cpu_left = 0, ram_left = 0;
  std::int32_t workers = 0;        // assigned
};

// What a search may still choose from.
struct Limits {
  Rank tier = 0;
  std::int64_t lateness = 0;       // in steps beyond need_by
};

struct Scene {
  std::vector<Leaver> leavers;
  std::vector<bool> chosen;
  std::vector<Site> sites;
  std::vector<std::vector<std::uint32_t>> sites_of;  // leaver -> sites it stands on
  std::map<std::pair<int, std::uint32_t>, std::uint32_t> index;
};

// All sites on which the shape may sit for this taker.
[[nodiscard]] Scene scene_of(Pool&, const Taker&, const Demand*, const FitEntry&, const std::vector<Index>& only_nodes,
                             const std::vector<bool>& barred);
// Steps of lateness at which a leaver is gone; kNoLateness: never, or its tier is too high.
[[nodiscard]] std::int64_t lateness_of(const Pool&, const Taker&, const Leaver&, Rank tier);
// When it is gone within these limits, and whether it has to be asked.
[[nodiscard]] TimeMs gone_at(const Pool&, const Taker&, const Leaver&, const Limits&, bool& asked);

}  // namespace weir::engine
