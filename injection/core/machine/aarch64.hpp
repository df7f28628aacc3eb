#pragma once

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/sample_records.hpp"

// The version of the oldest symbols: glibc for aarch64 begins with 2.17, and all older symbols have
// this version there.
#define PROF_FIRST_GLIBC "GLIBC_2.17"
#define PROF_FIRST_QUICK_EXIT PROF_FIRST_GLIBC
#define PROF_HAS_OLD_GLIBC_CODE 0

// Begins the function `symbol` of a wrapper. Jumps to label 4 if the wrapper's slot says that there
// is nothing to wrap, or nothing yet. Changes no argument, so functions with any parameters work.
#define PROF_ENTRY_BEGINS(symbol)             \
  ".pushsection .text.gate." #symbol          \
  ", \"ax\", %progbits\n"                     \
  ".globl " #symbol "\n.type " #symbol        \
  ", %function\n"                             \
  ".balign 16\n" #symbol                      \
  ":\n0:\n"                                   \
  "  .cfi_startproc\n"                        \
  "  adrp x17, prof_real_" #symbol            \
  "\n"                                        \
  "  ldr x16, [x17, :lo12:prof_real_" #symbol \
  "]\n"                                       \
  "  cmp x16, #0\n"                           \
  "  b.le 4f\n"
#define PROF_ENTRY_ENDS(symbol)              \
  "4:\n"                                     \
  "  add x16, x17, :lo12:prof_real_" #symbol \
  "\n"                                       \
  "  adr x17, 0b\n"                          \
  "  b prof_find_and_go_on\n"                \
  "  .ltorg\n"                               \
  "  .cfi_endproc\n"                         \
  ".size " #symbol ", .-" #symbol            \
  "\n"                                       \
  ".popsection\n"

// An entry that continues with prof_wrap_<symbol>.
#define PROF_ENTRY(symbol) \
  asm(PROF_ENTRY_BEGINS(symbol) "  b prof_wrap_" #symbol "\n" PROF_ENTRY_ENDS(symbol));

// Begins the function `symbol` of a wrapper: jumps to the real function if the word that `gate`
// points to is kLeaves, else continues. Acquires, as is_set() does.
#define PROF_GATE_BEGINS(symbol, gate)                   \
  PROF_ENTRY_BEGINS(symbol)                              \
  "  adrp x16, " #gate "\n  ldr x16, [x16, :lo12:" #gate \
  "]\n"                                                  \
  "  ldar w17, [x16]\n"                                  \
  "  cmp w17, #1\n"
#define PROF_GATE_ENDS(symbol)                \
  "1:\n"                                      \
  "  adrp x17, prof_real_" #symbol            \
  "\n"                                        \
  "  ldr x16, [x17, :lo12:prof_real_" #symbol \
  "]\n"                                       \
  "  br x16\n"                                \
  "3:\n"                                      \
  "  b prof_awake_" #symbol "\n" PROF_ENTRY_ENDS(symbol)

// A gate that continues with prof_awake_<symbol>.
#define PROF_GATE(symbol, gate) \
  asm(PROF_GATE_BEGINS(symbol, gate) "  b.ne 3f\n" PROF_GATE_ENDS(symbol));

// A gate that, if its word is kCounts, first takes 1 from the thread's countdown for the function,
// and jumps to the real function if the countdown was not below 1. The names are those of
// PROF_COUNTDOWN_CONSTANTS. Uses no register of arguments.
#define PROF_COUNTING_GATE(symbol, gate) \
  asm(PROF_GATE_BEGINS(symbol, gate)                              \
      "  b.eq 1f\n"                                               \
      "  b.lo 3f\n"                                               \
      "  adrp x16, :gottprel:_ZN4prof4core7t_stateE\n"            \
      "  ldr x16, [x16, :gottprel_lo12:_ZN4prof4core7t_stateE]\n" \
      "  mrs x17, tpidr_el0\n"                                    \
      "  add x16, x16, x17\n"                                     \
      "  add x17, x16, :lo12:prof_calls_at_" #symbol "\n"                     \
      "  ldr w17, [x17]\n"                                        \
      "  ldr w15, =prof_recorded_" #symbol "\n"                               \
      "  cmp w17, w15\n"                                          \
      "  b.ne 3f\n"                                               \
      "  add x16, x16, :lo12:prof_countdowns_at_" #symbol "\n"                \
      "  ldr x16, [x16]\n"                                        \
      "  cbz x16, 3f\n"                                           \
      "  add x16, x16, :lo12:prof_countdown_ends_" #symbol          \
      "\n"                                                        \
      "  ldurh w17, [x16, #-4]\n"                                       \
      "  sub w17, w17, #1\n"                                      \
      "  sturh w17, [x16, #-4]\n"                                       \
      "  tbnz w17, #15, 3f\n" PROF_GATE_ENDS(symbol));

namespace prof::core {
// These variables are hidden, so their addresses need no load from the global offset table. Linkers
// for aarch64 do not optimise such a load.
struct ProcessState;
struct LivePage;
extern __attribute__((visibility("hidden"))) ProcessState g_process;
struct ThreadState;
extern __thread ThreadState t_state __attribute__((tls_model("initial-exec")));
extern __attribute__((visibility("hidden"))) LivePage g_live;
}  // namespace prof::core

namespace prof::core::machine {

// Returns the version of a symbol that a caller asks for, from its name on x86-64. Null is the
// default version.
constexpr const char* version_here(const char* version) {
  constexpr std::size_t kPrefix = sizeof "GLIBC_2." - 1;
  constexpr unsigned kFirst = 17;
  unsigned number = 0;
  for (const char* at = version + kPrefix; *at >= '0' && *at <= '9'; ++at)
    number = number * 10 + static_cast<unsigned>(*at - '0');
  return number < kFirst ? nullptr : version;
}
static_assert(version_here("GLIBC_2.3.2") == nullptr && version_here("GLIBC_2.34") != nullptr);

// The folder of libraries on Debian and Ubuntu.
inline constexpr char kSystemLibraries[] = "/usr/lib/aarch64-linux-gnu";

// The largest page of memory: 4, 16 or 64 KiB, as the kernel was built.
inline constexpr std::size_t kMaxPageBytes = 64 * 1024;
inline std::uintptr_t page_bytes() { return getauxval(AT_PAGESZ); }

// The system calls that make a child process or a thread, without clone3. Programs write the thread
// pointer themselves.
inline constexpr long kFirstOfChildren = SYS_clone, kLastOfChildren = SYS_clone;
inline constexpr long kOfThreadPointer = -1, kSetThreadPointer = 0;
inline constexpr bool kCloneTakesTlsFirst = true;

inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "cc", "memory");
  return x0;
}

