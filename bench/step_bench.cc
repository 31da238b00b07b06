// What a step costs: one event in a full pool with a long queue, and the first
// step of all over a large pool.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/prng.h"
#include "pool.h"

namespace weir::bench {
namespace {

constexpr std::int32_t kWaiting = 10'000;

std::vector<event::Body> submissions(Pool& pool, Prng& prng, std::int32_t count) {
  std::vector<event::Body> facts;
  for (std::int32_t i = 0; i < count; ++i) facts.emplace_back(event::JobSubmitted{mixed_job(pool, prng.next())});
  return facts;
}

// A full pool of 1,250 x 8 cards with 10,000 waiting jobs; every step brings one
// event: a run that ends, then a submission that takes its place in the queue.
void one_event(benchmark::State& state) {
  Pool pool(1250);
  Prng prng(1);
  (void)pool.advance(kSecond, submissions(pool, prng, 4'000));
  const auto started = static_cast<std::int32_t>(pool.running().size());
  (void)pool.advance(kSecond, submissions(pool, prng, kWaiting - (4'000 - started)));

  std::vector<std::int64_t> step_ns;
  bool ends = true;
  for (auto _ : state) {
    std::vector<event::Body> fact;
    if (ends) {
      const RunId run = pool.take_running(prng.below(pool.running().size()));
      fact.emplace_back(event::RunExited{.run = run, .how = event::Exit::done, .progress_ms = kHour});
    } else {
      fact.emplace_back(event::JobSubmitted{mixed_job(pool, prng.next())});
    }
    ends = !ends;
    (void)pool.advance(kSecond, std::move(fact));
    step_ns.push_back(pool.last_step_ns());
    state.SetIterationTime(static_cast<double>(pool.last_step_ns()) * 1e-9);
  }
  state.counters["p50_us"] = static_cast<double>(quantile(step_ns, 500)) * 1e-3;
  state.counters["p99_us"] = static_cast<double>(quantile(step_ns, 990)) * 1e-3;
}
BENCHMARK(one_event)->UseManualTime()->Iterations(4000)->Unit(benchmark::kMicrosecond);

// 12,500 x 8 cards, nothing running, 10,000 jobs at once.
void cold_full_step(benchmark::State& state) {
  for (auto _ : state) {
    Pool pool(12'500);
    Prng prng(2);
    auto facts = submissions(pool, prng, kWaiting);
    (void)pool.advance(kSecond, std::move(facts));
    state.SetIterationTime(static_cast<double>(pool.last_step_ns()) * 1e-9);
  }
}
BENCHMARK(cold_full_step)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
