// One function per subcommand of `weir`: adds it to the program. A command sets
// `exit_code`: 0 = done, 1 = what was asked did not hold (a scenario failed, a
// file is bad), 2 = the call itself was wrong.
#pragma once

namespace CLI {
class App;
}

namespace weir::cli {

void add_bench(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_scenario(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

}  // namespace weir::cli
