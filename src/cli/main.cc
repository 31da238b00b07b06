// weir: one binary, one subcommand per file of this folder.
#include <cstdio>
#include <system_error>

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace {

// A full disk or a closed pipe: what was asked for has not arrived.
int lost_output() {
  std::perror("weir: the output cannot be written");
  return 1;
}

}  // namespace

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
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return lost_output();
  } catch (const std::system_error&) {
    return lost_output();  // a print that the system refused
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  return exit_code;
}
