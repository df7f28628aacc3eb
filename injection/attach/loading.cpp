#include "injection/attach/loading.hpp"

#include <atomic>
#include <cstring>

#include "injection/attach/pointers.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/next_symbol.hpp"
#include "injection/core/syscalls.hpp"

extern "C" {
// 1 if an object may have been loaded that is not patched.
__attribute__((visibility("hidden"))) constinit std::atomic<std::uint32_t> prof_new_objects{0};
__attribute__((visibility("hidden"))) constinit void* prof_real_loading[5]{};
__attribute__((visibility("hidden"), used)) void prof_patch_new_objects();
void prof_attach_dlopen() __attribute__((visibility("hidden")));
void prof_attach_dlmopen() __attribute__((visibility("hidden")));
void prof_attach_dlsym() __attribute__((visibility("hidden")));
void prof_attach_dlvsym() __attribute__((visibility("hidden")));
char* prof_attach_getenv(const char* name) __attribute__((visibility("hidden")));
}

// The arguments are preserved: at most three, in registers.
asm(".pushsection .text\n"
    ".macro prof_loads name, index\n"
    ".hidden \\name\n"
    ".globl \\name\n"
    ".type \\name, @function\n"
    "\\name:\n"
    "  movl $1, prof_new_objects(%rip)\n"
    "  jmp *prof_real_loading+8*\\index(%rip)\n"
    ".size \\name, .-\\name\n"
    ".endm\n"
    ".macro prof_looks_up name, index\n"
    ".hidden \\name\n"
    ".globl \\name\n"
    ".type \\name, @function\n"
    "\\name:\n"
    "  .cfi_startproc\n"
    "  cmpl $0, prof_new_objects(%rip)\n"
    "  jne 1f\n"
    "  jmp *prof_real_loading+8*\\index(%rip)\n"
    "1:\n"
    "  pushq %rdi\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rsi\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  pushq %rdx\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  call prof_patch_new_objects\n"
    "  popq %rdx\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  popq %rsi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  popq %rdi\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  jmp *prof_real_loading+8*\\index(%rip)\n"
    "  .cfi_endproc\n"
    ".size \\name, .-\\name\n"
    ".endm\n"
    "prof_loads prof_attach_dlopen, 0\n"
    "prof_loads prof_attach_dlmopen, 1\n"
    "prof_looks_up prof_attach_dlsym, 2\n"
    "prof_looks_up prof_attach_dlvsym, 3\n"
    ".popsection\n");

namespace prof::attach {

namespace {

constexpr const char* kNames[] = {"dlopen", "dlmopen", "dlsym", "dlvsym", "getenv"};
void* const kFunctions[] = {
    reinterpret_cast<void*>(prof_attach_dlopen), reinterpret_cast<void*>(prof_attach_dlmopen),
    reinterpret_cast<void*>(prof_attach_dlsym), reinterpret_cast<void*>(prof_attach_dlvsym),
    reinterpret_cast<void*>(prof_attach_getenv)};
constexpr std::size_t kCount = sizeof kNames / sizeof *kNames;

// The variable in which a client of NVTX looks for a tool.
constexpr char kNvtxVariable[] = "NVTX_INJECTION64_PATH";

std::atomic<bool> g_is_on;

// Limits the tries, because an object that is never seen as loaded must not make every look-up
// slow.
constexpr std::uint32_t kMaxTries = 16;
std::atomic<std::uint32_t> g_tries;

}  // namespace

constinit core::ProcessLock g_patching{};

void* loading_function(const char* name) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (prof_real_loading[i] != nullptr && std::strcmp(name, kNames[i]) == 0) return kFunctions[i];
  return nullptr;
}

bool prepare_loading() {
  for (std::size_t i = 0; i < kCount; ++i)
    prof_real_loading[i] = core::find_first(kNames[i]).address;
  return prof_real_loading[0] != nullptr && prof_real_loading[2] != nullptr;
}

void begin_loading() { g_is_on.store(true, std::memory_order_release); }

void end_loading() { g_is_on.store(false, std::memory_order_release); }

}  // namespace prof::attach

// Patches new objects. If another thread is patching at this moment, it also patches the objects
// for this one.
void prof_patch_new_objects() {
  using namespace prof;
  prof_new_objects.store(0, std::memory_order_relaxed);
  if (!attach::g_is_on.load(std::memory_order_acquire) ||
      core::g_process.sandboxed.load(std::memory_order_relaxed) || !attach::g_patching.try_lock())
    return;
  const attach::Patched patched = attach::patch_pointers();
  attach::g_patching.unlock();
  const bool tries_again =
      patched.left_out != 0 &&
      attach::g_tries.fetch_add(1, std::memory_order_relaxed) < attach::kMaxTries;
  if (tries_again) prof_new_objects.store(1, std::memory_order_relaxed);
  if (patched.left_out == 0) attach::g_tries.store(0, std::memory_order_relaxed);
  core::attach_nvtx(false);
  if (&core::attach_cuda != nullptr) core::attach_cuda(false);
}

// Lets a client of NVTX that looks for a tool while prof is attached find prof.
char* prof_attach_getenv(const char* name) {
  using namespace prof;
  char* const value = reinterpret_cast<char* (*)(const char*)>(prof_real_loading[4])(name);
  if (value != nullptr || !attach::g_is_on.load(std::memory_order_acquire) ||
      !core::has_feature(wire::kFeatureNvtx) || std::strcmp(name, attach::kNvtxVariable) != 0)
    return value;
  return core::g_process.library;
}
