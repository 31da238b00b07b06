// Sentences of violations, put together from parts.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace weir::audit {

inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, std::integral auto part) { out += std::to_string(part); }
template <class Tag>
void append(std::string& out, Id<Tag> part) {
  out += part.valid() ? std::to_string(part.value) : std::string("none");
}

// say("run ", run, " starts on node ", node)
template <class... Parts>
std::string say(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

}  // namespace weir::audit
