# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Headers of libraries that many files begin with, read once for all of them: a third to a half of what compiling a
# file that includes Qt's or LLVM's takes. Never our own headers, so that a change of one compiles what includes it alone.
# Files still include what they use: clang-tidy reads them without this.
option(LANESCOPE_PRECOMPILE "precompile the headers of libraries" ON)

# Compiles HEADERS for a target, and for those that say ls_precompiled_as().
function(ls_precompile target)
  if(LANESCOPE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    ls_precompiled_options(${target})
  endif()
endfunction()

# Uses the headers that were precompiled for another target; both are compiled with the same options and definitions, as
# far as those headers ask for them (the compiler says where they are not: -Winvalid-pch).
function(ls_precompiled_as target owner)
  if(LANESCOPE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    ls_precompiled_options(${target})
  endif()
endfunction()

# What most files of the core, of the runtime and of the command begin with, for all of these: OWNER has it, which is made
# once for targets with one set of sanitizers, all of which are optimised or none. How much, and definitions, may differ.
# Only with clang: g++ 12 crashes where they do.
set(ls_common_headers <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem>
    <fstream> <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <thread>
    <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
function(ls_common_headers owner)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_library(${owner} OBJECT ${CMAKE_SOURCE_DIR}/cmake/nothing.cpp)
    set_target_properties(${owner} PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(${owner} PRIVATE ls_options fmt::fmt nlohmann_json::nlohmann_json)
    ls_precompile(${owner} ${ls_common_headers} ${ARGN})
  endif()
endfunction()
function(ls_begins_as owner)
  if(TARGET ${owner})
    foreach(target IN LISTS ARGN)
      ls_precompiled_as(${target} ${owner})
    endforeach()
  endif()
endfunction()

# Without the first ccache takes what was compiled with such headers for something new each time.
function(ls_precompiled_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # What g++ 12 sees in "text" + string (GCC bug 105329) it then tells of the library's headers, too.
      target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
    endif()
  else()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
