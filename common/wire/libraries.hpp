// Libraries whose calls prof traces. Each has a preload library, libprof_<name>.so
// (injection/libraries, injection/mpi, injection/openmp,
// injection/openacc, injection/graphics/opengl).
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
  kOpenGl
};

inline constexpr std::uint32_t kLibraries = 9;
// The names by Library. They are also the names of the traces and part of the file names of the
// libraries.
inline constexpr const char* kLibraryNames[kLibraries] = {
    "cublas", "cudnn", "cusolver", "cusparse", "nccl", "mpi", "openmp", "openacc", "opengl"};

// Returns the bit of Reply::features that means: calls of the library are traced.
// The bits of the first eight libraries are followed by others (handshake.hpp).
constexpr std::uint32_t library_feature(std::uint32_t library) {
  return 1U << (library < 8 ? 16 + library : 19 + library);
}

}  // namespace prof::wire
