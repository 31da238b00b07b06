// weir: one binary, one subcommand per file of this folder.
#include <CLI/CLI.hpp>

#include "cli/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Weir: one GPU pool for training and inference", "weir"};
  app.require_subcommand(1);
  int exit_code = 0;
  weir::cli::add_bench(app, exit_code);
  weir::cli::add_check(app, exit_code);
  weir::cli::add_scenario(app, exit_code);
  weir::cli::add_simulate(app, exit_code);
  weir::cli::add_version(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  return exit_code;
}
