// weir scenario run FILE...: plays scenarios on the production engine and says
// which expectations did not hold, and what happened instead.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "scenario/scenario.h"

namespace weir::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  bool trace = false;
  bool hash = false;
  bool bless = false;
};

struct Totals {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
};

std::filesystem::path golden_of(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".golden");
}

void write_golden(const std::string& file, const std::vector<std::string>& trace, Totals& totals) {
  const auto path = golden_of(file);
  std::ofstream out(path, std::ios::trunc);
  for (const std::string& line : trace) out << line << '\n';
  out.close();
  if (out) {
    fmt::print("{}: written\n", path.string());
  } else {
    ++totals.failed;
    fmt::print(stderr, "{}: cannot be written\n", path.string());
  }
}

// The log kept beside a file on purpose must be the log of the run.
void compare_golden(const std::string& file, const std::vector<std::string>& trace, Totals& totals) {
  const auto path = golden_of(file);
  std::ifstream in(path);
  std::vector<std::string> kept;
  for (std::string line; std::getline(in, line);) kept.push_back(line);
  for (std::size_t i = 0; i < std::max(kept.size(), trace.size()); ++i) {
    const std::string expected = i < kept.size() ? kept[i] : "(nothing)";
    const std::string seen = i < trace.size() ? trace[i] : "(nothing)";
    if (expected == seen) continue;
    ++totals.failed;
    fmt::print("{}:{}: expected {}; instead {}\n", path.string(), i + 1, expected, seen);
    return;
  }
  ++totals.passed;
}

void run_file(const std::string& file, const Options& options, Totals& totals) {
  const auto scenario = scenario::load_file(file);
  if (!scenario) {
    ++totals.failed;
    for (const Error& error : scenario.error()) fmt::print("{}\n", error.text());
    return;
  }
  const bool golden = std::filesystem::exists(golden_of(file));
  const scenario::Report report = scenario::run(*scenario, {.trace = options.trace || golden});
  if (options.trace)
    for (const std::string& line : report.trace) fmt::print("{}\n", line);
  for (const std::string& line : report.failures) fmt::print("FAILED {}\n", line);
  for (const std::string& line : report.skips) fmt::print("skipped {}\n", line);
  if (options.hash) fmt::print("{}: hash {:016x}\n", file, report.hash);
  totals.passed += report.passed;
  totals.failed += report.failed;
  totals.skipped += report.skipped;
  if (!golden) return;
  if (options.bless) {
    write_golden(file, report.trace, totals);
  } else {
    compare_golden(file, report.trace, totals);
  }
}

}  // namespace

void add_scenario(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("scenario", "small worlds in YAML, with what must come out");
  command->require_subcommand(1);
  CLI::App* run = command->add_subcommand("run", "play scenarios and hold them against their expectations");
  auto options = std::make_shared<Options>();
  run->add_option("files", options->files, "scenario files")->required()->type_name("FILE");
  run->add_flag("--trace", options->trace, "print every event, decision, change and reason");
  run->add_flag("--hash", options->hash, "print the hash of the state and decisions at the end");
  run->add_flag("--bless", options->bless, "rewrite the golden logs (FILE.golden) that are kept beside files");
  run->callback([options, &exit_code] {
    Totals totals;
    for (const std::string& file : options->files) run_file(file, *options, totals);
    fmt::print("{} passed, {} failed, {} skipped\n", totals.passed, totals.failed, totals.skipped);
    exit_code = totals.failed > 0 ? 1 : 0;
  });
}

}  // namespace weir::cli
