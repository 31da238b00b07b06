// Facts as no executor would report them: lost, doubled, out of order, about things
// that never were, with numbers that mean nothing. Whatever comes, step() answers, its
// books agree, and it asks to be called again later than now.
#pragma once

#include <cstdint>
#include <string>

namespace weir::property {

// Plays the world of the seed, makes its facts odd and feeds them to an engine; what
// was wrong with the answers, empty when nothing was.
[[nodiscard]] std::string fault_of_mangled(std::uint64_t seed);

}  // namespace weir::property
