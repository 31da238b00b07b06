// weir bench packing: Weir's placement beside the published ones, on the same tasks.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/bench_output.h"
#include "cli/commands.h"
#include "cli/data_folder.h"
#include "cli/progress_bar.h"
#include "packing/fill.h"
#include "packing/policy.h"

namespace weir::cli {

namespace {

constexpr int kBad = 1;
constexpr int kSeedsMax = 1000;
constexpr int kThreadsMax = 64;

struct Options {
  std::vector<std::string> workloads;
  std::vector<std::string> policies;
  std::string data_dir;
  bool all = false;
  bool json = false;
  int seeds = 10;
  int threads = 0;  // 0 = as many as the machine has
};

int failed(const std::vector<Error>& errors) {
  for (const Error& error : errors) fmt::print(stderr, "{}\n", error.text());
  return kBad;
}

int run_packing(const Options& options) {
  std::string folder = options.data_dir;
  if (folder.empty()) {
    const auto root = find_root();
    if (!root) {
      fmt::print(
          stderr,
          "the openb files are not here or near the program; --data names the folder data/ of the source tree\n");
      return kBad;
    }
    folder = (*root / "data").string();
  }
  folder += "/openb";
  const auto published = packing::read_published(folder);
  if (!published) return failed(published.error());
  PackingResults results{.policies = options.policies.empty() ? packing::policy_names() : options.policies,
                         .published = *published,
                         .seeds = options.seeds};
  packing::Plan plan{.policies = results.policies, .seeds = options.seeds, .threads = options.threads};
  if (plan.threads == 0) plan.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 16U));
  for (const std::string& name : options.all ? packing::workload_names() : options.workloads) {
    const auto workload = packing::read_workload(folder, name);
    if (!workload) return failed(workload.error());
    const std::int64_t runs = static_cast<std::int64_t>(plan.policies.size()) * plan.seeds;
    ProgressBar bar(runs, "runs");
    plan.progress = [&](int done, int) { bar.show(name, done); };
    results.workloads.emplace_back(name, packing::compare(*workload, plan));
  }
  options.json ? print_json(results) : print_table(results);
  return 0;
}

void add_packing(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand(
      "packing", "fill the openb cluster with its tasks: Weir's placement beside six published ones");
  const auto options = std::make_shared<Options>();
  options->workloads = {"default"};
  auto* workload = command->add_option("--workload", options->workloads, "task list; may be given several times")
                       ->check(CLI::IsMember(packing::workload_names()))
                       ->capture_default_str();
  command->add_flag("--all", options->all, "all seventeen task lists")->excludes(workload);
  command->add_option("--policy", options->policies, "only these; may be given several times")
      ->check(CLI::IsMember(packing::policy_names()));
  command->add_option("--seeds", options->seeds, "orders of arrival, from seed 42 on")
      ->check(CLI::Range(1, kSeedsMax))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "runs at a time; 0: one per core")
      ->check(CLI::Range(0, kThreadsMax));
  command->add_option("--data", options->data_dir, "folder data/ of the source tree, when it is not found by itself");
  command->add_flag("--json", options->json, "figures as JSON");
  command->callback([options, &exit_code] { exit_code = run_packing(*options); });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* bench = app.add_subcommand("bench", "measure Weir against published figures");
  bench->require_subcommand(1);
  add_packing(*bench, exit_code);
}

}  // namespace weir::cli
