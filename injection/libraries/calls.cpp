// Called by trampolines_*.S at each call of a library function. This file is compiled once for each
// library: PROF_LIBRARY is its wire::Library, PROF_LIBRARY_DEF is the list of its functions, and
// PROF_LIBRARY_STATUS is the status returned for a function that does not exist.
#include <atomic>

#include "common/wire/records.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"

namespace {

using namespace prof;

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::PROF_LIBRARY);

// Unused in a library that lacks functions of this kind.
[[maybe_unused]] long missing_status() { return PROF_LIBRARY_STATUS; }
[[maybe_unused]] const char* missing_text() { return "the library is not loaded"; }
[[maybe_unused]] long missing_value() { return 0; }

struct TracedFunction {
  const char* name;
  void* missing;  // called instead of a function that does not exist
};
#define LIBRARY_STATUS(name) {#name, reinterpret_cast<void*>(missing_status)},
#define LIBRARY_TEXT(name) {#name, reinterpret_cast<void*>(missing_text)},
#define LIBRARY_VALUE(name) {#name, reinterpret_cast<void*>(missing_value)},
const TracedFunction kFunctions[] = {
#include PROF_LIBRARY_DEF
};
constexpr std::size_t kFunctionCount = sizeof kFunctions / sizeof *kFunctions;
static_assert(kFunctionCount <= wire::kFunctionsPerLibrary);

// The real functions, one set for each calling object. An atomic word needs no further ordering,
// because the code to which it points is never unloaded (find_real_function keeps it loaded).
libraries::Callers g_callers;
std::atomic<void*> g_real[libraries::kMaxCallers][kFunctionCount];

[[gnu::cold, gnu::noinline]] void* resolve(std::uint32_t function, const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  void* real = libraries::find_real_function(kFunctions[function].name, caller,
                                             wire::kLibraryNames[kLibrary]);
  g_real[index][function].store(real, std::memory_order_relaxed);
  return real;
}

struct Entered {
  void* real;
  std::uint64_t start;  // 0: the call is not recorded
};

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) Entered enter_call(std::uint32_t function,
                                                         const void* caller) {
  void* real = g_real[g_callers.find(caller)][function].load(std::memory_order_relaxed);
  if (real == nullptr) [[unlikely]]
    real = resolve(function, caller);
  if (real == nullptr) [[unlikely]] {
    if (prof_library_missing != nullptr) prof_library_missing(kLibrary);
    return {kFunctions[function].missing, 0};
  }
  return {real, prof_begin_library_call != nullptr ? prof_begin_library_call(kLibrary) : 0};
}

__attribute__((visibility("hidden"))) void leave_call(std::uint32_t function, std::uint64_t start) {
  prof_end_library_call(wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function,
                        kFunctions[function].name, start);
}
}
