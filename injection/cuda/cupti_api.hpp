// CUPTI, found and loaded at run time: the library must be the one the program itself uses, if it
// uses one (two copies of libcupti in a process are two worlds), and fit its driver.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "injection/wire/cupti_functions.hpp"

namespace prof::cuda {

// Numbers the functions, for DiagnosticCode::kCuptiFailed.
enum class CuptiFunction : std::uint32_t {
#define X(name) k_##name,
  PROF_CUPTI_FUNCTIONS(X) PROF_CUPTI_NEWER_FUNCTIONS(X)
#undef X
};

struct CuptiApi {
#define X(name) decltype(&::name) name;
  PROF_CUPTI_FUNCTIONS(X)
  PROF_CUPTI_NEWER_FUNCTIONS(X)
#undef X
  std::uint32_t version;  // CUPTI_API_VERSION of the library
};

// The oldest version whose records and functions are understood: CUDA 12.0.
inline constexpr std::uint32_t kOldestCupti = 19;

enum class LoadResult { kLoaded, kMissing, kTooOld };

// Looks for libcupti: `wanted` if it is not empty; else the copy already in the process, then where
// the dynamic linker finds it, beside the program's own CUDA libraries (pip's wheels), and in the
// toolkit's usual places. Fills g_cupti.
LoadResult load_cupti(const char* wanted);

extern CuptiApi g_cupti;

}  // namespace prof::cuda
