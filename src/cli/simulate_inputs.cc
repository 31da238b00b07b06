#include "cli/simulate_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "cli/data_folder.h"
#include "config/config.h"
#include "trace/trace.h"

namespace weir::cli {

namespace {

namespace fs = std::filesystem;

// The table of evaluation.md 3.2.
struct Shipped {
  const char* name;
  const char* jobs;
  const char* pool;
  std::int64_t kappa_milli;
  std::int64_t split_inference;
  std::int32_t split_scan;
  const char* title;
};
constexpr std::array<Shipped, 4> kShipped{{
    {"r64-a", "r64a_jobs.csv.gz", "r64.yaml", 8'157, 32, 200, "A recorded fortnight of one team, moderate load."},
    {"r64-b", "r64b_jobs.csv.gz", "r64.yaml", 10'196, 40, 200, "A recorded fortnight of one team, high load."},
    {"rfull-a", "rfulla_jobs.csv.gz", "rfull.yaml", 791'220, 3'104, 50,
     "Five recorded fortnights of a whole company laid over each other."},
    {"rfull-b", "rfullb_jobs.csv.gz", "rfull.yaml", 950'290, 3'728, 50,
     "Five recorded fortnights of a whole company laid over each other, six of ten jobs twice."},
}};
constexpr const char* kLoadFile = "inference_load_10min.csv.gz";
constexpr DurationMs kDoubleShift = 300'000 * kSecond;

[[nodiscard]] std::unexpected<std::vector<Error>> fail_all(ErrorCode code, std::string message) {
  return std::unexpected(std::vector<Error>{Error{.code = code, .message = std::move(message), .file = {}, .key = {}}});
}

struct Paths {
  std::string jobs, load, pool;
};

[[nodiscard]] ResultAll<Paths> paths_of(const Shipped& shipped, const SimulateArguments& arguments) {
  const std::optional<fs::path> root = find_root();
  if (!root && (arguments.data_dir.empty() || arguments.pool_file.empty())) {
    return fail_all(ErrorCode::not_found,
                    "the recorded traces are not here or near the program; --data names the folder data/ of the source "
                    "tree, --pool a pool file");
  }
  const fs::path data = (arguments.data_dir.empty() ? *root / "data" : fs::path(arguments.data_dir)) / "scenarios";
  Paths paths{(data / shipped.jobs).string(), (data / kLoadFile).string(), arguments.pool_file};
  if (paths.pool.empty()) paths.pool = (*root / "scenarios" / "pools" / shipped.pool).string();
  return paths;
}

// Own files: days are whole; the first is warm-up when enough are left.
void set_horizon(Workload& workload) {
  constexpr std::int64_t kDaysForWarmup = 3;
  TimeMs last = 0;
  for (const TraceJob& job : workload.jobs) last = std::max(last, job.submit_ms);
  const std::int64_t days = last / kDay + 1;
  workload.horizon_ms = days * kDay;
  workload.warmup_ms = days >= kDaysForWarmup ? kDay : 0;
}

[[nodiscard]] std::vector<Error> read_files(const Paths& paths, SimulateInput& input) {
  std::vector<Error> problems;
  const auto take = [&](auto&& result, auto&& keep) {
    if (result) {
      keep(std::move(*result));
    } else {
      problems.insert(problems.end(), result.error().begin(), result.error().end());
    }
  };
  Workload& workload = input.workload;
  take(read_jobs(paths.jobs), [&](TraceJobs trace) { workload.jobs = std::move(trace.jobs); });
  if (!paths.load.empty()) take(read_load(paths.load), [&](LoadCurve load) { workload.load = std::move(load); });
  take(load_pool_file(paths.pool), [&](PoolConfig pool) { workload.pool = std::move(pool); });
  return problems;
}

[[nodiscard]] ResultAll<SimulateInput> read_own(const SimulateArguments& arguments) {
  SimulateInput input;
  const std::vector<Error> problems =
      read_files({arguments.jobs_file, arguments.load_file, arguments.pool_file}, input);
  if (!problems.empty()) return std::unexpected(problems);
  Workload& workload = input.workload;
  if (workload.jobs.empty()) return fail_all(ErrorCode::bad_input, arguments.jobs_file + ": holds no job");
  workload.name = fs::path(arguments.jobs_file).filename().string();
  workload.kappa_milli = std::llround(arguments.kappa * 1000);
  set_horizon(workload);
  workload.split_inference_cards =
      arguments.split_inference >= 0 ? arguments.split_inference : split_for_peak(workload);
  if (workload.split_inference_cards >= workload.cards()) {
    return fail_all(ErrorCode::bad_input,
                    fmt::format("--split-inference {} leaves nothing of the pool's {} cards to training",
                                workload.split_inference_cards, workload.cards()));
  }
  input.title = fmt::format("Jobs of {}, {}.", arguments.jobs_file,
                            arguments.load_file.empty() ? "no inference load" : "load of " + arguments.load_file);
  return input;
}

[[nodiscard]] ResultAll<SimulateInput> read_shipped(const Shipped& shipped, const SimulateArguments& arguments) {
  const ResultAll<Paths> paths = paths_of(shipped, arguments);
  if (!paths) return std::unexpected(paths.error());
  SimulateInput input;
  const std::vector<Error> problems = read_files(*paths, input);
  if (!problems.empty()) return std::unexpected(problems);
  Workload& workload = input.workload;
  workload.name = shipped.name;
  workload.kappa_milli = shipped.kappa_milli;
  workload.split_inference_cards = shipped.split_inference;
  workload.split_scan_jobs = shipped.split_scan;
  input.title = shipped.title;
  input.notes.push_back("Jobs: Microsoft Philly (CC-BY-4.0); inference load: ServeGen (Apache-2.0).");
  return input;
}

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const Shipped& shipped : kShipped) names.emplace_back(shipped.name);
  return names;
}

ResultAll<SimulateInput> read_input(const SimulateArguments& arguments) {
  const auto shipped =
      std::find_if(kShipped.begin(), kShipped.end(), [&](const Shipped& s) { return arguments.scenario == s.name; });
  auto input = shipped == kShipped.end() ? read_own(arguments) : read_shipped(*shipped, arguments);
  if (!input) return input;
  Workload& workload = input->workload;
  workload.ckpt_default_ms = workload.pool.settings.assumed_interval_ms;
  workload.on_demand = arguments.on_demand;
  if (arguments.saturated) {
    workload = doubled(workload, kDoubleShift);
    input->notes.emplace_back("Saturated: every job twice.");
  }
  if (arguments.on_demand) input->notes.emplace_back("On demand: every job can save at any moment.");
  input->notes.push_back(fmt::format("A yield costs {} s of saving and {} s of restoring on all cards of the job.",
                                     workload.write_ms / kSecond, workload.restart_ms / kSecond));
  return input;
}

}  // namespace weir::cli
