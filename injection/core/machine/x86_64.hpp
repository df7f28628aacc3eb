#pragma once

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <x86intrin.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/sample_records.hpp"

// The version of the oldest symbols in glibc for this processor, and whether glibc keeps code that
// is older than 2.17.
#define PROF_FIRST_GLIBC "GLIBC_2.2.5"
#define PROF_FIRST_QUICK_EXIT "GLIBC_2.10"
#define PROF_HAS_OLD_GLIBC_CODE 1

// Begins the function `symbol` of a wrapper. Jumps to label 3 if the wrapper's slot says that there
// is nothing to wrap, or nothing yet. Changes no argument, so functions with any parameters work.
#define PROF_ENTRY_BEGINS(symbol)      \
  ".pushsection .text.gate." #symbol   \
  ", \"ax\", @progbits\n"              \
  ".globl " #symbol "\n.type " #symbol \
  ", @function\n"                      \
  ".balign 16\n" #symbol               \
  ":\n0:\n"                            \
  "  .cfi_startproc\n"                 \
  "  cmpq $0, prof_real_" #symbol      \
  "(%rip)\n"                           \
  "  jle 3f\n"
#define PROF_ENTRY_ENDS(symbol)   \
  "3:\n"                          \
  "  leaq prof_real_" #symbol     \
  "(%rip), %r11\n"                \
  "  leaq 0b(%rip), %r10\n"       \
  "  jmp prof_find_and_go_on\n"   \
  "  .cfi_endproc\n"              \
  ".size " #symbol ", .-" #symbol \
  "\n"                            \
  ".popsection\n"

