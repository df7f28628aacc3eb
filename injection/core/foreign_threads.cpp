#include "injection/core/foreign_threads.hpp"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include <atomic>

#include "injection/core/quiet_call.hpp"
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

namespace prof::core {

namespace {

constexpr std::uint32_t kOneChild = kForeignThreads & -kForeignThreads;
static_assert(kOneChild > wire::library_feature(wire::kLibraries - 1));

// Of glibc's thread control block.
enum Offset : std::uintptr_t { kBlock = 0, kDtv = 8, kSelf = 16 };

template <Offset kOffset>
std::uintptr_t word_of_block() {
  std::uintptr_t word;
  asm volatile("mov %%fs:%c1, %0" : "=r"(word) : "i"(kOffset));
  return word;
}

// Returns what the control block says if the thread pointer itself cannot be read.
std::uintptr_t thread_pointer() {
  std::uintptr_t pointer = 0;
  if (g_process.has_rdfsbase)
    asm volatile("rdfsbase %0" : "=r"(pointer));
  else if (g_process.sandboxed.load(std::memory_order_relaxed) ||
           sys::call(SYS_arch_prctl, ARCH_GET_FS, sys::pointer(&pointer)) != 0)
    pointer = word_of_block<kBlock>();
  return pointer;
}

std::uint32_t features_of(std::uint32_t asked, std::uint32_t foreign) {
  return foreign == 0 ? asked : (asked & ~wire::kFeatureOsrt) | foreign;
}

template <class Change>
void change_features(Change change) {
  const std::atomic_ref<std::uint32_t> features(g_process.features);
  std::uint32_t word = features.load(std::memory_order_relaxed);
  while (!features.compare_exchange_weak(word, change(word), std::memory_order_relaxed)) {
  }
}

template <class Change>
void change_foreign(Change change) {
  change_features([&](std::uint32_t word) {
    return features_of(g_process.config.features, change(word & kForeignThreads));
  });
}

}  // namespace

[[gnu::cold, gnu::noinline]] bool has_libc_pointer() {
  const std::uintptr_t pointer = thread_pointer();
  return pointer != 0 && word_of_block<kBlock>() == pointer && word_of_block<kSelf>() == pointer &&
         word_of_block<kDtv>() != 0;
}

void begin_foreign_child() {
  change_foreign([](std::uint32_t foreign) {
    return foreign == kForeignThreads ? foreign : foreign + kOneChild;
  });
}

void end_foreign_child() {
  change_foreign([](std::uint32_t foreign) {
    return foreign == kForeignThreads ? foreign : foreign - kOneChild;
  });
}

void expect_foreign_threads() {
  change_foreign([](std::uint32_t) { return kForeignThreads; });
}

void set_features(std::uint32_t asked) {
  asked &= ~kForeignThreads;
  change_features([&](std::uint32_t word) { return features_of(asked, word & kForeignThreads); });
}

void set_up(ThreadState& thread) {
  if (thread.self == &thread) return;
  if (thread.self != nullptr) thread = ThreadState{};
  thread.self = &thread;
  if (thread.writing != kWriting) thread.writing = kIdle;
  if (thread.calls != kMuted) thread.calls = kRecorded;
}

[[gnu::cold, gnu::noinline]] bool is_muted() {
  if (!has_libc_pointer()) return true;
  set_up(t_state);
  return t_state.calls == kMuted;
}

[[gnu::cold, gnu::noinline]] bool find_whether_recorded() {
  return ((g_process.features | g_process.config.features) & wire::kFeatureOsrt) != 0 &&
         !is_muted();
}

void find_rdfsbase() {
  constexpr unsigned long kHasFsGsBase = 2;  // HWCAP2_FSGSBASE
  g_process.has_rdfsbase = (getauxval(AT_HWCAP2) & kHasFsGsBase) != 0;
}

}  // namespace prof::core
