// dlsym, for clients that look CUPTI's functions up instead of being linked to them. Every other
// look-up goes on to the real function with its caller's return address, because some of dlsym's
// results depend on it: dlsym itself is in dlsym_*.S.
#include <atomic>
#include <cstdint>

#include "injection/core/machine/machine.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/route.hpp"

namespace prof::cuda::clients {

namespace {

using LookUp = void*(void*, const char*);

}  // namespace

}  // namespace prof::cuda::clients

extern "C" {

__attribute__((visibility("hidden"))) constinit std::atomic<void*> prof_real_dlsym{nullptr};

// Called once, at the process's first look-up, perhaps before our constructor has run.
__attribute__((visibility("hidden"))) void* prof_find_dlsym() {
  void* found = &dlvsym == nullptr ? nullptr : dlvsym(RTLD_NEXT, "dlsym", PROF_FIRST_GLIBC);
  prof_real_dlsym.store(found, std::memory_order_relaxed);
  return found;
}

}  // extern "C"

void* prof::cuda::clients::look_up(void* library, const char* name) {
  void* address = prof_real_dlsym.load(std::memory_order_relaxed);
  if (address == nullptr) address = prof_find_dlsym();
  return address == nullptr ? nullptr : reinterpret_cast<LookUp*>(address)(library, name);
}

extern "C" {

// Looks up a name that begins like the names of CUPTI's functions.
__attribute__((visibility("hidden"))) void* prof_look_up_cupti(void* handle, const char* name) {
  using namespace prof::cuda::clients;
  void* const own = dlopen(prof::core::g_process.library, RTLD_LAZY | RTLD_NOLOAD);
  void* const mine = own == nullptr ? nullptr : look_up(own, name);
  const bool is_anywhere = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  void* found = is_anywhere ? mine : look_up(handle, name);
  // The first function of the name is prof's, even without any libcupti.
  if (is_anywhere || (found == mine && found != nullptr)) {
    void* const cupti = loaded_cupti(nullptr);
    found = cupti == nullptr ? nullptr : look_up(cupti, name);
  }
  return found != nullptr && mine != nullptr && is_shared() ? mine : found;
}

}  // extern "C"
