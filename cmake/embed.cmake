# ringmark_embed(SOURCE.cpp HEADER NAMESPACE NAME FILE...): embeds the text of files in a program. The header declares
# each NAME as `extern const std::string_view`; SOURCE.cpp is written into the folder's build folder.
function(ringmark_embed source header namespace)
  set(text "// Made by CMake.\n#include \"${header}\"\n\nnamespace ${namespace} {\n")
  while(ARGN)
    list(POP_FRONT ARGN name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} content)
    string(APPEND text "\nconst std::string_view ${name} = R\"ringmark(${content})ringmark\";\n")
  endwhile()
  string(APPEND text "\n}  // namespace ${namespace}\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${source} CONTENT "@text@" @ONLY)
  # Both compilers accept literals longer than the standard requires.
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
