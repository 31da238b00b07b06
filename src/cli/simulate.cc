#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/simulate_inputs.h"
#include "cli/simulate_output.h"

namespace weir::cli {

namespace {

constexpr int kBad = 1;    // what was asked did not hold
constexpr int kUsage = 2;  // the call itself was wrong
constexpr std::size_t kViolationsShown = 20;

struct Options {
  SimulateArguments input;
  std::string policy = "all";
  std::string report_file;
  bool rotations = false;
  bool json = false;
  bool no_audit = false;
};

// As a shell reads it back.
[[nodiscard]] std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Every option that was given, from the parser's own list: one that is added later is not forgotten.
[[nodiscard]] std::string command_line(const CLI::App& command) {
  std::string line = "weir simulate";
  for (const CLI::Option* option : command.get_options()) {
    const bool is_flag = option->get_items_expected_max() == 0;
    if (option->count() == 0 || (is_flag && !option->as<bool>())) continue;
    line += " " + option->get_name();
    if (!is_flag) line += " " + shell_word(option->results().back());
  }
  return line;
}

// The first that is set decides, in the order of POSIX. Where none is, as in many a container, UTF-8 is what
// terminals take.
[[nodiscard]] bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return true;
}

[[nodiscard]] TerminalOptions terminal_options() {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  TerminalOptions options{.colour = terminal && std::getenv("NO_COLOR") == nullptr, .unicode = locale_is_utf8()};
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) options.width = size.ws_col;
  return options;
}

[[nodiscard]] std::string check_call(const Options& options) {
  const bool own = !options.input.jobs_file.empty();
  if (own == !options.input.scenario.empty()) return "give either --scenario or --jobs";
  if (own && options.input.pool_file.empty()) return "--jobs needs --pool, the file of the pool to play them on";
  if (!own && !options.input.load_file.empty()) return "--load goes with --jobs; a scenario has its own load";
  return {};
}

[[nodiscard]] bool write_report(const std::string& path, const ReportData& data) {
  std::ofstream file(path, std::ios::binary);
  file << html_report(data);
  file.close();
  if (!file) fmt::print(stderr, "{}: cannot be written\n", path);
  return static_cast<bool>(file);
}

void print_people(const ReportData& data, const Options& options) {
  const TerminalOptions terminal = terminal_options();
  fmt::print("{}", comparison_table(data, terminal));
  const std::string chart = use_chart(data, terminal);
  if (!chart.empty()) fmt::print("\n{}", chart);
  if (!options.report_file.empty()) fmt::print("\nreport: {}\n", options.report_file);
}

[[nodiscard]] int print_violations(const Simulation& simulation) {
  const std::vector<std::string>& found = simulation.violations;
  for (std::size_t i = 0; i < found.size() && i < kViolationsShown; ++i)
    fmt::print(stderr, "violation: {}\n", found[i]);
  if (found.size() > kViolationsShown) fmt::print(stderr, "... and {} more\n", found.size() - kViolationsShown);
  return found.empty() ? 0 : kBad;
}

[[nodiscard]] int run_simulate(const Options& options, const std::string& command) {
  if (const std::string wrong = check_call(options); !wrong.empty()) {
    fmt::print(stderr, "weir simulate: {}\n", wrong);
    return kUsage;
  }
  const auto start = std::chrono::steady_clock::now();
  const ResultAll<SimulateInput> input = read_input(options.input);
  if (!input) {
    for (const Error& error : input.error()) fmt::print(stderr, "{}\n", error.text());
    return kBad;
  }
  const bool all = options.policy == "all";
  SimulateOptions what{.split_fifo = all || options.policy == "split-fifo",
                       .split_backfill = all || options.policy == "split-backfill",
                       .weir = all || options.policy == "weir",
                       .rotations = options.rotations,
                       .audit = !options.no_audit};
  Simulation simulation;
  {
    ProgressBar bar(input->workload.horizon_ms);
    what.progress = [&](const std::string& part, TimeMs now_ms) { bar.show(part, now_ms); };
    simulation = simulate(input->workload, what);
  }
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const ReportData data = to_report(*input, simulation, wall_s, command);
  if (!options.report_file.empty() && !write_report(options.report_file, data)) return kBad;
  if (options.json) {
    fmt::print("{}", to_json(*input, simulation, wall_s));
  } else {
    print_people(data, options);
  }
  return print_violations(simulation);
}

void add_inputs(CLI::App& command, Options& options) {
  command.add_option("--scenario", options.input.scenario, "a shipped fortnight: r64-a, r64-b, rfull-a or rfull-b")
      ->check(CLI::IsMember(scenario_names()));
  command.add_option("--jobs", options.input.jobs_file, "your own jobs, CSV or CSV.gz (docs/reference/job-csv.md)");
  command.add_option("--load", options.input.load_file, "your own inference load, CSV; without it: training only");
  command.add_option("--pool", options.input.pool_file, "pool file; replaces the scenario's own");
  command.add_option("--data", options.input.data_dir,
                     "folder data/ of the source tree, when it is not found by itself");
  command.add_option("--kappa", options.input.kappa, "own load: cards of work per unit of the load")
      ->check(CLI::Range(0.001, 1e6))
      ->check([](const std::string& text) {
        return text.find_first_of("nN") == std::string::npos ? std::string() : "expects a number";
      });
  command
      .add_option("--split-inference", options.input.split_inference,
                  "own files: cards that the split pools give to inference; default: each service's peak and a tenth")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("simulate", "play a recorded fortnight under split pools and under Weir");
  const auto options = std::make_shared<Options>();
  add_inputs(*command, *options);
  command->add_option("--policy", options->policy, "only one: split-fifo, split-backfill or weir")
      ->check(CLI::IsMember({"all", "split-fifo", "split-backfill", "weir"}));
  command->add_flag("--rotations", options->rotations, "Weir also on submissions shifted by 2, 4, ... 12 days");
  command->add_flag("--saturated", options->input.saturated, "every job twice: a queue that is never empty");
  command->add_flag("--on-demand", options->input.on_demand, "every job can save at any moment");
  command->add_flag("--json", options->json, "figures as JSON");
  command->add_option("--report", options->report_file, "also write one self-contained HTML file")
      ->check([](const std::string& name) { return name.empty() ? "expects the name of a file" : std::string(); });
  command->add_flag("--no-audit", options->no_audit, "without the independent check of every step");
  command->callback([command, options, &exit_code] { exit_code = run_simulate(*options, command_line(*command)); });
}

}  // namespace weir::cli
