#include "injection/core/record/stack_copy.hpp"

#include <errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/wire/stack_records.hpp"

namespace prof::core {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMostPages = wire::kMostStackBytes / kPage + 1;

std::atomic<bool> g_refused;
std::atomic<long> g_copy_error;  // of the kernel that refuses; copy_stack() does not ask again

// Here and now. The unwinder goes on from this instruction by our own call frame information.
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

// A thread's stack ends where its thread control block is, and the static TLS below it: as far as
// that can be told cheaply. Only for not copying what is of no use.
std::uint32_t without_what_lies_above(std::uintptr_t stack, std::uint32_t bytes) {
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  for (const std::uintptr_t end : {g_process.main_stack_end, thread})
    if (end > stack && end - stack < bytes) bytes = static_cast<std::uint32_t>(end - stack);
  return bytes & ~(wire::kRecordAlignment - 1);
}

// Up to the first page that cannot be read; a negative errno if that is the first of all. The
// thread by its own number: the one that the process is named after may have ended.
long copy(std::uintptr_t from, std::uint32_t bytes, void* to) {
  iovec pages[kMostPages];
  std::size_t count = 0;
  for (std::uintptr_t at = from; at < from + bytes; ++count) {
    const std::uintptr_t end = std::min(from + bytes, (at | (kPage - 1)) + 1);
    pages[count] = {reinterpret_cast<void*>(at), end - at};
    at = end;
  }
  const iovec target{to, bytes};
  return sys::call(SYS_process_vm_readv, static_cast<long>(t_state.tid), sys::pointer(&target), 1,
                   sys::pointer(pages), static_cast<long>(count), 0);
}

// Is all from here to the end that without_what_lies_above() found the thread's own stack? The
// kernel keeps other mappings away from the main thread's; a thread's is of 16 KiB at least, and
// its control block at the end of it. The main thread's control block lies elsewhere.
bool is_surely_mapped(std::uintptr_t stack) {
  constexpr std::uintptr_t kMainStack = std::uintptr_t{8} << 20;
  constexpr std::uintptr_t kThreadStack = std::uintptr_t{16} << 10;
  if (g_process.main_stack_end > stack && g_process.main_stack_end - stack <= kMainStack)
    return true;
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return static_cast<int>(t_state.tid) != g_process.pid && thread > stack &&
         thread - stack <= kThreadStack;
}

void send_skipped(std::uint64_t start, std::uint8_t flags) {
  append(wire::StackNodeRecord{
      header_of<wire::StackNodeRecord>(wire::RecordType::kStackNode, 0, flags), start});
}

}  // namespace

long copy_stack(std::uintptr_t stack, std::uint32_t limit, void* to) {
  const std::uint32_t bytes = without_what_lies_above(stack, limit);
  long copied = g_copy_error.load(std::memory_order_relaxed);
  if (copied == 0) copied = copy(stack, bytes, to);
  if (copied != -EPERM && copied != -EACCES && copied != -ENOSYS)
    return copied < 0 ? copied : copied & ~static_cast<long>(wire::kRecordAlignment - 1);
  g_copy_error.store(copied, std::memory_order_relaxed);
  if (!is_surely_mapped(stack)) return copied;
  std::memcpy(to, reinterpret_cast<const void*>(stack), bytes);
  return bytes;
}

void set_main_stack_end(const void* arguments) {
  g_process.main_stack_end = reinterpret_cast<std::uintptr_t>(arguments);
}

[[gnu::noinline]] void send_stack(std::uint64_t start, std::uint32_t limit, std::uint8_t flags) {
  // A sandbox may kill us for the system call.
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return;
  if (g_refused.load(std::memory_order_relaxed)) return;
  wire::StackRecord record;
  take_registers(record.registers);
  const std::uint32_t most =
      without_what_lies_above(record.registers.rsp, std::min(limit, wire::kMostStackBytes));
  const auto size = static_cast<std::uint32_t>(sizeof record) + most;
  if (!leaves_room(size)) return send_skipped(start, flags);
  std::byte* place = begin_record(size);
  if (place == nullptr) return;
  const long copied = copy(record.registers.rsp, most, place + sizeof record);
  if (copied < 0) {
    end_record(0);
    if (!g_refused.exchange(true, std::memory_order_relaxed))
      report(wire::DiagnosticCode::kStackRefused, static_cast<std::uint64_t>(-copied));
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(copied) & ~(wire::kRecordAlignment - 1);
  record.header = {static_cast<std::uint16_t>(sizeof record + bytes), wire::RecordType::kStack,
                   flags, bytes};
  record.start = start;
  std::memcpy(place, &record, sizeof record);
  end_record(static_cast<std::uint32_t>(sizeof record) + bytes);
}

}  // namespace prof::core
