// Libraries whose calls prof traces. Each has a preload library, libprof_<name>.so
// (injection/libraries, injection/mpi, injection/openmp, injection/openacc, injection/ucx,
// injection/oshmem, injection/graphics/opengl).
#pragma once

#include <cstdint>

namespace prof::wire {

enum class Library : std::uint32_t {
  kCublas,
  kCudnn,
  kCusolver,
  kCusparse,
  kNccl,
  kMpi,
  kOpenMp,
  kOpenAcc,
  kOpenGl,
  kUcx,
  kOpenShmem
};

inline constexpr std::uint32_t kLibraries = 11;
// The names by Library. They are also the names of the traces and part of the file names of the
// libraries.
inline constexpr const char* kLibraryNames[kLibraries] = {"cublas", "cudnn", "cusolver", "cusparse",
                                                          "nccl",   "mpi",   "openmp",   "openacc",
                                                          "opengl", "ucx",   "oshmem"};

// Returns the bit of Reply::features that means: calls of the library are traced.
// Other features have the bits 24 and 25 (handshake.hpp).
constexpr std::uint32_t library_feature(std::uint32_t library) {
  return 1U << (library < 8 ? 16 + library : 18 + library);
}

}  // namespace prof::wire
