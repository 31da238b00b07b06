// No stream of facts, however odd, breaks the engine (mangle.h). A failing seed alone:
// property_world --mangled --seed N.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "mangle.h"

namespace weir::property {
namespace {

RC_GTEST_PROP(Mangled, FactsNeverBreakTheEngine, ()) {
  const std::uint64_t seed =
      *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1'000'000'000)));
  const std::string fault = fault_of_mangled(seed);
  if (!fault.empty()) {
    RC_LOG() << "seed " << seed;
    RC_FAIL(fault);
  }
}

}  // namespace
}  // namespace weir::property
