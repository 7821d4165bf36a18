# Writes the version and the git revision into a header at each build, touching it only when they change.
find_package(Git QUIET)
set(RINGMARK_REVISION_HEADER ${PROJECT_BINARY_DIR}/generated/ringmark_revision.hpp)
add_custom_target(ringmark_revision
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${RINGMARK_REVISION_HEADER}
          -DVERSION=${PROJECT_VERSION} -DGIT=${GIT_EXECUTABLE} -P ${PROJECT_SOURCE_DIR}/cmake/write_revision.cmake
  BYPRODUCTS ${RINGMARK_REVISION_HEADER}
  VERBATIM)
