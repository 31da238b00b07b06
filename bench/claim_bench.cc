// One gang of 500 x 8 cards in a pool of 1,000 nodes that are full of one-card
// jobs of a lower tier: find who yields and make the claim.
#include <benchmark/benchmark.h>

#include <vector>

#include "pool.h"

namespace weir::bench {
namespace {

constexpr std::int32_t kNodes = 1000;
constexpr std::int32_t kGangWorkers = 500;

void large_gang_reclaims(benchmark::State& state) {
  std::int64_t asked = 0;
  for (auto _ : state) {
    Pool pool(kNodes);
    std::vector<event::Body> facts;
    for (std::int32_t i = 0; i < kNodes * 8; ++i)
      facts.emplace_back(event::JobSubmitted{pool.job(1, 1, "train_best_effort")});
    (void)pool.advance(kSecond, std::move(facts));
    const StepResult result = pool.advance(kHour, {event::JobSubmitted{pool.job(kGangWorkers, 8)}});
    state.SetIterationTime(static_cast<double>(pool.last_step_ns()) * 1e-9);
    for (const Change& change : result.changes) {
      if (const auto* claim = std::get_if<change::ClaimMade>(&change))
        asked = static_cast<std::int64_t>(claim->victims.size());
    }
  }
  if (asked == 0) state.SkipWithError("no claim was made");
  state.counters["victims"] = static_cast<double>(asked);
}
BENCHMARK(large_gang_reclaims)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
