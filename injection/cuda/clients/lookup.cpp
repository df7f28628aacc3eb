// dlsym, for clients that look CUPTI's functions up instead of being linked to them. Every other
// look-up goes on to the real function with its caller's return address, because some of dlsym's
// results depend on it; hence the assembler.
#include <atomic>
#include <cstdint>

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
  void* found = &dlvsym == nullptr ? nullptr : dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
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

// Looks up a name that begins like those of CUPTI's functions.
__attribute__((visibility("hidden"))) void* prof_look_up_cupti(void* handle, const char* name) {
  using namespace prof::cuda::clients;
  void* const own = dlopen(prof::core::g_process.library, RTLD_LAZY | RTLD_NOLOAD);
  void* const mine = own == nullptr ? nullptr : look_up(own, name);
  const bool is_anywhere = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  void* found = is_anywhere ? mine : look_up(handle, name);
  // The first function of the name is ours, even without any libcupti.
  if (is_anywhere || (found == mine && found != nullptr)) {
    void* const cupti = loaded_cupti(nullptr);
    found = cupti == nullptr ? nullptr : look_up(cupti, name);
  }
  return found != nullptr && mine != nullptr && is_shared() ? mine : found;
}

}  // extern "C"

// Only glibc's versions, and none of them is the default one: other C libraries know no versions
// and leave such functions alone, and a look-up of dlsym itself finds glibc's.
//
// The name is compared byte by byte, because it may end at the end of a page.
asm(R"(
  .pushsection .text.dlsym, "ax", @progbits
  .globl prof_dlsym, prof_older_dlsym
  .type prof_dlsym, @function
  .type prof_older_dlsym, @function
prof_dlsym:
prof_older_dlsym:
  endbr64
  cmpb $'c', (%rsi)
  jne 1f
  cmpb $'u', 1(%rsi)
  jne 1f
  cmpb $'p', 2(%rsi)
  jne 1f
  cmpb $'t', 3(%rsi)
  jne 1f
  cmpb $'i', 4(%rsi)
  je prof_look_up_cupti
1:
  movq prof_real_dlsym(%rip), %rax
  testq %rax, %rax
  je 2f
  jmp *%rax
2:
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  call prof_find_dlsym
  addq $8, %rsp
  popq %rsi
  popq %rdi
  testq %rax, %rax
  je 3f
  jmp *%rax
3:
  ret
  .size prof_dlsym, . - prof_dlsym
  .size prof_older_dlsym, . - prof_older_dlsym
  .symver prof_dlsym, dlsym@GLIBC_2.34, remove
  .symver prof_older_dlsym, dlsym@GLIBC_2.2.5, remove
  .popsection
)");
