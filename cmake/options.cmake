# Toolchain choices, the same for every target (docs/decisions/0001).
option(WEIR_TESTS "build the tests" ON)
option(WEIR_BENCH "build the benchmarks" OFF)
option(WEIR_FUZZ "build the libFuzzer targets (clang)" OFF)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang 14 reads libstdc++ 12's <expected> only when told that concepts are complete.
  add_compile_options(-D__cpp_concepts=202002L -Wno-builtin-macro-redefined)
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEIR_CCACHE})
endif()
find_program(WEIR_MOLD mold)
find_program(WEIR_LLD ld.lld)
if(WEIR_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(WEIR_LLD)
  add_link_options(-fuse-ld=lld)
endif()
