// The queue of waiting jobs: classes of jobs that differ in nothing that decides
// whether one can start, ordered by their first job.
#pragma once

#include "engine/state.h"

namespace weir::engine {

void enqueue(Pool&, JobRec&);
void dequeue(Pool&, JobRec&);
// The order of the class's first job changed with its team's share.
void reorder_heads(Pool&);
// A job's place in the order of all waiting work.
[[nodiscard]] QueueKey full_key(const Pool&, const JobClass&, const QueueKey&);

// Jobs that wait outside the queue: held, backing off, after others.
void set_apart(Pool&, JobRec&);

}  // namespace weir::engine
