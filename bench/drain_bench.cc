// 15,000 jobs of mixed sizes drained through 1,000 nodes: decisions a second.
#include <benchmark/benchmark.h>

#include <functional>
#include <queue>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "pool.h"

namespace weir::bench {
namespace {

constexpr std::int32_t kJobs = 15'000;

struct End {
  TimeMs at_ms = 0;
  RunId run;
  auto operator<=>(const End&) const = default;
};

// Runs until nothing runs any more; the number of decisions made on the way.
std::int64_t drain(Pool& pool, Prng& prng) {
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::int64_t decisions = 0;
  TimeMs now_ms = 0;
  const auto take = [&](const StepResult& result) {
    decisions += static_cast<std::int64_t>(result.decisions.size());
    for (const Decision& decision : result.decisions) {
      if (const auto* start = std::get_if<decision::StartRun>(&decision.body)) {
        ends.push({.at_ms = now_ms + prng.between(kMinute, 4 * kHour), .run = start->run});
      }
    }
  };
  std::vector<event::Body> facts;
  for (std::int32_t i = 0; i < kJobs; ++i) facts.emplace_back(event::JobSubmitted{mixed_job(pool, prng.next())});
  take(pool.advance(0, std::move(facts)));
  while (!ends.empty()) {
    const End end = ends.top();
    ends.pop();
    const DurationMs passed_ms = end.at_ms - now_ms;
    now_ms = end.at_ms;
    take(pool.advance(passed_ms, {event::RunExited{.run = end.run, .how = event::Exit::done, .progress_ms = kHour}}));
  }
  return decisions;
}

void drain_mixed_jobs(benchmark::State& state) {
  std::int64_t decisions = 0;
  std::int64_t spent_ns = 0;
  for (auto _ : state) {
    Pool pool(1000);
    Prng prng(3);
    decisions += drain(pool, prng);
    spent_ns += pool.all_steps_ns();
    state.SetIterationTime(static_cast<double>(pool.all_steps_ns()) * 1e-9);
  }
  state.counters["decisions_per_s"] = static_cast<double>(decisions) * 1e9 / static_cast<double>(spent_ns);
}
BENCHMARK(drain_mixed_jobs)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
