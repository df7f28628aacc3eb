// Finds and loads CUPTI at run time. If the program uses CUPTI, this must be the same library,
// because two copies of libcupti in a process do not work together. It must also fit the driver.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>

#include <cstdint>

#include "common/wire/cupti_functions.hpp"

namespace prof::cuda {

// Numbers of CUPTI's functions, for DiagnosticCode::kCuptiFailed.
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

// The oldest version that is supported: CUDA 12.0.
inline constexpr std::uint32_t kOldestCupti = 19;

enum class LoadResult { kLoaded, kMissing, kTooOld };

// Searches libcupti and fills g_cupti. If `wanted` is not empty, only that library is used.
// Otherwise the search order is: the copy already in the process, the dynamic linker's search path,
// next to the program's own CUDA libraries (pip's wheels), the toolkit's usual places.
LoadResult load_cupti(const char* wanted);

// Loads the libraries that libcupti needs for counters of GPUs from its folder, if they are there.
// libcupti loads them by their names alone, which fails if the dynamic linker does not know the
// folder.
void load_counter_libraries();
// Loads a library of libcupti's folder. Returns its handle, or null.
void* load_beside_cupti(const char* file);

// The functions that our tracer calls. Those that enable something take effect for our tracer alone
// (clients/host.hpp).
extern CuptiApi g_cupti;
// CUPTI's own functions.
extern CuptiApi g_real;
// The loaded library, as a link map.
extern const void* g_cupti_library;

}  // namespace prof::cuda
