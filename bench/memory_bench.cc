// Bytes that the engine keeps for one waiting job and for one node, from the
// allocator's own account.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <vector>

#include "pool.h"

namespace weir::bench {
namespace {

double bytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void memory_of_waiting_jobs(benchmark::State& state) {
  constexpr std::int32_t kJobs = 20'000;
  for (auto _ : state) {
    Pool pool(1);
    (void)pool.advance(kSecond, {event::JobSubmitted{pool.job(1, 8)}});
    const double before = bytes_in_use();
    for (std::int32_t i = 0; i < kJobs; ++i) (void)pool.advance(1, {event::JobSubmitted{pool.job(1, 1)}});
    state.counters["bytes_per_job"] = (bytes_in_use() - before) / kJobs;
  }
}
BENCHMARK(memory_of_waiting_jobs)->Iterations(1)->Unit(benchmark::kMillisecond);

void memory_of_nodes(benchmark::State& state) {
  constexpr std::int32_t kNodes = 10'000;
  for (auto _ : state) {
    const double before = bytes_in_use();
    const Pool pool(kNodes);
    state.counters["bytes_per_node"] = (bytes_in_use() - before) / kNodes;
    benchmark::DoNotOptimize(&pool);
  }
}
BENCHMARK(memory_of_nodes)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
