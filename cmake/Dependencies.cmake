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

# Debian has spdlog and fmt as shared libraries; their header-only forms link into us.
add_library(prof_log INTERFACE)
target_link_libraries(prof_log INTERFACE spdlog::spdlog_header_only fmt::fmt-header-only)

# Headers of CUDA and CUPTI, from a toolkit or from wherever PROF_CUDA_ROOT says. Without them the
# build leaves CUDA out.
find_path(PROF_CUDA_INCLUDE cupti.h
  HINTS ${PROF_CUDA_ROOT} $ENV{CUDA_HOME}
  PATHS /usr/local/cuda /usr/local/cuda/extras/CUPTI
  PATH_SUFFIXES include
  DOC "Folder of cupti.h and cuda.h")
if(PROF_CUDA_INCLUDE)
  message(STATUS "CUDA headers: ${PROF_CUDA_INCLUDE}")
else()
  message(STATUS "No CUDA headers: CUDA will not be traced")
endif()
