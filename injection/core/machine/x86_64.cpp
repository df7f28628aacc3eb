#include "injection/core/machine/machine.hpp"

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <atomic>

#include "injection/core/foreign_threads.hpp"
#include "injection/core/syscalls.hpp"

asm(".pushsection .text\n"
    ".hidden prof_call_quietly\n"
    ".globl prof_call_quietly\n"
    ".type prof_call_quietly, @function\n"
    "prof_call_quietly:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  pushq %rdi\n"
    "  pushq %rsi\n"
    "  pushq %rdx\n"
    "  pushq %rcx\n"
    "  pushq %r8\n"
    "  pushq %r9\n"
    "  pushq %r10\n"
    "  pushq %r11\n"
    "  andq $-16, %rsp\n"
    "  call *%rax\n"
    "  movq -64(%rbp), %r11\n"
    "  movq -56(%rbp), %r10\n"
    "  movq -48(%rbp), %r9\n"
    "  movq -40(%rbp), %r8\n"
    "  movq -32(%rbp), %rcx\n"
    "  movq -24(%rbp), %rdx\n"
    "  movq -16(%rbp), %rsi\n"
    "  movq -8(%rbp), %rdi\n"
    "  leave\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size prof_call_quietly, .-prof_call_quietly\n"
    ".popsection\n");

// An entry (%r10) jumps here if the real function (%r11: the RealSymbol) is not known yet, or is
// not libc's. Preserves all registers in which arguments can lie; %al is the number of vector
// registers of a variadic call.
asm(".pushsection .text.prof_find_and_go_on, \"ax\", @progbits\n"
    ".hidden prof_find_and_go_on\n"
    ".globl prof_find_and_go_on\n"
    ".type prof_find_and_go_on, @function\n"
    "prof_find_and_go_on:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  pushq %rdi\n"
    "  pushq %rsi\n"
    "  pushq %rdx\n"
    "  pushq %rcx\n"
    "  pushq %r8\n"
    "  pushq %r9\n"
    "  pushq %rax\n"
    "  subq $136, %rsp\n"
    "  andq $-16, %rsp\n"
    "  movups %xmm0, (%rsp)\n"
    "  movups %xmm1, 16(%rsp)\n"
    "  movups %xmm2, 32(%rsp)\n"
    "  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n"
    "  movups %xmm5, 80(%rsp)\n"
    "  movups %xmm6, 96(%rsp)\n"
    "  movups %xmm7, 112(%rsp)\n"
    "  movq %r11, %rdi\n"
    "  movq %r10, %rsi\n"
    "  call prof_find_real\n"
    "  movq %rax, %r11\n"
    "  movups (%rsp), %xmm0\n"
    "  movups 16(%rsp), %xmm1\n"
    "  movups 32(%rsp), %xmm2\n"
    "  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n"
    "  movups 80(%rsp), %xmm5\n"
    "  movups 96(%rsp), %xmm6\n"
    "  movups 112(%rsp), %xmm7\n"
    "  movq -56(%rbp), %rax\n"
    "  movq -48(%rbp), %r9\n"
    "  movq -40(%rbp), %r8\n"
    "  movq -32(%rbp), %rcx\n"
    "  movq -24(%rbp), %rdx\n"
    "  movq -16(%rbp), %rsi\n"
    "  movq -8(%rbp), %rdi\n"
    "  leave\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  jmp *%r11\n"
    "  .cfi_endproc\n"
    ".size prof_find_and_go_on, .-prof_find_and_go_on\n"
    ".popsection\n");

// Calls rt_sigreturn. Debuggers recognize a signal frame by exactly these bytes.
asm(".pushsection .text\n"
    ".hidden prof_return_from_signal\n"
    ".globl prof_return_from_signal\n"
    ".type prof_return_from_signal, @function\n"
    "prof_return_from_signal:\n"
    "  movq $15, %rax\n"
    "  syscall\n"
    ".size prof_return_from_signal, .-prof_return_from_signal\n"
    ".popsection\n");

namespace prof::core {

namespace {

// Offsets in glibc's thread control block.
enum Offset : std::uintptr_t { kBlock = 0, kDtv = 8, kSelf = 16 };

template <Offset kOffset>
std::uintptr_t word_of_block() {
  std::uintptr_t word;
  asm volatile("mov %%fs:%c1, %0" : "=r"(word) : "i"(kOffset));
  return word;
}

// Returns the thread pointer, or the control block's pointer to itself if the thread pointer cannot
// be read.
std::uintptr_t thread_pointer() {
  std::uintptr_t pointer = 0;
  if (g_process.has_rdfsbase)
    asm volatile("rdfsbase %0" : "=r"(pointer));
  else if (g_process.sandboxed.load(std::memory_order_relaxed) ||
           sys::call(SYS_arch_prctl, ARCH_GET_FS, sys::pointer(&pointer)) != 0)
    pointer = word_of_block<kBlock>();
  return pointer;
}

}  // namespace

[[gnu::cold, gnu::noinline]] bool has_libc_pointer() {
  const std::uintptr_t pointer = thread_pointer();
  return pointer != 0 && word_of_block<kBlock>() == pointer && word_of_block<kSelf>() == pointer &&
         word_of_block<kDtv>() != 0;
}

// Finds out whether the thread pointer may be read without a system call.
void prepare_pointer_check() {
  constexpr unsigned long kHasFsGsBase = 2;  // HWCAP2_FSGSBASE
  g_process.has_rdfsbase = (getauxval(AT_HWCAP2) & kHasFsGsBase) != 0;
}

}  // namespace prof::core
