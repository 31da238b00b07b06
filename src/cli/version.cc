#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace weir::cli {

void add_version(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("version", "print the version");
  command->callback([&exit_code] {
    fmt::print("weir 0.1.0\n");
    exit_code = 0;
  });
}

}  // namespace weir::cli