inline std::uintptr_t stack_pointer() {
  std::uintptr_t value;
  asm("mov %0, sp" : "=r"(value));
  return value;
}

// Calls the function to which x0 points. It has no C++ interface.
extern "C" void prof_call_quietly();

// v8 to v15 are not listed: the function preserves their lower halves, and prof keeps no wider
// value across this call.
[[gnu::always_inline]] inline bool call_quietly(bool (*function)()) {
  register auto x0 asm("x0") = reinterpret_cast<std::uintptr_t>(function);
  asm volatile("bl prof_call_quietly"
               : "+r"(x0)
               :
               : "x16", "x17", "x30", "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
                 "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                 "v27", "v28", "v29", "v30", "v31");
  return (x0 & 0xff) != 0;
}

// Acquire: a thread that finds the word cleared also sees what was stored before.
[[gnu::always_inline]] inline bool is_set(const std::atomic<std::uint32_t>& word) {
  return word.load(std::memory_order_acquire) != 0;
}

// Load-exclusive and store-exclusive. If a signal handler has run in between, the store fails and
// the addition is repeated. So nothing that the handler added is lost.
[[gnu::always_inline]] inline void add(std::uint64_t& word, std::uint64_t value) {
  __atomic_fetch_add(&word, value, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline void increment(std::uint64_t& word) { add(word, 1); }

// Reads the registers at this instruction. The unwinder continues from here with the call frame
// information of this library.
[[gnu::always_inline]] inline void take_registers(wire::StackRegisters& registers) {
  std::uintptr_t scratch;
  asm volatile(
      "adr %0, 0f\n"
      "0: str %0, [%1]\n\t"
      "mov %0, sp\n\t"
      "stp %0, x29, [%1, #8]\n\t"
      "stp x30, x19, [%1, #24]\n\t"
      "stp x20, x21, [%1, #40]\n\t"
      "stp x22, x23, [%1, #56]\n\t"
      "stp x24, x25, [%1, #72]\n\t"
      "stp x26, x27, [%1, #88]\n\t"
      "str x28, [%1, #104]\n\t"
      : "=&r"(scratch)
      : "r"(&registers)
      : "memory");
}

// Reads the registers of interrupted code.
inline void take_registers(const ucontext_t& context, wire::CpuSampleRecord& record) {
  const mcontext_t& machine = context.uc_mcontext;
  for (std::size_t i = 0; i < wire::kSampledStackPointer; ++i)
    record.registers[i] = machine.regs[i];
  record.registers[wire::kSampledStackPointer] = machine.sp;
  record.registers[wire::kSampledStackPointer + 1] = machine.pc;
}

// The counter does not contain the CPU on which it was read.
inline constexpr bool kTicksHaveCpu = false;
inline std::uint32_t cpu_of_ticks() { return 0; }

// Waits briefly between two reads of a word that another thread changes.
inline void pause() { asm volatile("isb" ::: "memory"); }

// No restorer is needed for a signal handler to return: the kernel uses a function of the vDSO.
inline constexpr unsigned long kHasRestorer = 0;
inline void (*const kReturnFromSignal)() = nullptr;

// The size of a signal's frame if the kernel does not report it: with SVE registers of 256 bits.
inline constexpr std::uint64_t kSignalFrameBytes = 8192;

}  // namespace prof::core::machine
