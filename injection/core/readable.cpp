#include "injection/core/readable.hpp"

#include <cstring>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

// Uses a system call that reads the signal set before it rejects its first argument. No other
// system call that sandboxes permit reads memory and changes nothing.
bool kernel_can_read(std::uintptr_t address) {
  constexpr long kNoSuchOperation = 12345;
  constexpr long kFault = -14;  // EFAULT
  constexpr std::uintptr_t kAlignment = 8;
  return sys::call(SYS_rt_sigprocmask, kNoSuchOperation,
                   static_cast<long>(address & ~(kAlignment - 1)), 0, 8) != kFault;
}

Reader::Reader() : asks_kernel_(!g_process.sandboxed.load(std::memory_order_relaxed)) {}

bool Reader::is_readable_page(std::uintptr_t address) {
  const std::uintptr_t page = address / kCheckedPageBytes;
  std::uintptr_t& known = known_[page % kPages];
  if (known == page) return true;
  if (asks_kernel_ && !kernel_can_read(address)) return false;
  known = page;
  return true;
}

bool Reader::can_read(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (!is_user_memory(begin, size)) return false;
  for (std::uintptr_t at = begin; at < begin + size;
       at = (at / kCheckedPageBytes + 1) * kCheckedPageBytes)
    if (!is_readable_page(at)) return false;
  return true;
}

bool Reader::can_read_text(const char* text) {
  for (;;) {
    const auto at = reinterpret_cast<std::uintptr_t>(text);
    const std::size_t rest = kCheckedPageBytes - at % kCheckedPageBytes;
    if (!can_read(text, rest)) return false;
    if (strnlen(text, rest) < rest) return true;
    text += rest;
  }
}

}  // namespace prof::core
