# SPDX-License-Identifier: BSD-3-Clause
add_library(rushlight_options INTERFACE)
target_include_directories(rushlight_options INTERFACE ${PROJECT_SOURCE_DIR} ${RUSHLIGHT_GENERATED})
target_compile_features(rushlight_options INTERFACE cxx_std_17)
target_compile_options(rushlight_options INTERFACE
  -Wall -Wextra -Werror -Wmissing-declarations -Wno-unused-parameter
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>
  -ffunction-sections -fdata-sections $<$<CONFIG:Release>:-fno-math-errno>)
target_compile_definitions(rushlight_options INTERFACE RL_MESSAGES=$<BOOL:${RUSHLIGHT_MESSAGES}>)
if(RUSHLIGHT_SANITIZE)
  target_compile_options(rushlight_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -g -fno-omit-frame-pointer)
  target_link_options(rushlight_options INTERFACE -fsanitize=address,undefined)
endif()
if(RUSHLIGHT_FUZZ)
  target_compile_options(rushlight_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Flags of everything that must run on a microcontroller.
add_library(rushlight_bare INTERFACE)
target_link_libraries(rushlight_bare INTERFACE rushlight_options)
target_compile_options(rushlight_bare INTERFACE -fno-exceptions -fno-rtti -fno-threadsafe-statics)
if(NOT RUSHLIGHT_SANITIZE)
  target_compile_options(rushlight_bare INTERFACE -fno-asynchronous-unwind-tables)
endif()

# rushlight_add_backend(name SOURCES files… LINK libraries…): one backend's runtime half, listed in the backend table.
# Its file must define `extern const Backend k<Name>Backend`-style symbol named by SYMBOL.
function(rushlight_add_backend name)
  cmake_parse_arguments(arg "" "SYMBOL" "SOURCES;LINK" ${ARGN})
  add_library(rushlight_backend_${name} STATIC ${arg_SOURCES})
  target_link_libraries(rushlight_backend_${name} PUBLIC rushlight_runtime ${arg_LINK} PRIVATE rushlight_bare)
  set_property(GLOBAL APPEND PROPERTY RUSHLIGHT_BACKEND_TARGETS rushlight_backend_${name})
  set_property(GLOBAL APPEND PROPERTY RUSHLIGHT_BACKEND_SYMBOLS ${arg_SYMBOL})
endfunction()
