# Well-kept libraries from the distribution. Everything but glibc is linked statically, so that one
# build runs anywhere.
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tl-expected REQUIRED)

find_library(PROF_SQLITE_LIBRARY NAMES libsqlite3.a REQUIRED)
find_path(PROF_SQLITE_INCLUDE sqlite3.h REQUIRED)
add_library(prof_sqlite INTERFACE)
target_include_directories(prof_sqlite SYSTEM INTERFACE ${PROF_SQLITE_INCLUDE})
target_link_libraries(prof_sqlite INTERFACE ${PROF_SQLITE_LIBRARY} Threads::Threads m ${CMAKE_DL_LIBS})

# elfutils, for ELF and call frame information. Which compressions it was built with differs from one
# distribution to the next: those that are installed come along, for the linker to take from.
find_library(PROF_DW_LIBRARY NAMES libdw.a REQUIRED)
find_library(PROF_ELF_LIBRARY NAMES libelf.a REQUIRED)
find_library(PROF_Z_LIBRARY NAMES libz.a REQUIRED)
find_path(PROF_Z_INCLUDE zlib.h REQUIRED)
find_path(PROF_DW_INCLUDE elfutils/libdw.h REQUIRED)
add_library(prof_elf INTERFACE)
target_include_directories(prof_elf SYSTEM INTERFACE ${PROF_DW_INCLUDE})
target_link_libraries(prof_elf INTERFACE ${PROF_DW_LIBRARY} ${PROF_ELF_LIBRARY} ${PROF_Z_LIBRARY})
add_library(prof_zlib INTERFACE)
target_include_directories(prof_zlib SYSTEM INTERFACE ${PROF_Z_INCLUDE})
target_link_libraries(prof_zlib INTERFACE ${PROF_Z_LIBRARY})
foreach(name zstd)
  find_library(PROF_${name}_LIBRARY NAMES lib${name}.a)
  if(PROF_${name}_LIBRARY)
    target_link_libraries(prof_elf INTERFACE ${PROF_${name}_LIBRARY})
  endif()
endforeach()

# Symbols that distributions leave in stripped files are packed; names of C++ and Rust are mangled.
find_library(PROF_LZMA_LIBRARY NAMES liblzma.a REQUIRED)
find_library(PROF_IBERTY_LIBRARY NAMES libiberty.a REQUIRED)

# Distributions have fmt as a shared library. Its header-only form links into us, but costs a compiler
# 3 s (with sanitizers 10 s) in each file that formats something: it is compiled once, here.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(prof_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
  target_include_directories(prof_fmt SYSTEM
    PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(prof_fmt PRIVATE prof_host_flags)
else()
  add_library(prof_fmt INTERFACE)
  target_link_libraries(prof_fmt INTERFACE fmt::fmt-header-only)
endif()

# The same of spdlog, of which one file is told: collector/base/log.cpp.
add_library(prof_spdlog INTERFACE)
target_include_directories(prof_spdlog SYSTEM
  INTERFACE $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(prof_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(prof_spdlog INTERFACE prof_fmt Threads::Threads)

# Headers of CUDA 13 and CUPTI, from a toolkit or from wherever PROF_CUDA_ROOT says. Without them the
# build leaves CUDA out; so it does with an empty PROF_CUDA_INCLUDE. They serve older libraries too:
# what a program brings along is looked for at run time.
if(PROF_CUDA_INCLUDE AND NOT EXISTS "${PROF_CUDA_INCLUDE}/cupti.h")
  unset(PROF_CUDA_INCLUDE CACHE)
endif()
find_path(PROF_CUDA_INCLUDE cupti.h
  HINTS ${PROF_CUDA_ROOT} $ENV{CUDA_HOME}
  PATHS /usr/local/cuda
  PATH_SUFFIXES include
  DOC "Folder of cupti.h and cuda.h of CUDA 13; empty: do not trace CUDA")
if(PROF_CUDA_INCLUDE)
  set(cupti_version 0)
  if(EXISTS "${PROF_CUDA_INCLUDE}/cupti_version.h")
    file(STRINGS "${PROF_CUDA_INCLUDE}/cupti_version.h" line REGEX "^#define CUPTI_API_VERSION +[0-9]+")
    string(REGEX REPLACE ".* ([0-9]+).*" "\\1" cupti_version "${line}")
  endif()
  if(cupti_version LESS 130000)
    message(STATUS "CUDA headers in ${PROF_CUDA_INCLUDE} are older than CUDA 13.0: left alone")
    unset(PROF_CUDA_INCLUDE CACHE)
    unset(PROF_CUDA_INCLUDE)
  endif()
endif()
if(PROF_CUDA_INCLUDE)
  message(STATUS "CUDA headers: ${PROF_CUDA_INCLUDE}")
else()
  message(STATUS "No headers of CUDA 13: CUDA will not be traced")
endif()
