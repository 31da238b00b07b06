// CHECK(condition): a broken invariant of our own code. On in release. Never
// used for anything that comes from outside: that is a Result or an alarm.
#pragma once

namespace weir {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace weir

#define WEIR_CHECK(condition)                               \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::weir::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
