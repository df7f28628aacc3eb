// The libraries of NVIDIA's whose calls are traced by preload libraries of their own,
// libprof_<name>.so (injection/libraries).
#pragma once

#include <cstdint>

namespace prof::wire {

enum class Library : std::uint32_t { kCublas, kCudnn, kCusolver, kCusparse, kNccl };

inline constexpr std::uint32_t kLibraries = 5;
// By Library; also the names of their traces and what the files of the real ones are called.
inline constexpr const char* kLibraryNames[kLibraries] = {"cublas", "cudnn", "cusolver", "cusparse",
                                                          "nccl"};

// Bit of Reply::features: its calls are traced.
constexpr std::uint32_t library_feature(std::uint32_t library) { return 1U << (16 + library); }

}  // namespace prof::wire
