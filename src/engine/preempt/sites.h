// The cards of one node as a search sees them: what is free, and whose leaving
// frees the rest.
#pragma once

#include <span>
#include <vector>

#include "engine/preempt/leavers.h"

namespace weir::engine {

inline constexpr std::int64_t kNoLateness = -1;

// Holders that must all leave before these cards are free.
struct Bundle {
  Mask cards = 0;
  std::uint32_t from = 0;  // in Scene::holders
  std::uint32_t count = 0;
};

struct Site {
  Index node = 0;
  Index domain = 0;  // workers of a gang that must stay together do so in one domain
  Mask allowed = ~Mask{0};
  Mask free = 0;                   // free now, not assigned
  Mask freed = 0;                  // by chosen leavers, not assigned
  Mask used = 0;                   // assigned
  bool parts = false;              // some card is in shares
  std::uint32_t bundles_from = 0;  // in Scene::bundles
  std::uint32_t bundles = 0;
  std::int64_t cpu_left = 0, ram_left = 0;
  std::int32_t workers = 0;  // assigned
};

// What a search may still choose from.
struct Limits {
  Rank tier = 0;
  std::int64_t lateness = 0;  // in steps beyond need_by
};

struct Scene {
  std::vector<Leaver> leavers;
  std::vector<Site> sites;
  std::vector<Bundle> bundles;
  std::vector<std::uint32_t> holders;     // leavers of the bundles
  std::vector<std::uint32_t> stand_from;  // leaver -> first of its entries in stand_on
  std::vector<std::uint32_t> stand_on;    // sites

  [[nodiscard]] std::span<const Bundle> bundles_of(const Site& site) const {
    return {bundles.data() + site.bundles_from, site.bundles};
  }
  [[nodiscard]] std::span<const std::uint32_t> leavers_of(const Bundle& bundle) const {
    return {holders.data() + bundle.from, bundle.count};
  }
  [[nodiscard]] std::span<const std::uint32_t> sites_of(std::uint32_t leaver) const {
    return {stand_on.data() + stand_from[leaver], stand_from[leaver + 1] - stand_from[leaver]};
  }
};

// All sites on which the shape may sit for this taker; of a pool of many nodes those
// that promise most, a few for each of its workers.
[[nodiscard]] Scene scene_of(Pool&, const Taker&, const Demand*, const FitEntry&, std::int64_t workers,
                             const std::vector<Index>& only_nodes, const std::vector<bool>& barred);
// The leaver of a lease in the scene made last; kNoIndex when it is not in it.
[[nodiscard]] std::uint32_t leaver_at(const Pool&, const Lease&);
// Steps of lateness at which a leaver is gone; kNoLateness: never, or its tier is too high.
[[nodiscard]] std::int64_t lateness_of(const Pool&, const Taker&, const Leaver&, Rank tier);
// When it is gone within these limits, and whether it has to be asked.
[[nodiscard]] TimeMs gone_at(const Pool&, const Taker&, const Leaver&, const Limits&, bool& asked);

}  // namespace weir::engine
