// The engine: `step` decides what the pool does next.
//
//   step(state, events, now) -> decisions, changes, when to step again
//
// It is deterministic and pure: no clock, file, thread, log, random number or
// floating point, and no exception on input. The same events in the same steps
// give the same decisions on every machine. Nothing else touches a State.
//
// Threads: a State is used by one thread at a time; clones are independent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace weir {

namespace engine {
struct Pool;  // the engine's own records; engine/state.h
}

class State {
 public:
  State();  // an empty pool with default Settings; facts arrive as events
  ~State();
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  [[nodiscard]] State clone() const;  // for a dry run or an ETA, never for a step

  [[nodiscard]] engine::Pool& pool() { return *pool_; }
  [[nodiscard]] const engine::Pool& pool() const { return *pool_; }

 private:
  std::unique_ptr<engine::Pool> pool_;
};

// Applies all events (each at its own time, at most now), then decides.
// Requires: now not before the now of the last step. Events later than now are
// applied as if they happened now.
[[nodiscard]] StepResult step(State& state, std::span<const Event> events, TimeMs now_ms);

// --- what can be asked, at the time of the last step ---

// Why a job is not running; empty when it runs or is not known.
[[nodiscard]] Reasons reasons_of(const State&, JobId);
// Why a service has fewer replicas than its target; empty when it has them.
[[nodiscard]] Reasons reasons_of(const State&, ServiceId);

struct TierView {
  std::string_view name;  // effective tier
  std::int32_t weight = 0;
  bool promoted = false;
  bool aged = false;
};
[[nodiscard]] std::optional<TierView> tier_of(const State&, JobId);

// Place in the order of waiting work, from 1; 0 when it does not wait.
[[nodiscard]] std::int64_t rank_of(const State&, JobId);

[[nodiscard]] CardCount cards_of_pool(const State&);
[[nodiscard]] CardCount cards_of_node(const State&, NodeId);
[[nodiscard]] std::int64_t held_milli_of_team(const State&, std::string_view team);  // the ledger

// Unusable free share: free cards that cannot take the mix of shapes lately
// asked for, in milli-GPU, and the largest free block of whole cards on a node.
struct FragmentView {
  std::int64_t free_milli = 0;
  std::int64_t unusable_milli = 0;
  std::int64_t largest_block_cards = 0;
};
[[nodiscard]] FragmentView fragments_of(const State&);

// Size of the records kept, for the memory bounds.
struct SizeView {
  std::int64_t jobs = 0;
  std::int64_t runs = 0;
  std::int64_t replicas = 0;
  std::int64_t claims = 0;
  std::int64_t nodes = 0;
};
[[nodiscard]] SizeView size_of(const State&);

// Fingerprint of the whole state: equal after the same events.
[[nodiscard]] std::uint64_t hash_of(const State&);

}  // namespace weir
