#include "injection/nvtx/readable.hpp"

#include <atomic>

#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/readable.hpp"

namespace prof::nvtx {

namespace {

constexpr std::uintptr_t kPageBytes = core::kCheckedPageBytes;
constexpr unsigned kAgeShift = 27;  // clock units: 35 to 134 ms
constexpr std::uint64_t kAgeMask = 0xfffff;
constexpr std::size_t kPages = 256;

// The page's number << 20 | the time of its last check.
PROF_SELDOM std::atomic<std::uint64_t> g_pages[kPages];

bool is_readable_page(std::uintptr_t address, std::uint64_t time) {
  const std::uint64_t page = address / kPageBytes;
  const std::uint64_t word = page << 20 | (time >> kAgeShift & kAgeMask);
  std::atomic<std::uint64_t>& known = g_pages[page % kPages];
  if (known.load(std::memory_order_relaxed) == word) return true;
  // A sandboxed process makes no system calls for prof, so a page that is not known is not read.
  if (core::g_process.sandboxed.load(std::memory_order_relaxed)) return false;
  if (!core::kernel_can_read(address)) return false;
  known.store(word, std::memory_order_relaxed);
  return true;
}

}  // namespace

std::size_t readable_bytes(const void* address, std::size_t size, std::uint64_t time) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (!core::is_user_memory(begin, size)) return 0;
  std::uintptr_t at = begin;
  const std::uintptr_t end = begin + size;
  while (at < end && is_readable_page(at, time)) at = (at / kPageBytes + 1) * kPageBytes;
  return (at < end ? at : end) - begin;
}

}  // namespace prof::nvtx
