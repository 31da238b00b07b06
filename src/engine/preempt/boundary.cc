#include "engine/preempt/boundary.h"

#include <algorithm>

#include "engine/apply/bounds.h"
#include "engine/estimate/history.h"
#include "engine/preempt/leavers.h"

namespace weir::engine {

namespace {

DurationMs wall_of_work(DurationMs work_ms, std::int32_t speed_milli) {
  return (work_ms * 1000 + speed_milli - 1) / std::max(1, speed_milli);
}

}  // namespace

bool kills(const Pool& pool, YieldCause cause) {
  return !pool.settings->only_at_checkpoint && cause == YieldCause::claim;
}

TimeMs instant_of_work(const RunRec& run, DurationMs work_ms) {
  return run.work_from_ms + wall_of_work(std::min(work_ms, kLongest), run.speed_milli);
}

TimeMs boundary_from(const Pool& pool, const RunRec& run, TimeMs from_ms, YieldCause cause) {
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause)) return from_ms;
  if (ckpt.mode == CheckpointMode::none) return kNever;
  if (ckpt.mode == CheckpointMode::on_demand) return from_ms;
  std::int64_t k = std::max<std::int64_t>(1, work_done(run, from_ms) / ckpt.interval_ms);
  while (instant_of_work(run, k * ckpt.interval_ms) < from_ms) ++k;
  return instant_of_work(run, k * ckpt.interval_ms);
}

TimeMs boundary_until(const Pool& pool, const RunRec& run, TimeMs from_ms, TimeMs until_ms, YieldCause cause) {
  const TimeMs first = boundary_from(pool, run, from_ms, cause);
  if (first >= kNever || first > until_ms) return kNever;
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause) || ckpt.mode == CheckpointMode::on_demand) return until_ms;
  std::int64_t k = std::max<std::int64_t>(1, work_done(run, until_ms) / ckpt.interval_ms);
  while (k > 1 && instant_of_work(run, k * ckpt.interval_ms) > until_ms) --k;
  return std::max(first, instant_of_work(run, k * ckpt.interval_ms));
}

TimeMs boundary_before(const Pool& pool, const RunRec& run, TimeMs boundary_ms, YieldCause cause) {
  const CheckpointContract& ckpt = run.ckpt;
  if (kills(pool, cause) || ckpt.mode != CheckpointMode::interval) return boundary_ms;
  const std::int64_t k = work_done(run, boundary_ms) / ckpt.interval_ms;
  return k <= 1 ? run.start_ms : instant_of_work(run, (k - 1) * ckpt.interval_ms) + 1;
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
  run.ask = {};
  list_run(pool, run);
  ++pool.epoch;
}

}  // namespace weir::engine
