#include <algorithm>

#include "engine/apply/apply.h"
#include "engine/engine.h"
#include "engine/schedule.h"
#include "engine/state.h"
#include "engine/tiers/tiers.h"

namespace weir {

StepResult step(State& state, std::span<const Event> events, TimeMs now_ms) {
  engine::Pool& pool = state.pool();
  pool.out = {};
  pool.now_ms = std::max(pool.now_ms, now_ms);
  engine::apply_events(pool, events);
  engine::start_ready_claims(pool);  // before anybody more is asked to leave for them
  engine::apply_timers(pool);
  engine::refresh_shares(pool);
  // Nothing that decides anything has changed: what waits waits for the same reasons.
  const bool due = pool.passed_at_ms >= kNever || now_ms >= pool.passed_at_ms + pool.settings->heartbeat_ms;
  if (due || pool.epoch != pool.passed_epoch) {
    pool.passed_at_ms = pool.now_ms;
    pool.passed_epoch = pool.epoch;  // what the pass itself changes is looked at once more
    engine::schedule(pool);
  }
  engine::apply_timers(pool);
  const TimeMs heartbeat = pool.now_ms + std::max<DurationMs>(1, pool.settings->heartbeat_ms);
  const TimeMs timer = pool.timers.empty() ? kNever : pool.timers.begin()->at_ms;
  pool.out.next_due_ms = std::max(pool.now_ms + 1, std::min(heartbeat, timer));
  return std::move(pool.out);
}

}  // namespace weir
