# Creates a manual page of each program from its --help, if help2man is installed.
find_program(RINGMARK_HELP2MAN help2man)
if(RINGMARK_HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
  set(pages "")
  foreach(program ${ringmark_programs})
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${RINGMARK_HELP2MAN} --no-info --output=${page} $<TARGET_FILE:${program}>
      DEPENDS ${program} VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "Manual pages: off, help2man is not installed")
endif()
