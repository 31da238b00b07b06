#include "model/names.h"

namespace weir {

// Each list is complete: the compiler warns (-Wswitch) of an enumerator that has
// no word. "unknown" is reached only by a value outside the enum.
#define WEIR_WORD(Enum, word) \
  case Enum::word:            \
    return #word

std::string_view name_of(ReasonCode code) {
  switch (code) {
    WEIR_WORD(ReasonCode, capacity);
    WEIR_WORD(ReasonCode, fragmented);
    WEIR_WORD(ReasonCode, no_such_model);
    WEIR_WORD(ReasonCode, team_quota);
    WEIR_WORD(ReasonCode, behind);
    WEIR_WORD(ReasonCode, reserved);
    WEIR_WORD(ReasonCode, guard);
    WEIR_WORD(ReasonCode, pledge);
    WEIR_WORD(ReasonCode, waiting_checkpoint);
    WEIR_WORD(ReasonCode, deadline_budget);
    WEIR_WORD(ReasonCode, deadline_missed);
    WEIR_WORD(ReasonCode, no_estimate);
    WEIR_WORD(ReasonCode, starved);
    WEIR_WORD(ReasonCode, gang_incomplete);
    WEIR_WORD(ReasonCode, drained);
    WEIR_WORD(ReasonCode, node_down);
    WEIR_WORD(ReasonCode, backoff);
    WEIR_WORD(ReasonCode, held);
    WEIR_WORD(ReasonCode, paused);
    WEIR_WORD(ReasonCode, frozen);
    WEIR_WORD(ReasonCode, waiting_jobs);
    WEIR_WORD(ReasonCode, node_scope);
  }
  return "unknown";
}

std::string_view name_of(JobState state) {
  switch (state) {
    WEIR_WORD(JobState, waiting);
    WEIR_WORD(JobState, running);
    WEIR_WORD(JobState, backoff);
    WEIR_WORD(JobState, held);
    WEIR_WORD(JobState, succeeded);
    WEIR_WORD(JobState, failed);
    WEIR_WORD(JobState, cancelled);
    WEIR_WORD(JobState, rejected);
  }
  return "unknown";
}

std::string_view name_of(YieldCause cause) {
  switch (cause) {
    WEIR_WORD(YieldCause, claim);
    WEIR_WORD(YieldCause, rotation);
    WEIR_WORD(YieldCause, move);
    WEIR_WORD(YieldCause, loan);
    WEIR_WORD(YieldCause, limit);
    WEIR_WORD(YieldCause, drain);
  }
  return "unknown";
}

std::string_view name_of(ClaimEnd end) {
  switch (end) {
    WEIR_WORD(ClaimEnd, open);
    WEIR_WORD(ClaimEnd, started);
    WEIR_WORD(ClaimEnd, withdrawn);
    WEIR_WORD(ClaimEnd, superseded);
    WEIR_WORD(ClaimEnd, expired);
  }
  return "unknown";
}

std::string_view name_of(ReplicaState state) {
  switch (state) {
    WEIR_WORD(ReplicaState, starting);
    WEIR_WORD(ReplicaState, ready);
    WEIR_WORD(ReplicaState, draining);
    WEIR_WORD(ReplicaState, gone);
  }
  return "unknown";
}

std::string_view name_of(TierRole role) {
  switch (role) {
    WEIR_WORD(TierRole, inference);
    WEIR_WORD(TierRole, deadline);
    WEIR_WORD(TierRole, training);
  }
  return "unknown";
}

std::string_view name_of(OrderRule rule) {
  switch (rule) {
    WEIR_WORD(OrderRule, attained);
    WEIR_WORD(OrderRule, response_ratio);
    WEIR_WORD(OrderRule, fifo);
  }
  return "unknown";
}

std::string_view name_of(event::Exit how) {
  switch (how) {
    WEIR_WORD(event::Exit, done);
    WEIR_WORD(event::Exit, yielded);
    WEIR_WORD(event::Exit, failed);
    WEIR_WORD(event::Exit, stopped);
    WEIR_WORD(event::Exit, lost);
  }
  return "unknown";
}

std::string_view name_of(decision::StopCause cause) {
  switch (cause) {
    WEIR_WORD(decision::StopCause, cancel);
    WEIR_WORD(decision::StopCause, limit);
    WEIR_WORD(decision::StopCause, member_lost);
    WEIR_WORD(decision::StopCause, superseded);
    WEIR_WORD(decision::StopCause, emergency);
    WEIR_WORD(decision::StopCause, operator_request);
  }
  return "unknown";
}

std::string_view name_of(decision::DrainCause cause) {
  switch (cause) {
    WEIR_WORD(decision::DrainCause, load_fell);
    WEIR_WORD(decision::DrainCause, taken);
    WEIR_WORD(decision::DrainCause, update);
    WEIR_WORD(decision::DrainCause, drain);
    WEIR_WORD(decision::DrainCause, stopped);
    WEIR_WORD(decision::DrainCause, move);
    WEIR_WORD(decision::DrainCause, card_lost);
  }
  return "unknown";
}

std::string_view name_of(change::AlarmKind kind) {
  switch (kind) {
    WEIR_WORD(change::AlarmKind, guard_unplaceable);
    WEIR_WORD(change::AlarmKind, cards_missing);
    WEIR_WORD(change::AlarmKind, node_lost);
    WEIR_WORD(change::AlarmKind, card_quarantined);
    WEIR_WORD(change::AlarmKind, starved);
    WEIR_WORD(change::AlarmKind, deadline_missed);
    WEIR_WORD(change::AlarmKind, run_held);
    WEIR_WORD(change::AlarmKind, unknown_run);
    WEIR_WORD(change::AlarmKind, stale_need);
    WEIR_WORD(change::AlarmKind, yield_overdue);
  }
  return "unknown";
}

#undef WEIR_WORD

}  // namespace weir
