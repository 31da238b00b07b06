// One random world by hand: property_world --seed N [--trace] [--minimise] [--from A --to B]
//
// Prints what was wrong and exits 1, or nothing but a line and exits 0. With
// --from and --to it goes through a range of seeds and prints one line for each
// that fails, with the seed to give back.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "mangle.h"
#include "play.h"

namespace {

using weir::property::PlayOptions;
using weir::property::Verdict;
using weir::property::WorldPlan;

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool trace = false;
  bool minimise = false;
  bool mangled = false;  // its facts made odd (mangle.h)
};

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--trace") {
      out.trace = true;
    } else if (word == "--minimise") {
      out.minimise = true;
    } else if (word == "--mangled") {
      out.mangled = true;
    } else if (word == "--seed" && has_value) {
      out.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--from" && has_value) {
      out.from = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--to" && has_value) {
      out.to = std::strtoull(argv[++i], nullptr, 10);
    } else {
      return false;
    }
  }
  return true;
}

int sweep_mangled(const Arguments& arguments) {
  int failed = 0;
  const std::uint64_t from = arguments.to > 0 ? arguments.from : arguments.seed;
  for (std::uint64_t seed = from; seed <= std::max(from, arguments.to); ++seed) {
    const std::string fault = weir::property::fault_of_mangled(seed);
    if (fault.empty()) continue;
    ++failed;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    std::fflush(stdout);
  }
  std::printf("%d mangled worlds failed\n", failed);
  return failed == 0 ? 0 : 1;
}

int sweep(const Arguments& arguments) {
  std::map<std::string, int> kinds;
  int failed = 0;
  for (std::uint64_t seed = arguments.from; seed <= arguments.to; ++seed) {
    const Verdict verdict = play(weir::property::plan_world(seed), {.check_clone = true});
    if (verdict.problems.empty()) continue;
    ++failed;
    ++kinds[weir::property::kind_of(verdict.problems[0])];
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), verdict.problems[0].c_str());
    std::fflush(stdout);
  }
  const std::string all = std::to_string(arguments.to - arguments.from + 1);
  std::printf("%d of %s worlds failed\n", failed, all.c_str());
  for (const auto& [kind, count] : kinds) std::printf("%6d  %s\n", count, kind.c_str());
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs("usage: property_world --seed N [--trace] [--minimise] | --from A --to B | --mangled ...\n", stderr);
    return 2;
  }
  if (arguments.mangled) return sweep_mangled(arguments);
  if (arguments.to > 0) return sweep(arguments);
  WorldPlan plan = weir::property::plan_world(arguments.seed);
  PlayOptions options{.check_clone = true};
  if (arguments.minimise) {
    const Verdict first = play(plan, options);
    if (!first.problems.empty()) {
      const std::string kind = weir::property::kind_of(first.problems[0]);
      plan = cut_down(std::move(plan), options, [&](const Verdict& verdict) {
        return !verdict.problems.empty() && weir::property::kind_of(verdict.problems[0]) == kind;
      });
    }
  }
  std::fputs(text_of(plan).c_str(), stdout);
  options.trace = arguments.trace;
  const Verdict verdict = play(plan, options);
  for (const std::string& problem : verdict.problems) std::printf("PROBLEM %s\n", problem.c_str());
  std::printf("%lld steps, decisions %016llx, state %016llx, %zu problems\n", static_cast<long long>(verdict.steps),
              static_cast<unsigned long long>(verdict.decisions_hash),
              static_cast<unsigned long long>(verdict.state_hash), verdict.problems.size());
  return verdict.problems.empty() ? 0 : 1;
}
