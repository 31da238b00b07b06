#include "engine/preempt/boundary.h"

#include <algorithm>

#include "engine/apply/bounds.h"
#include "engine/estimate/history.h"
#include "engine/preempt/leavers.h"

namespace weir::engine {

namespace {

DurationMs wall_of_work(DurationMs work_ms, std::int32_t speed_milli) {
  const std::int64_t speed = std::max(1, speed_milli);
  return product(work_ms / speed, 1000) + (work_ms % speed * 1000 + speed - 1) / speed;
}

}  // namespace

bool kills(const Pool& pool, YieldCause cause) {
  return !pool.settings->only_at_checkpoint && cause == YieldCause::claim;
}

TimeMs instant_of_work(const RunRec& run, DurationMs work_ms) {
  return std::min(kNever, run.work_from_ms + wall_of_work(work_ms, run.speed_milli));
}

TimeMs boundary_from(const Pool& pool, const RunRec& run, TimeMs from_ms, YieldCause cause) {
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause)) return from_ms;
  if (ckpt.mode == CheckpointMode::none) return kNever;
  if (ckpt.mode == CheckpointMode::on_demand) return from_ms;
  // The estimate is nearly always it; the steps double, for clocks and speeds beyond reason.
  std::int64_t k = std::max<std::int64_t>(1, work_done(run, from_ms) / ckpt.interval_ms);
  for (std::int64_t stride = 1; instant_of_work(run, product(k, ckpt.interval_ms)) < from_ms;) {
    const bool jump = stride == 1 || instant_of_work(run, product(k + stride, ckpt.interval_ms)) < from_ms;
    k += jump ? stride : 1;
    stride = jump ? stride * 2 : 2;
  }
  return instant_of_work(run, product(k, ckpt.interval_ms));
}

TimeMs boundary_until(const Pool& pool, const RunRec& run, TimeMs from_ms, TimeMs until_ms, YieldCause cause) {
  const TimeMs first = boundary_from(pool, run, from_ms, cause);
  if (first >= kNever || first > until_ms) return kNever;
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause) || ckpt.mode == CheckpointMode::on_demand) return until_ms;
  std::int64_t k = std::max<std::int64_t>(1, work_done(run, until_ms) / ckpt.interval_ms);
  while (k > 1 && instant_of_work(run, product(k, ckpt.interval_ms)) > until_ms) --k;
  return std::max(first, instant_of_work(run, product(k, ckpt.interval_ms)));
}

TimeMs boundary_before(const Pool& pool, const RunRec& run, TimeMs boundary_ms, YieldCause cause) {
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause) || ckpt.mode != CheckpointMode::interval) return boundary_ms;
  const std::int64_t k = work_done(run, boundary_ms) / ckpt.interval_ms;
  return k <= 1 ? run.start_ms : instant_of_work(run, product(k - 1, ckpt.interval_ms)) + 1;
}

TimeMs eligible_from(const Pool& pool, const RunRec& run) {
  if (!run.resumed) return run.start_ms;
  const DurationMs least = std::max(pool.settings->min_run_ms, 4 * run.ckpt.restart_ms);
  return least == 0 ? run.start_ms : instant_of_work(run, least);
}

DurationMs write_time(const Pool& pool, const RunRec& run, YieldCause cause) {
  return kills(pool, cause) && run.ckpt.mode != CheckpointMode::on_demand ? 0 : run.ckpt.write_ms;
}

DurationMs worst_yield(const CheckpointContract& ckpt, std::int32_t speed_milli) {
  if (ckpt.mode == CheckpointMode::none) return kNever;
  if (ckpt.mode == CheckpointMode::on_demand) return ckpt.write_ms;
  return wall_of_work(ckpt.interval_ms, speed_milli) + ckpt.write_ms;
}

void ask(Pool& pool, RunRec& run, ClaimId claim, YieldCause cause, TimeMs boundary_ms) {
  const TimeMs free_ms = boundary_ms + write_time(pool, run, cause);
  const TimeMs send_ms = std::max(pool.now_ms, std::min(boundary_ms, boundary_before(pool, run, boundary_ms, cause)));
  unlist_run(pool, run);
  run.ask = {AskState::planned, claim, cause, boundary_ms, free_ms, send_ms};
  ++pool.epoch;
  if (send_ms <= pool.now_ms) {
    send_ask(pool, run);
  } else {
    wake_at(pool, send_ms, Timer::ask, run.id.value);
  }
}

void send_ask(Pool& pool, RunRec& run) {
  if (run.ask.state != AskState::planned || run.stopping) return;
  run.ask.state = AskState::asked;
  if (kills(pool, run.ask.cause) && run.ckpt.mode != CheckpointMode::on_demand) {
    run.stopping = true;
    decide(pool, decision::StopRun{run.id, decision::StopCause::emergency});
    return;
  }
  const bool on_demand = run.ckpt.mode == CheckpointMode::on_demand;
  decide(pool, decision::AskYield{run.id, run.ask.claim, run.ask.cause, run.ask.boundary_ms, on_demand});
}

void withdraw(Pool& pool, RunRec& run) {
  if (run.ask.state == AskState::none || run.writing) return;
  const bool asked = run.ask.state == AskState::asked;
  if (asked && (run.ask.boundary_ms <= pool.now_ms || run.stopping)) return;
  if (asked) decide(pool, decision::WithdrawYield{run.id});
  const bool for_drain = run.ask.cause == YieldCause::drain;
  run.ask = {};
  list_run(pool, run);
  ++pool.epoch;
  if (!for_drain) ask_for_drain(pool, run);  // who asked first has gone, the drain has not
}

void ask_for_drain(Pool& pool, RunRec& run) {
  if (run.ask.state != AskState::none || !run.current || !run.preemptible || run.stopping) return;
  if (run.ckpt.mode == CheckpointMode::none) return;
  const bool draining = std::any_of(run.places.begin(), run.places.end(), [&](const Placement& place) {
    const Node* node = node_of(pool, place.node);
    return node != nullptr && node->draining;
  });
  if (draining) ask(pool, run, ClaimId(), YieldCause::drain, boundary_from(pool, run, pool.now_ms));
}

}  // namespace weir::engine
