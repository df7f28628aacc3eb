#include "injection/openmp/gomp_functions.hpp"

#include <dlfcn.h>

#include <atomic>

#include "injection/core/symbols/loader.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/openmp/events.hpp"

namespace prof::openmp {

namespace {

#define GOMP_FUNCTION(name) #name,
constexpr const char* kNames[] = {
#include "injection/openmp/gomp.def"
};
#undef GOMP_FUNCTION

// The real functions, one set for each calling object, as in libraries/calls.cpp: a process may
// have several copies of libgomp.
libraries::Callers g_callers;
std::atomic<void*> g_real[libraries::kMaxCallers][kGompFunctions];
// Whether the calling object uses libgomp. Written before the real functions of the object.
std::atomic<bool> g_uses_gomp[libraries::kMaxCallers];

bool is_of_llvm(const void* function) {
  const link_map* const map = core::object_at(function);
  void* const object = map == nullptr ? nullptr : dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return false;
  const bool found = dlsym(object, "__kmpc_fork_call") != nullptr;
  dlclose(object);
  dlerror();  // clears an error of the calls above: the program must not see it
  return found;
}

Word missing() { return 0; }

[[gnu::cold, gnu::noinline]] GompTarget resolve(GompFunction function, const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  void* const real = libraries::find_real_function(kNames[function], caller, "gomp");
  if (real == nullptr) {
    if (prof_library_missing != nullptr)
      prof_library_missing(static_cast<std::uint32_t>(wire::Library::kOpenMp));
    return {reinterpret_cast<void*>(missing), false};
  }
  const bool uses_gomp = is_traced() && !is_of_llvm(real);
  g_uses_gomp[index].store(uses_gomp, std::memory_order_relaxed);
  g_real[index][function].store(real, std::memory_order_release);
  return {real, uses_gomp};
}

}  // namespace

GompTarget find_target(GompFunction function, const void* caller) {
  const std::uint32_t index = g_callers.find(caller);
  void* const real = g_real[index][function].load(std::memory_order_acquire);
  if (real == nullptr) [[unlikely]]
    return resolve(function, caller);
  return {real, g_uses_gomp[index].load(std::memory_order_relaxed)};
}

}  // namespace prof::openmp
