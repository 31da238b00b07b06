#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/version.h"

namespace weir::cli {

void add_version(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("version", "print the version");
  command->callback([&exit_code] {
    fmt::print("weir {}\n", kVersion);
    exit_code = 0;
  });
}

}  // namespace weir::cli
