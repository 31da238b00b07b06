// weir check: says all that is wrong with a pool file, prints it with every
// default, or prints the reference page.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "config/config.h"

namespace weir::cli {

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool print_defaults = false;
  bool reference = false;
  bool json = false;
};

struct CheckedFile {
  ResultAll<PoolConfig> pool;
  std::vector<Error> warnings;
};

CheckedFile check_file(const std::string& path) {
  std::vector<Error> warnings;
  auto pool = load_pool_file(path, &warnings);
  return {std::move(pool), std::move(warnings)};
}

nlohmann::json to_json(const std::vector<Error>& errors) {
  auto out = nlohmann::json::array();
  for (const Error& error : errors) {
    out.push_back({{"file", error.file},
                   {"line", error.line},
                   {"column", error.column},
                   {"key", error.key},
                   {"message", error.message}});
  }
  return out;
}

void print_json(const std::vector<std::string>& files, const std::vector<CheckedFile>& checked) {
  auto out = nlohmann::json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool ok = checked[i].pool.has_value();
    out.push_back({{"file", files[i]},
                   {"ok", ok},
                   {"problems", to_json(ok ? std::vector<Error>{} : checked[i].pool.error())},
                   {"warnings", to_json(checked[i].warnings)}});
  }
  // A file name need not be UTF-8; JSON must be.
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string summary_of(const PoolConfig& pool) {
  return fmt::format("{} GPUs in {} nodes, guard {}, buffer {}, {} tiers, {} teams, {} services",
                     pool.settings.total_gpus, pool.nodes.size(), guard_cards(pool), pool.settings.buffer_cards,
                     pool.settings.tiers.size(), pool.settings.teams.size(), pool.services.size());
}

void print_findings(const std::string& file, const CheckedFile& checked, bool quiet) {
  for (const Error& warning : checked.warnings) fmt::print(stderr, "warning: {}\n", warning.text());
  if (checked.pool) {
    if (!quiet) fmt::print("{}: ok: {}\n", file, summary_of(*checked.pool));
    return;
  }
  for (const Error& error : checked.pool.error()) fmt::print(stderr, "{}\n", error.text());
  const std::size_t count = checked.pool.error().size();
  fmt::print(stderr, "{}: {} problem{}\n", file, count, count == 1 ? "" : "s");
}

// 2 for a file that is not there: the call was wrong, not the file.
int code_of(const CheckedFile& checked) {
  if (checked.pool) return 0;
  const auto& errors = checked.pool.error();
  return errors.size() == 1 && errors[0].code == ErrorCode::not_found ? 2 : 1;
}

int wrong_call(const char* message) {
  fmt::print(stderr, "weir check: {}\n", message);
  return 2;
}

int print_defaults(const CheckOptions& options) {
  if (options.files.empty()) {
    const auto example = load_pool_text(example_pool_text(), "example");
    if (!example) return 1;
    fmt::print("{}", print_pool(*example));
    return 0;
  }
  const CheckedFile checked = check_file(options.files[0]);
  print_findings(options.files[0], checked, true);
  if (checked.pool) fmt::print("{}", print_pool(*checked.pool));
  return code_of(checked);
}

int run_check(const CheckOptions& options) {
  if (options.reference) {
    if (!options.files.empty() || options.print_defaults) return wrong_call("--reference stands alone");
    fmt::print("{}", pool_reference_page());
    return 0;
  }
  if (options.print_defaults) {
    if (options.files.size() > 1) return wrong_call("--print-defaults takes one file at most");
    return print_defaults(options);
  }
  if (options.files.empty()) return wrong_call("name a pool file, or ask for --print-defaults or --reference");
  int exit_code = 0;
  std::vector<CheckedFile> checked;
  for (const std::string& file : options.files) {
    checked.push_back(check_file(file));
    exit_code = std::max(exit_code, code_of(checked.back()));
    if (!options.json) print_findings(file, checked.back(), false);
  }
  if (options.json) print_json(options.files, checked);
  return exit_code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "say all that is wrong with a pool file");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->files, "pool files")->type_name("");
  command->add_flag("--print-defaults", options->print_defaults,
                    "print the file (or the example) with every default filled in");
  command->add_flag("--reference", options->reference, "print the page of all keys");
  command->add_flag("--json", options->json, "print findings as JSON");
  command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace weir::cli
