#include "injection/core/record/stack_copy.hpp"

#include <errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/wire/stack_records.hpp"
#include "injection/core/machine/machine.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMaxPages = wire::kMaxStackBytes / kPage + 1;
static_assert(kMaxPages * sizeof(iovec) <= kPage);

std::atomic<bool> g_refused;     // send_stack() has given up
std::atomic<long> g_copy_error;  // the kernel's refusal; copy_stack() does not try again

// Limits `bytes` to the end of the stack if that is cheap to find: a thread's stack ends at its
// thread control block. This only avoids copying useless bytes.
std::uint32_t cut_at_stack_end(std::uintptr_t stack, std::uint32_t bytes) {
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  for (const std::uintptr_t end : {g_process.main_stack_end, thread})
    if (end > stack && end - stack < bytes) bytes = static_cast<std::uint32_t>(end - stack);
  return bytes & ~(wire::kRecordAlignment - 1);
}

// Copies up to the first page that cannot be read. Returns a negative errno if that is the first
// page. Names the process by this thread's id, because the main thread may have ended. The thread's
// own stack may be nearly full, so a long list of pages is in `to`, which the kernel writes only
// after it has read the list.
long copy(std::uintptr_t from, std::uint32_t bytes, void* to) {
  iovec few[2];
  iovec* const pages = bytes <= kPage ? few : static_cast<iovec*>(to);
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

// True if everything from `stack` to the end that cut_at_stack_end() found is part of this thread's
// stack. The kernel keeps other mappings away from the main thread's stack. Another thread's stack
// has at least 16 KiB, with the control block at its end. The main thread's control block lies
// elsewhere.
bool is_certainly_mapped(std::uintptr_t stack) {
  constexpr std::uintptr_t kMainStack = std::uintptr_t{8} << 20;
  constexpr std::uintptr_t kThreadStack = std::uintptr_t{16} << 10;
  if (g_process.main_stack_end > stack && g_process.main_stack_end - stack <= kMainStack)
    return true;
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return static_cast<int>(t_state.tid) != identity().pid && thread > stack &&
         thread - stack <= kThreadStack;
}

void send_skipped(std::uint64_t start, std::uint8_t flags) {
  append(wire::StackNodeRecord{
      header_of<wire::StackNodeRecord>(wire::RecordType::kStackNode, 0, flags), start});
}

}  // namespace

long copy_stack(std::uintptr_t stack, std::uint32_t limit, void* to) {
  const std::uint32_t bytes = cut_at_stack_end(stack, limit);
  long copied = g_copy_error.load(std::memory_order_relaxed);
  if (copied == 0) copied = copy(stack, bytes, to);
  if (copied != -EPERM && copied != -EACCES && copied != -ENOSYS)
    return copied < 0 ? copied : copied & ~static_cast<long>(wire::kRecordAlignment - 1);
  g_copy_error.store(copied, std::memory_order_relaxed);
  if (!is_certainly_mapped(stack)) return copied;
  std::memcpy(to, reinterpret_cast<const void*>(stack), bytes);
  return bytes;
}

void set_main_stack_end(const void* arguments) {
  g_process.main_stack_end = reinterpret_cast<std::uintptr_t>(arguments);
}

[[gnu::noinline]] void send_stack(std::uint64_t start, std::uint32_t limit, std::uint8_t flags) {
  // A seccomp filter may kill the process for the system call.
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return;
  if (g_refused.load(std::memory_order_relaxed)) return;
  const std::uint32_t most =
      cut_at_stack_end(machine::stack_pointer(), std::min(limit, wire::kMaxStackBytes));
  constexpr auto kHead = static_cast<std::uint32_t>(sizeof(wire::StackRecord));
  if (!leaves_room(kHead + most)) return send_skipped(start, flags);
  std::byte* const place = begin_record(kHead + most);
  if (place == nullptr) return;
  // The record is composed in the chunk, because this thread's stack may be nearly full.
  auto* const record = reinterpret_cast<wire::StackRecord*>(place);
  machine::take_registers(record->registers);
  const long copied = copy(record->registers.stack(), most, place + kHead);
  if (copied < 0) {
    end_record(0);
    if (!g_refused.exchange(true, std::memory_order_relaxed))
      report(wire::DiagnosticCode::kStackRefused, static_cast<std::uint64_t>(-copied));
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(copied) & ~(wire::kRecordAlignment - 1);
  record->start = start;
  record->header = {static_cast<std::uint16_t>(kHead + bytes), wire::RecordType::kStack, flags,
                    bytes};
  end_record(kHead + bytes);
}

}  // namespace prof::core
