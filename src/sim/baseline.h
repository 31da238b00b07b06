// The pools as customers run them today: inference owns its cards, training has
// the rest (evaluation.md 3.2). Nothing is preempted. Every tie goes to the
// lowest node, since that alone moves the result by several points.
#pragma once

#include "sim/outcome.h"
#include "sim/workload.h"

namespace weir {

enum class SplitOrder : std::uint8_t {
  fifo,      // the head of the queue starts or everybody waits
  backfill,  // the first queued job that fits starts, among the first split_scan_jobs
};

// A job of up to a node's cards sits in one node: the one with least room. A
// larger one takes wholly free nodes and a place for the rest. Jobs that the
// training part could never hold wait for ever and block nobody.
[[nodiscard]] PolicyRun run_split(const Workload& workload, SplitOrder order);

}  // namespace weir
