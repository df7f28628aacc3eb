# Compiler flags as interface targets: prof_host_flags for code that runs in prof's own process,
# prof_target_flags for code that runs inside the program.

add_library(prof_warnings INTERFACE)
target_compile_options(prof_warnings INTERFACE -Wall -Wextra -Wnon-virtual-dtor)
if(PROF_WARNINGS_AS_ERRORS)
  target_compile_options(prof_warnings INTERFACE -Werror)
endif()
# GCC 12 gives false warnings about inlined library code (GCC bugs 105651, 105562 and others).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(prof_warnings INTERFACE
    -Wno-maybe-uninitialized $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-free-nonheap-object>)
endif()

# In a batch of files GCC takes a type of an anonymous namespace for one of a header.
if(PROF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(prof_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()

add_library(prof_host_flags INTERFACE)
target_link_libraries(prof_host_flags INTERFACE prof_warnings)
target_include_directories(prof_host_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Removes unused parts of static libraries, and with them their use of newer versions of glibc.
target_compile_options(prof_host_flags INTERFACE -ffunction-sections -fdata-sections)
target_link_options(prof_host_flags INTERFACE -Wl,--gc-sections)
add_library(prof_sanitizers INTERFACE)
target_link_libraries(prof_host_flags INTERFACE prof_sanitizers)
if(PROF_SANITIZE)
  if(PROF_SANITIZE STREQUAL "address")
    # GCC 12 sometimes takes the address of a thread-local object for null. ASan finds real null pointers.
    # Undefined behaviour is a trap, and ASan prints its stack (below). The data for
    # messages were 200 MB of pointers, which the loader had to relocate: half a second at each start of prof.
    set(_sanitizers -fsanitize=address,undefined -fno-sanitize=null -fsanitize-undefined-trap-on-error)
  else()
    # The thread sanitizer does not know fences. Boost.Asio and EventCallChains use them beside atomic variables.
    set(_sanitizers -fsanitize=${PROF_SANITIZE} $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
  # The environment of tests.
  set(PROF_SANITIZER_ENVIRONMENT "ASAN_OPTIONS=handle_sigill=1")
  target_compile_options(prof_sanitizers INTERFACE ${_sanitizers} -fno-omit-frame-pointer -g)
  target_link_options(prof_sanitizers INTERFACE ${_sanitizers})
endif()

# Code in the program uses only libc: no C++ runtime, no destructors, guards or allocations. It is never
# sanitized, because a sanitizer's runtime does not belong in another process. (Tests have a variant for
# programs that are sanitized themselves, tests/fake_cupti.)
add_library(prof_target_flags INTERFACE)
target_link_libraries(prof_target_flags INTERFACE prof_warnings)
target_include_directories(prof_target_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(prof_target_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>
  -fvisibility=hidden -ftls-model=initial-exec -ffunction-sections -fno-plt -fno-stack-protector -O2
  -fasynchronous-unwind-tables -U_FORTIFY_SOURCE)
# x86-64: core/quiet_call.hpp calls without the compiler's knowledge. aarch64: additions have to be made in place
# (core/record/short_calls.hpp), and calls of libgcc would change registers.
if(PROF_MACHINE STREQUAL "x86_64")
  target_compile_options(prof_target_flags INTERFACE -mno-red-zone)
else()
  target_compile_options(prof_target_flags INTERFACE -mno-outline-atomics)
  # As on x86-64.
  target_compile_options(prof_warnings INTERFACE -fsigned-char)
endif()
