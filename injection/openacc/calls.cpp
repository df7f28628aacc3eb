// Called by libraries/trampolines_*.S at each call of a function in openacc.def. libgomp reports
// what it does to callbacks (OpenACC's profiling interface), but not where the program called it.
// So each call tells them. The calls themselves are not recorded.
#include <atomic>

#include "common/wire/libraries.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/openacc/callbacks.hpp"

namespace {

using namespace prof;

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kOpenAcc);

#define LIBRARY_VALUE(name) #name,
constexpr const char* kNames[] = {
#include "injection/openacc/openacc.def"
};
#undef LIBRARY_VALUE
constexpr std::size_t kFunctionCount = sizeof kNames / sizeof *kNames;

// The real functions, one set for each calling object, as in libraries/calls.cpp.
libraries::Callers g_callers;
std::atomic<void*> g_real[libraries::kMaxCallers][kFunctionCount];

long missing() { return 0; }

// Registers the callbacks with the libgomp that has the function.
void register_callbacks(const void* function) {
  const link_map* const map = core::object_at(function);
  void* const object = map == nullptr ? nullptr : dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return;
  const auto add = reinterpret_cast<openacc::Register>(dlsym(object, "acc_prof_register"));
  if (add != nullptr) openacc::register_callbacks(add);
  dlclose(object);
  dlerror();  // clears an error of the calls above: the program must not see it
}

[[gnu::cold, gnu::noinline]] void* resolve(std::uint32_t function, const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  void* const real = libraries::find_real_function(kNames[function], caller, "gomp");
  if (real == nullptr) {
    if (prof_library_missing != nullptr) prof_library_missing(kLibrary);
    return reinterpret_cast<void*>(missing);
  }
  if (prof_is_library_traced != nullptr && prof_is_library_traced(kLibrary))
    register_callbacks(real);
  g_real[index][function].store(real, std::memory_order_release);
  return real;
}

struct Entered {
  void* real;
  std::uint64_t start;  // 0: the trampoline jumps to the real function
};

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) Entered enter_call(std::uint32_t function,
                                                         const void* caller) {
  void* real = g_real[g_callers.find(caller)][function].load(std::memory_order_acquire);
  if (real == nullptr) [[unlikely]]
    real = resolve(function, caller);
  openacc::set_caller(caller);
  return {real, 0};
}

// Not called, because no call is recorded.
__attribute__((visibility("hidden"))) void leave_call(std::uint32_t, std::uint64_t) {}
}
