// Identities. Each kind of thing has its own type, so that a job is never
// passed where a run is meant. Ids are small integers handed out in order;
// names live beside them, never inside the engine's indexes.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace weir {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

using NodeId = Id<struct NodeTag>;        // given by whoever declares nodes
using JobId = Id<struct JobTag>;          // given at submission
using ServiceId = Id<struct ServiceTag>;  // given when the service is declared
using RunId = Id<struct RunTag>;          // given by the engine: one incarnation of a job
using ReplicaId = Id<struct ReplicaTag>;  // given by the engine
using ClaimId = Id<struct ClaimTag>;      // given by the engine

}  // namespace weir
