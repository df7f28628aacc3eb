# Compiler flags, as interface targets: prof_host_flags for everything that runs in our own process,
# prof_target_flags for what runs inside somebody else's.

add_library(prof_warnings INTERFACE)
target_compile_options(prof_warnings INTERFACE -Wall -Wextra -Werror -Wnon-virtual-dtor)
# GCC 12 sees ghosts in inlined library code (GCC bugs 105651 and 105562, among others).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(prof_warnings INTERFACE
    -Wno-maybe-uninitialized $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-free-nonheap-object>)
endif()

add_library(prof_host_flags INTERFACE)
target_link_libraries(prof_host_flags INTERFACE prof_warnings)
target_include_directories(prof_host_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Unused parts of static libraries go, and with them what they need of newer glibcs.
target_compile_options(prof_host_flags INTERFACE -ffunction-sections -fdata-sections)
target_link_options(prof_host_flags INTERFACE -Wl,--gc-sections)
if(PROF_SANITIZE)
  if(PROF_SANITIZE STREQUAL "address")
    # GCC 12 takes the address of a thread-local object for null now and then; ASan finds real ones.
    set(_sanitizers -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all)
  else()
    set(_sanitizers -fsanitize=${PROF_SANITIZE})
  endif()
  target_compile_options(prof_host_flags INTERFACE ${_sanitizers} -fno-omit-frame-pointer -g)
  target_link_options(prof_host_flags INTERFACE ${_sanitizers})
endif()

# libc only: no C++ runtime, nothing that needs a destructor, a guard or an allocation. Never
# sanitized: a sanitizer's runtime does not belong in somebody else's process.
add_library(prof_target_flags INTERFACE)
target_link_libraries(prof_target_flags INTERFACE prof_warnings)
target_include_directories(prof_target_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(prof_target_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>
  -fvisibility=hidden -ftls-model=initial-exec -fno-plt -fno-stack-protector -O2
  -fasynchronous-unwind-tables -U_FORTIFY_SOURCE)
