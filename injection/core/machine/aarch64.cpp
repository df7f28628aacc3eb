#include "injection/core/machine/machine.hpp"

#include <sys/uio.h>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/syscalls.hpp"

// Preserves all integer registers but x0, x16, x17 and x30.
asm(".pushsection .text\n"
    ".hidden prof_call_quietly\n"
    ".globl prof_call_quietly\n"
    ".type prof_call_quietly, %function\n"
    "prof_call_quietly:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-160]!\n"
    "  .cfi_def_cfa_offset 160\n"
    "  .cfi_offset x29, -160\n"
    "  .cfi_offset x30, -152\n"
    "  mov x29, sp\n"
    "  stp x1, x2, [sp, #16]\n"
    "  stp x3, x4, [sp, #32]\n"
    "  stp x5, x6, [sp, #48]\n"
    "  stp x7, x8, [sp, #64]\n"
    "  stp x9, x10, [sp, #80]\n"
    "  stp x11, x12, [sp, #96]\n"
    "  stp x13, x14, [sp, #112]\n"
    "  stp x15, x18, [sp, #128]\n"
    "  blr x0\n"
    "  ldp x1, x2, [sp, #16]\n"
    "  ldp x3, x4, [sp, #32]\n"
    "  ldp x5, x6, [sp, #48]\n"
    "  ldp x7, x8, [sp, #64]\n"
    "  ldp x9, x10, [sp, #80]\n"
    "  ldp x11, x12, [sp, #96]\n"
    "  ldp x13, x14, [sp, #112]\n"
    "  ldp x15, x18, [sp, #128]\n"
    "  ldp x29, x30, [sp], #160\n"
    "  .cfi_def_cfa_offset 0\n"
    "  .cfi_restore x29\n"
    "  .cfi_restore x30\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size prof_call_quietly, .-prof_call_quietly\n"
    ".popsection\n");

// An entry (x17) jumps here if the real function (x16: the RealSymbol) is not known yet, or is not
// libc's. Preserves all registers in which arguments can lie.
asm(".pushsection .text.prof_find_and_go_on, \"ax\", %progbits\n"
    ".hidden prof_find_and_go_on\n"
    ".globl prof_find_and_go_on\n"
    ".type prof_find_and_go_on, %function\n"
    "prof_find_and_go_on:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-224]!\n"
    "  .cfi_def_cfa_offset 224\n"
    "  .cfi_offset x29, -224\n"
    "  .cfi_offset x30, -216\n"
    "  mov x29, sp\n"
    "  stp x0, x1, [sp, #16]\n"
    "  stp x2, x3, [sp, #32]\n"
    "  stp x4, x5, [sp, #48]\n"
    "  stp x6, x7, [sp, #64]\n"
    "  str x8, [sp, #80]\n"
    "  stp q0, q1, [sp, #96]\n"
    "  stp q2, q3, [sp, #128]\n"
    "  stp q4, q5, [sp, #160]\n"
    "  stp q6, q7, [sp, #192]\n"
    "  mov x0, x16\n"
    "  mov x1, x17\n"
    "  bl prof_find_real\n"
    "  mov x16, x0\n"
    "  ldp x0, x1, [sp, #16]\n"
    "  ldp x2, x3, [sp, #32]\n"
    "  ldp x4, x5, [sp, #48]\n"
    "  ldp x6, x7, [sp, #64]\n"
    "  ldr x8, [sp, #80]\n"
    "  ldp q0, q1, [sp, #96]\n"
    "  ldp q2, q3, [sp, #128]\n"
    "  ldp q4, q5, [sp, #160]\n"
    "  ldp q6, q7, [sp, #192]\n"
    "  ldp x29, x30, [sp], #224\n"
    "  .cfi_def_cfa_offset 0\n"
    "  .cfi_restore x29\n"
    "  .cfi_restore x30\n"
    "  br x16\n"
    "  .cfi_endproc\n"
    ".size prof_find_and_go_on, .-prof_find_and_go_on\n"
    ".popsection\n");

namespace prof::core {

namespace {

// glibc's thread pointer points to the address of the dynamic thread vector. The vector's second
// element is the thread-local data of the first object that has any, which lies at a fixed distance
// from the thread pointer.
constexpr std::size_t kFirstData = 2;  // words from the vector's address
PROF_WRITTEN_FIRST constinit std::uintptr_t g_distance = 0;

std::uintptr_t thread_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

const std::uintptr_t* vector_at(std::uintptr_t pointer) {
  return *reinterpret_cast<const std::uintptr_t* const*>(pointer);
}

// Lets the kernel read the word to which a foreign block seems to point, because such a block may
// begin with any number.
std::uintptr_t read(const std::uintptr_t* place) {
  std::uintptr_t word = 0;
  const iovec to{&word, sizeof word};
  const iovec from{const_cast<std::uintptr_t*>(place), sizeof word};
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return *place;
  const long got = sys::call(SYS_process_vm_readv, sys::gettid(), sys::pointer(&to), 1,
                             sys::pointer(&from), 1, 0);
  constexpr long kBadAddress = -14;  // EFAULT
  return got >= 0 || got == kBadAddress ? word : *place;
}

}  // namespace

[[gnu::cold, gnu::noinline]] bool has_libc_pointer() {
  const std::uintptr_t pointer = thread_pointer();
  if (pointer == 0 || pointer % alignof(std::max_align_t) != 0) return false;
  const std::uintptr_t* vector = vector_at(pointer);
  if (vector == nullptr || reinterpret_cast<std::uintptr_t>(vector) % alignof(std::uintptr_t) != 0)
    return false;
  return g_distance == 0 || read(vector + kFirstData) - pointer == g_distance;
}

// Called on a thread of the C library.
void prepare_pointer_check() {
  const std::uintptr_t pointer = thread_pointer();
  g_distance = vector_at(pointer)[kFirstData] - pointer;
}

}  // namespace prof::core
