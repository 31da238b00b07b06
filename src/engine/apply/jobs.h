// The life of a job: submitted, waiting, run, ended.
#pragma once

#include "engine/state.h"

namespace weir::engine {

void submit(Pool&, const JobSpec&);
// Puts a job that has no run where it belongs: into the queue, or apart from it.
void make_wait(Pool&, JobRec&, bool new_stay);
void end_job(Pool&, JobRec&, JobState);

struct Start {
  Index variant = 0;
  std::vector<Placement> places;
  ClaimId claim;
  TimeMs loan_due_ms = kNever;
};
void start_job(Pool&, JobRec&, const Start&);
// Counts the run's cards among those that can be had back within lead_time, or not.
void lend(Pool&, RunRec&, bool on);

// A run has left all of its cards. `progress` of its newest verified checkpoint.
void end_run(Pool&, RunId, event::Exit how, DurationMs progress_ms);
// One of its workers has finished.
void worker_done(Pool&, RunId, std::int32_t worker);
// A member's node or card is lost: the rest must stop.
void stop_for_loss(Pool&, RunRec&);
// The run counts no more: it holds its cards until they are proven empty.
void supersede(Pool&, RunRec&);
// Its limit has passed: asked to yield, or stopped.
void limit_reached(Pool&, RunRec&);

}  // namespace weir::engine
