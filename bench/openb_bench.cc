// The openb list (data/openb) played into its own cluster: 8,152 tasks in an
// order drawn with a seed, then tasks drawn again until they ask for 1.3 times
// the cluster, as in the FGD study (Weng et al., ATC 2023). One submission per
// step; nothing ends, and what does not fit at once is cancelled in the next.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "pool.h"

namespace weir::bench {
namespace {

constexpr std::uint64_t kSeed = 42;
constexpr std::int64_t kDemandPermille = 1300;  // of the cluster's cards
constexpr std::size_t kLineMax = 4096;

using Row = std::vector<std::string>;

std::vector<Row> read_csv(const char* path) {
  std::vector<Row> rows;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path, "rb"), gzclose);
  std::string line(kLineMax, '\0');
  while (file && gzgets(file.get(), line.data(), static_cast<int>(line.size())) != nullptr) {
    Row row(1);
    for (const char* at = line.c_str(); *at != '\0' && *at != '\n'; ++at) {
      if (*at == ',') {
        row.emplace_back();
      } else {
        row.back() += *at;
      }
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) rows.erase(rows.begin());  // the names of the columns
  return rows;
}

std::int64_t number(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

std::vector<NodeSpec> read_nodes() {
  std::vector<NodeSpec> nodes;
  for (const Row& row : read_csv("data/openb/openb_node_list_gpu_node.csv.gz")) {
    nodes.push_back({.name = row[0],
                     .model = row[4],
                     .cards = static_cast<std::int32_t>(number(row[3])),
                     .cpu_milli = number(row[1]),
                     .ram_mib = number(row[2])});
  }
  return nodes;
}

Shape shape_of(const Row& task) {
  Shape shape{.cpu_milli = number(task[1]), .ram_mib = number(task[2])};
  const auto milli = static_cast<std::int32_t>(number(task[4]));
  if (milli >= kMilliPerCard) shape.cards = static_cast<std::int32_t>(number(task[3]));
  if (milli < kMilliPerCard && number(task[3]) == 1) shape.milli = milli;
  return shape;
}

std::int64_t milli_of(const Shape& shape) { return std::int64_t{shape.cards} * kMilliPerCard + shape.milli; }

std::vector<Shape> read_tasks(std::int64_t cluster_milli) {
  std::vector<Shape> tasks;
  for (const Row& row : read_csv("data/openb/openb_pod_list_default.csv.gz")) tasks.push_back(shape_of(row));
  if (tasks.empty()) return tasks;
  Prng prng(kSeed);
  for (std::size_t i = tasks.size() - 1; i > 0; --i) std::swap(tasks[i], tasks[prng.below(i + 1)]);
  std::int64_t asked = 0;
  for (const Shape& task : tasks) asked += milli_of(task);
  const std::size_t original = tasks.size();
  while (asked * 1000 < cluster_milli * kDemandPermille) {
    tasks.push_back(tasks[prng.below(original)]);
    asked += milli_of(tasks.back());
  }
  return tasks;
}

// Plays the tasks; milli-GPU that found a place.
std::int64_t play(Pool& pool, const std::vector<Shape>& tasks) {
  std::int64_t placed = 0;
  std::vector<event::Body> facts;
  for (const Shape& task : tasks) {
    JobSpec job = pool.job(1, 1);
    const JobId id = job.id;
    job.roles.front().shape = task;
    job.ckpt = {};
    facts.emplace_back(event::JobSubmitted{std::move(job)});
    const StepResult result = pool.advance(1, std::move(facts));
    facts.clear();
    const bool started = std::ranges::any_of(
        result.decisions, [](const Decision& d) { return std::holds_alternative<decision::StartRun>(d.body); });
    if (started) {
      placed += milli_of(task);
    } else {
      facts.emplace_back(event::JobCancelled{id});
    }
  }
  return placed;
}

void openb_replay(benchmark::State& state) {
  const std::vector<NodeSpec> nodes = read_nodes();
  std::int64_t cluster_milli = 0;
  for (const NodeSpec& node : nodes) cluster_milli += std::int64_t{node.cards} * kMilliPerCard;
  const std::vector<Shape> tasks = read_tasks(cluster_milli);
  if (nodes.empty() || tasks.empty()) {
    state.SkipWithError("data/openb cannot be read; run from the root of the repository");
    return;
  }
  std::int64_t placed = 0;
  for (auto _ : state) {
    Pool pool(nodes);
    placed = play(pool, tasks);
    state.SetIterationTime(static_cast<double>(pool.all_steps_ns()) * 1e-9);
  }
  state.counters["tasks"] = static_cast<double>(tasks.size());
  state.counters["unallocated_percent"] =
      100 - 100.0 * static_cast<double>(placed) / static_cast<double>(cluster_milli);
}
BENCHMARK(openb_replay)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
