# ringmark_options: what every target of the project is compiled with.
add_library(ringmark_options INTERFACE)
target_include_directories(ringmark_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ringmark_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic
  -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC warns of members left to their defaults in designated initialisers, which is what they are for, and version 12
  # sees overflows in inlined code of fmt and of its own library that cannot happen (PR 105651, PR 105329).
  target_compile_options(ringmark_options INTERFACE -Wno-missing-field-initializers -Wno-restrict -Wno-stringop-overflow)
else()
  target_compile_options(ringmark_options INTERFACE -Wno-missing-field-initializers -Wno-missing-designated-field-initializers -Wno-unknown-warning-option)
  # That a loop stays a loop under a sanitizer is no defect.
  if(RINGMARK_SANITIZE)
    target_compile_options(ringmark_options INTERFACE -Wno-pass-failed)
  endif()
endif()
if(RINGMARK_WARNINGS_AS_ERRORS)
  target_compile_options(ringmark_options INTERFACE -Werror)
endif()
if(RINGMARK_SANITIZE)
  target_compile_options(ringmark_options INTERFACE -fsanitize=${RINGMARK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ringmark_options INTERFACE -fsanitize=${RINGMARK_SANITIZE})
  message(STATUS "Sanitizers: ${RINGMARK_SANITIZE}")
endif()
if(RINGMARK_FUZZ)
  target_compile_options(ringmark_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ringmark_library(NAME SOURCES... LINK LIBRARIES...): a floor of the house, as a static library.
function(ringmark_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ringmark_options fmt::fmt ${arg_LINK})
endfunction()

# ringmark_program(NAME SOURCES... LINK LIBRARIES...): an installed program.
function(ringmark_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ringmark_options fmt::fmt ${arg_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
