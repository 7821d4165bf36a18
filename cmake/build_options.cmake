# ringmark_options: how every target of the project is compiled.
add_library(ringmark_options INTERFACE)
target_include_directories(ringmark_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_features(ringmark_options INTERFACE cxx_std_20)
target_compile_options(ringmark_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic
  -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC warns about members that designated initialisers leave at their defaults, although that is their purpose.
  # Version 12 also reports overflows in inlined code of fmt and of its own library that cannot happen (PR 105651, PR
  # 105329).
  target_compile_options(ringmark_options INTERFACE -Wno-missing-field-initializers -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow)
  # By default GCC collects garbage from 128 MiB on, which costs a tenth of the time and saves a sixth of the memory.
  target_compile_options(ringmark_options INTERFACE --param=ggc-min-heapsize=524288)
else()
  target_compile_options(ringmark_options INTERFACE -Wno-missing-field-initializers -Wno-missing-designated-field-initializers -Wno-unknown-warning-option)
  # A loop that cannot be vectorised because of a sanitizer is not a defect.
  if(RINGMARK_SANITIZE)
    target_compile_options(ringmark_options INTERFACE -Wno-pass-failed)
  endif()
endif()
if(RINGMARK_UNITY)
  # In a unity build, names of one source would shadow those of another. The dev preset and clang-tidy compile each
  # source alone.
  target_compile_options(ringmark_options INTERFACE -Wno-shadow)
endif()
if(RINGMARK_WARNINGS_AS_ERRORS)
  target_compile_options(ringmark_options INTERFACE -Werror)
endif()
if(RINGMARK_SANITIZE)
  target_compile_options(ringmark_options INTERFACE -fsanitize=${RINGMARK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ringmark_options INTERFACE -fsanitize=${RINGMARK_SANITIZE})
  message(STATUS "Sanitizers: ${RINGMARK_SANITIZE}")
endif()

# ringmark_runtime: what programs and modules are linked with so that they run on other machines.
add_library(ringmark_runtime INTERFACE)
if(RINGMARK_STATIC_DEPENDENCIES)
  add_library(ringmark_older_glibc OBJECT ${PROJECT_SOURCE_DIR}/base/system/older_glibc.cpp)
  set_target_properties(ringmark_older_glibc PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(ringmark_older_glibc PRIVATE ringmark_options)
  # GCC's libraries come last on the command line, so an archive would be searched before they need anything from it.
  target_sources(ringmark_runtime INTERFACE $<TARGET_OBJECTS:ringmark_older_glibc>)
  target_link_options(ringmark_runtime INTERFACE -static-libstdc++ -static-libgcc)
endif()

# Libraries and fuzzers count the branches that an input takes. Tests need not.
function(ringmark_count_branches target)
  if(RINGMARK_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# From GCC 13 on, a source can use precompiled headers only with the same optimisation level.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(RINGMARK_PRECOMPILE_TWICE ON)
endif()

# The precompiled headers that all libraries, and all tests, are compiled with. Each has one owner that compiles it.
function(ringmark_precompile target owner)
  if(NOT RINGMARK_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${owner}.cpp CONTENT "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/generated/${owner}.cpp)
    set_target_properties(${owner} PROPERTIES UNITY_BUILD OFF CXX_EXTENSIONS OFF)
    target_link_libraries(${owner} PRIVATE ringmark_options fmt::fmt)
    set(headers <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
      <sstream> <string> <string_view> <utility> <vector> <fmt/format.h> <fmt/ranges.h>)
    if(owner STREQUAL ringmark_test_headers)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
      list(APPEND headers <gtest/gtest.h> <gmock/gmock.h>)
    else()
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      ringmark_count_branches(${owner})
      if(NOT RINGMARK_PRECOMPILE_TWICE OR owner STREQUAL ringmark_measured_headers)
        ringmark_measured(${owner})  # GCC 12 crashes on sources that are optimised more than their precompiled headers
      endif()
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# ringmark_measured(TARGET...): targets whose own time is measured. All others are optimised less, and compile faster.
function(ringmark_measured)
  foreach(name ${ARGN})
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${RINGMARK_OPTIMISE_MEASURED}>)
  endforeach()
endfunction()

# ringmark_measured_sources(SOURCE...): sources of a library that is not measured, but whose run time users notice.
function(ringmark_measured_sources)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    SKIP_PRECOMPILE_HEADERS "${RINGMARK_PRECOMPILE_TWICE}"
    COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:${RINGMARK_OPTIMISE_MEASURED}>")
endfunction()

# ringmark_library(NAME [MEASURED] SOURCES... LINK LIBRARIES...): a part of the project, as a static library.
function(ringmark_library name)
  cmake_parse_arguments(arg "MEASURED" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  # Shared objects, such as the tests' stand-ins for NVIDIA's libraries, consist of the same parts.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF UNITY_BUILD ${RINGMARK_UNITY}
    UNITY_BUILD_BATCH_SIZE 16)
  target_link_libraries(${name} PUBLIC ringmark_options fmt::fmt ${arg_LINK})
  ringmark_count_branches(${name})
  set(headers ringmark_headers)
  if(arg_MEASURED)
    ringmark_measured(${name})
    if(RINGMARK_PRECOMPILE_TWICE)
      set(headers ringmark_measured_headers)
    endif()
  endif()
  ringmark_precompile(${name} ${headers})
endfunction()

# ringmark_program(NAME SOURCES... LINK LIBRARIES...): an installed program.
function(ringmark_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${RINGMARK_PROGRAM_DIRECTORY})
  target_link_libraries(${name} PRIVATE ringmark_options ringmark_runtime fmt::fmt ${arg_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_property(GLOBAL APPEND PROPERTY RINGMARK_PROGRAMS ${name})
endfunction()
