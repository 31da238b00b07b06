// Why work is not running yet (engine.md 8). A closed list; each code says what
// its arguments mean. Sentences are made outside the engine (text/).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace weir {

enum class ReasonCode : std::uint8_t {
  capacity,            // not enough free: amount = cards wanted, of = cards free that it may use
  fragmented,          // enough free in total, no place fits: amount, of
  no_such_model,       // no node has an allowed model, or none so large
  team_quota,          // amount = cards wanted, of = cards left to the team
  behind,              // somebody before it: job = who, amount = how many
  reserved,            // free cards are reserved: job = for whom, at = until when
  guard,               // starting would make the guard unplaceable: amount = guard cards
  pledge,              // starting would break the buffer's pledge: amount = buffer cards
  waiting_checkpoint,  // claim made: run = latest victim, at = expected
  deadline_budget,     // promotion not paid for by the team's budget
  deadline_missed,     // cannot end before its deadline any more: at = deadline
  no_estimate,         // remaining time unknown, no promotion by slack
  starved,             // waits longer than twice max_wait: job = one that holds its shape
  gang_incomplete,     // restart needs all its workers: amount = have, of = want
  drained,             // nodes that would fit are draining: amount = how many
  node_down,           // nodes that would fit are down or silent: amount = how many
  backoff,             // failed, tries again: at = when
  held,                // waits for a person: amount = runs without progress
  paused,              // class capped: training_nonpreemptible_max or limits of its team
  frozen,              // the operator froze the pool
  waiting_jobs,        // `after`: job = what it waits for
  node_scope,          // its checkpoint lives on a node that has no room: at unused
};

struct Reason {
  ReasonCode code = ReasonCode::capacity;
  std::int64_t amount = 0;
  std::int64_t of = 0;
  TimeMs at = kNever;
  JobId job;
  RunId run;
  bool operator==(const Reason&) const = default;
};

// All that apply, most actionable first; never empty for waiting work.
using Reasons = std::vector<Reason>;

}  // namespace weir