// An entry that continues with prof_wrap_<symbol>.
#define PROF_ENTRY(symbol) \
  asm(PROF_ENTRY_BEGINS(symbol) "  jmp prof_wrap_" #symbol "\n" PROF_ENTRY_ENDS(symbol));

// Begins the function `symbol` of a wrapper: jumps to the real function if the word that `gate`
// points to is kLeaves, else continues. It is in assembler, because a compiler would first save
// registers that only the rest of the wrapper needs.
#define PROF_GATE_BEGINS(symbol, gate) \
  PROF_ENTRY_BEGINS(symbol)            \
  "  movq " #gate                      \
  "(%rip), %r11\n"                     \
  "  cmpl $1, (%r11)\n"
#define PROF_GATE_ENDS(symbol) \
  "1:\n"                       \
  "  jmp *prof_real_" #symbol "(%rip)\n" PROF_ENTRY_ENDS(symbol)

// A gate that continues with prof_awake_<symbol>.
#define PROF_GATE(symbol, gate) \
  asm(PROF_GATE_BEGINS(symbol, gate) "  jne prof_awake_" #symbol "\n" PROF_GATE_ENDS(symbol));

// A gate that, if its word is kCounts, first takes 1 from the thread's countdown for the function,
// and jumps to the real function if the countdown was not below 1. The names are those of
// PROF_COUNTDOWN_CONSTANTS. A call that is left out takes only the last jump: two more cost up to
// 10 ns, with some addresses.
#define PROF_COUNTING_GATE(symbol, gate) \
  asm(PROF_GATE_BEGINS(symbol, gate)                                   \
      "  je 1f\n"                                                      \
      "  jb prof_awake_" #symbol                                       \
      "\n"                                                             \
      "  movq _ZN4prof4core7t_stateE@gottpoff(%rip), %r11\n"           \
      "  cmpl $prof_recorded_" #symbol ", %fs:prof_calls_at_" #symbol "(%r11)\n"               \
      "  jne prof_awake_" #symbol                                      \
      "\n"                                                             \
      "  movq %fs:prof_countdowns_at_" #symbol "(%r11), %r11\n"                    \
      "  testq %r11, %r11\n"                                           \
      "  jz prof_awake_" #symbol                                       \
      "\n"                                                             \
      "  subw $1, prof_countdown_ends_" #symbol                          \
      "-4(%r11)\n"                                                       \
      "  js prof_awake_" #symbol "\n" PROF_GATE_ENDS(symbol));

namespace prof::core::machine {

// Returns the version of a symbol that a caller asks for. Null is the default version.
inline const char* version_here(const char* version) { return version; }

// The folder of libraries on Debian and Ubuntu.
inline constexpr char kSystemLibraries[] = "/usr/lib/x86_64-linux-gnu";

// The largest page of memory.
inline constexpr std::size_t kMaxPageBytes = 4096;
inline std::uintptr_t page_bytes() { return kMaxPageBytes; }

// The system calls that make a child process or a thread, without clone3, and the one that moves
// the thread pointer, with its first argument.
inline constexpr long kFirstOfChildren = SYS_clone, kLastOfChildren = SYS_vfork;
inline constexpr long kOfThreadPointer = SYS_arch_prctl, kSetThreadPointer = ARCH_SET_FS;
inline constexpr bool kCloneTakesTlsFirst = false;  // its last arguments are the child's id and TLS

inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline std::uintptr_t stack_pointer() {
  std::uintptr_t value;
  asm("mov %%rsp, %0" : "=r"(value));
  return value;
}

// Calls the function to which %rax points. It has no C++ interface.
extern "C" void prof_call_quietly();

[[gnu::always_inline]] inline bool call_quietly(bool (*function)()) {
  bool result;
  asm volatile("call prof_call_quietly"
               : "=a"(result)
               : "a"(function)
               : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return result;
}

// This is one instruction less than a load and a test. It acquires, as every load does.
[[gnu::always_inline]] inline bool is_set(const std::atomic<std::uint32_t>& word) {
  bool is;
  asm volatile("cmpl $0, %1" : "=@ccnz"(is) : "m"(word));
  return is;
}

// Each is one instruction, so that nothing is lost if a signal handler adds in between.
[[gnu::always_inline]] inline void increment(std::uint64_t& word) {
  asm("incq %0" : "+m"(word) : : "cc");
}
[[gnu::always_inline]] inline void add(std::uint64_t& word, std::uint64_t value) {
  asm("addq %1, %0" : "+m"(word) : "r"(value) : "cc");
}

// Reads the registers at this instruction. The unwinder continues from here with the call frame
// information of this library.
[[gnu::always_inline]] inline void take_registers(wire::StackRegisters& registers) {
  asm volatile(
      "lea 0f(%%rip), %%rax\n\t"
      "0: mov %%rax, 0(%0)\n\t"
      "mov %%rsp, 8(%0)\n\t"
      "mov %%rbp, 16(%0)\n\t"
      "mov %%rbx, 24(%0)\n\t"
      "mov %%r12, 32(%0)\n\t"
      "mov %%r13, 40(%0)\n\t"
      "mov %%r14, 48(%0)\n\t"
      "mov %%r15, 56(%0)\n\t"
      :
      : "r"(&registers)
      : "rax", "memory");
}

// Reads the registers of interrupted code.
inline void take_registers(const ucontext_t& context, wire::CpuSampleRecord& record) {
  constexpr int kInOrder[wire::kSampledRegisters] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
      REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (std::size_t i = 0; i < wire::kSampledRegisters; ++i)
    record.registers[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kInOrder[i]]);
}

// Linux stores the CPU beside the time, with the node in the upper bits. Valid only where
// read_ticks() works.
inline constexpr bool kTicksHaveCpu = true;
inline std::uint32_t cpu_of_ticks() {
  unsigned cpu = 0;
  __rdtscp(&cpu);
  return cpu;
}

// Waits briefly between two reads of a word that another thread changes.
inline void pause() { __builtin_ia32_pause(); }

// The flag for the restorer, to which the kernel returns from a signal handler.
inline constexpr unsigned long kHasRestorer = 0x04000000;
extern "C" void prof_return_from_signal() __attribute__((visibility("hidden")));
inline void (*const kReturnFromSignal)() = prof_return_from_signal;

// The size of a signal's frame if the kernel does not report it: with AVX-512.
inline constexpr std::uint64_t kSignalFrameBytes = 4096;

}  // namespace prof::core::machine
