# PROF_GLIBC_FLOOR=2.28 makes binaries that run with this glibc and all later ones, with the compiler and
# the static libraries of this machine. They are linked with stubs that have only the functions of that
# glibc, each in the version it had (docs/decisions, "One build for glibc 2.28").
set(PROF_GLIBC_FLOOR "" CACHE STRING "Oldest glibc that prof has to run with, as 2.28; empty: this machine's")
if(PROF_GLIBC_FLOOR)
  # What packages promise. The stubs are those of a glibc that is older still, because a system with it can be
  # had for tests (Ubuntu 18.04).
  set(PROF_OLDEST_GLIBC 2.28)
  if(PROF_TESTS OR PROF_SANITIZE)
    message(FATAL_ERROR "PROF_GLIBC_FLOOR is for packages: build without tests and sanitizers")
  endif()
  set(stubs ${PROJECT_BINARY_DIR}/glibc-${PROF_GLIBC_FLOOR})  # another floor links again
  set(script ${PROJECT_SOURCE_DIR}/cmake/glibc/stubs.py)
  execute_process(COMMAND ${PROF_BUILD_PYTHON} ${script} ${PROF_GLIBC_FLOOR} ${stubs} ${CMAKE_C_COMPILER}
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  # Before the compiler's own folders.
  link_directories(BEFORE ${stubs})
  add_library(prof_younger_functions OBJECT ${PROJECT_SOURCE_DIR}/cmake/glibc/younger_functions.c)
  target_compile_options(prof_younger_functions PRIVATE -O2 -ffunction-sections -fdata-sections)
  # gold keeps one of several equal functions if their addresses are not compared: 2 % of the wheel.
  include(CheckLinkerFlag)
  set(PROF_FOLDING -fuse-ld=gold -Wl,--icf=safe -Wl,--rosegment)
  check_linker_flag(CXX "${PROF_FOLDING}" PROF_HAS_FOLDING)
else()
  execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE PROF_OLDEST_GLIBC OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "glibc " "" PROF_OLDEST_GLIBC "${PROF_OLDEST_GLIBC}")
endif()

# For what runs outside of the program: what the old glibc does not have is linked into it, and it needs
# the libraries that are a part of libc today.
function(prof_link_glibc target)
  if(PROF_GLIBC_FLOOR)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:prof_younger_functions>)
    target_link_options(${target} PRIVATE -Wl,-z,defs)  # a younger function is an error, in a library, too
    target_link_options(${target} PRIVATE
      $<$<STREQUAL:$<TARGET_PROPERTY:${target},TYPE>,EXECUTABLE>:-Wl,--wrap=__libc_start_main>)
    if(PROF_HAS_FOLDING)
      target_link_options(${target} PRIVATE ${PROF_FOLDING})
    endif()
    target_link_libraries(${target} PRIVATE -Wl,--no-as-needed -lpthread -ldl -lrt -Wl,--as-needed)
  endif()
endfunction()
