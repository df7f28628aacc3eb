# Libraries from the distribution. Everything but glibc is linked statically, so that one build runs on
# all distributions.
include(CheckSourceCompiles)
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

# Python makes a file that is embedded in prof. The distribution's has SQLite.
find_program(PROF_BUILD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PROF_BUILD_PYTHON NAMES python3 REQUIRED)

# elfutils reads ELF and call frame information. Distributions build it with different compressions, so
# those that are installed are linked too.
find_library(PROF_DW_LIBRARY NAMES libdw.a REQUIRED)
find_library(PROF_ELF_LIBRARY NAMES libelf.a REQUIRED)
find_library(PROF_Z_LIBRARY NAMES libz.a REQUIRED)
find_path(PROF_Z_INCLUDE zlib.h REQUIRED)
find_path(PROF_DW_INCLUDE elfutils/libdw.h REQUIRED)
set(compressions ${PROF_Z_LIBRARY})
foreach(name zstd)
  find_library(PROF_${name}_LIBRARY NAMES lib${name}.a)
  if(PROF_${name}_LIBRARY)
    list(APPEND compressions ${PROF_${name}_LIBRARY})
  endif()
endforeach()
# The archives of elfutils 0.192 in Debian 13 lack a part of it (eu_tsearch), its shared libraries do not.
set(CMAKE_REQUIRED_INCLUDES ${PROF_DW_INCLUDE})
set(CMAKE_REQUIRED_LIBRARIES ${PROF_DW_LIBRARY} ${PROF_ELF_LIBRARY} ${compressions})
check_source_compiles(CXX "#include <elfutils/libdw.h>
  int main() { return dwarf_cfi_addrframe(dwarf_getcfi(dwarf_begin(0, DWARF_C_READ)), 0, nullptr); }" PROF_ELFUTILS_IS_WHOLE)
if(NOT PROF_ELFUTILS_IS_WHOLE)
  find_library(PROF_SHARED_DW_LIBRARY NAMES libdw.so REQUIRED)
  find_library(PROF_SHARED_ELF_LIBRARY NAMES libelf.so REQUIRED)
  set(PROF_DW_LIBRARY ${PROF_SHARED_DW_LIBRARY})
  set(PROF_ELF_LIBRARY ${PROF_SHARED_ELF_LIBRARY})
endif()
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)
add_library(prof_elf INTERFACE)
target_include_directories(prof_elf SYSTEM INTERFACE ${PROF_DW_INCLUDE})
target_link_libraries(prof_elf INTERFACE ${PROF_DW_LIBRARY} ${PROF_ELF_LIBRARY} ${compressions})
add_library(prof_zlib INTERFACE)
target_include_directories(prof_zlib SYSTEM INTERFACE ${PROF_Z_INCLUDE})
target_link_libraries(prof_zlib INTERFACE ${PROF_Z_LIBRARY})

# protozero writes messages of protocol buffers. It has headers only.
find_path(PROF_PROTOZERO_INCLUDE protozero/pbf_writer.hpp REQUIRED)
add_library(prof_protozero INTERFACE)
target_include_directories(prof_protozero SYSTEM INTERFACE ${PROF_PROTOZERO_INCLUDE})

# lzma unpacks the symbols that distributions keep in stripped files. iberty demangles C++ and Rust.
find_library(PROF_LZMA_LIBRARY NAMES liblzma.a REQUIRED)
find_library(PROF_IBERTY_LIBRARY NAMES libiberty.a REQUIRED)

# Distributions have fmt as a shared library. Its header-only form is linked into prof, but takes the
# compiler 3 s (10 s with sanitizers) in each file that formats something. So it is compiled once here.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(prof_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
  target_include_directories(prof_fmt SYSTEM
    PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(prof_fmt PRIVATE prof_host_flags)
else()
  add_library(prof_fmt INTERFACE)
  target_link_libraries(prof_fmt INTERFACE fmt::fmt-header-only)
endif()

# spdlog is used the same way. Only common/base/log.cpp includes it.
add_library(prof_spdlog INTERFACE)
target_include_directories(prof_spdlog SYSTEM
  INTERFACE $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(prof_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(prof_spdlog INTERFACE prof_fmt Threads::Threads)

# Boost.Asio and Boost.Beast: headers only.
find_package(Boost 1.74 REQUIRED)
add_library(prof_asio INTERFACE)
target_link_libraries(prof_asio INTERFACE Boost::headers Threads::Threads)

# Headers of CUDA 13 and CUPTI, from a toolkit or from PROF_CUDA_ROOT. Without them, or with an empty
# PROF_CUDA_INCLUDE, prof is built without CUDA. They work with older libraries too, because prof looks
# for the program's library at run time.
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
    message(STATUS "CUDA headers in ${PROF_CUDA_INCLUDE} are older than CUDA 13.0 and are not used")
    unset(PROF_CUDA_INCLUDE CACHE)
    unset(PROF_CUDA_INCLUDE)
  endif()
endif()
if(PROF_CUDA_INCLUDE)
  message(STATUS "CUDA headers: ${PROF_CUDA_INCLUDE}")
  file(STRINGS "${PROF_CUDA_INCLUDE}/cuda.h" line REGEX "^#define CUDA_VERSION +[0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)0([0-9])0$" "\\1.\\2" PROF_CUDA_VERSION "${line}")
  string(APPEND PROF_CUDA_VERSION " (CUPTI API ${cupti_version})")
else()
  set(PROF_CUDA_VERSION "none")
  message(STATUS "No headers of CUDA 13: prof is built without CUDA")
endif()

# Headers of Vulkan, with those for layers. Without them prof is built without Vulkan. At run time
# nothing is needed: the Vulkan loader of the program loads prof.
find_path(PROF_VULKAN_INCLUDE vulkan/vk_layer.h
  DOC "Folder of vulkan/vk_layer.h, 1.3 or later; empty: do not trace Vulkan")
if(PROF_VULKAN_INCLUDE)
  message(STATUS "Vulkan headers: ${PROF_VULKAN_INCLUDE}")
else()
  message(STATUS "No headers of Vulkan: prof is built without Vulkan")
endif()
