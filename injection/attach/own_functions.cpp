#include "injection/attach/own_functions.hpp"

#include <cstring>

#include "injection/attach/loading.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/symbols/next_symbol.hpp"

// The bounds of the library, from the linker.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
}

namespace prof::attach {

namespace {

// The real functions of the wrappers that were asked for, by wrapper. Each is looked up once:
// several thousand pointers lead to some hundred functions.
struct Known {
  void* ours;
  void* real;
};
constexpr std::size_t kKnownSlots = 2048;
PROF_SELDOM Known g_known[kKnownSlots];

void* real_of(void* ours, const char* name, const char* version) {
  std::size_t at = (reinterpret_cast<std::uintptr_t>(ours) >> 4) % kKnownSlots;
  for (; g_known[at].ours != nullptr; at = (at + 1) % kKnownSlots)
    if (g_known[at].ours == ours) return g_known[at].real;
  g_known[at] = {ours, core::find_first(name, version).address};
  return g_known[at].real;
}

// True for the other functions that the library exports: the entry points of NVTX, CUDA and prof
// attach, and CUPTI's functions, which depend on the caller being linked to them.
bool is_door(const char* name) {
  return std::strncmp(name, "Initialize", 10) == 0 || std::strncmp(name, "cupti", 5) == 0 ||
         std::strncmp(name, "prof_", 5) == 0 || std::strncmp(name, "__asan", 6) == 0 ||
         std::strncmp(name, "__tsan", 6) == 0 || std::strncmp(name, "dlsym", 5) == 0 ||
         std::strncmp(name, "dlvsym", 6) == 0;
}

}  // namespace

Wrapper find_wrapper(const char* name, const char* version) {
  if (void* ours = loading_function(name)) return {ours, real_of(ours, name, version)};
  if (is_door(name)) return {};
  void* ours = core::find_own(name, version);
  if (ours == nullptr) return {};
  return {ours, real_of(ours, name, version)};
}

bool is_ours(const void* function) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  return address >= reinterpret_cast<std::uintptr_t>(__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(_end);
}

}  // namespace prof::attach
