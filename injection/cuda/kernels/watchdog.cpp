#include "injection/cuda/kernels/watchdog.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/wire/kernel_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/join/session_files.hpp"
#include "injection/core/own_thread.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/kernels/batch.hpp"

namespace prof::cuda::kernels {

namespace {

constexpr std::uint64_t kLimitNs = 7'000'000'000;
constexpr long kPauseNs = 200'000'000;
constexpr char kThreadName[] = "prof-kernels";

// The launch that is watched: its start, ns; 0: none. The name is written before it.
std::atomic<std::uint64_t> g_since;
char g_name[512];

// Sends a line to the user, who may have to end the program.
void print_now(const char* line, std::size_t length) {
  const core::SessionPath path(wire::kKernelHangName);
  const int file = core::sys::open(path.text, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return;
  core::sys::write(file, line, length);
  core::sys::close(file);
}

void report_hang() {
  constexpr char kBefore[] = "The kernel ";
  constexpr char kAfter[] =
      " has not ended for 7 s while prof kernel profiles it. A kernel that waits for another one "
      "cannot run alone: leave it out with -k, or end the program.";
  char text[sizeof kBefore + sizeof g_name + sizeof kAfter];
  std::size_t length = sizeof kBefore - 1;
  std::memcpy(text, kBefore, length);
  const std::size_t name = std::strlen(g_name);
  std::memcpy(text + length, g_name, name);
  length += name;
  std::memcpy(text + length, kAfter, sizeof kAfter - 1);
  length += sizeof kAfter - 1;
  core::report_each(wire::DiagnosticCode::kRemark, core::intern(text, length));
  text[length] = '\n';  // in place of the NUL byte
  print_now(text, length + 1);
}

void* watch(void* name) {
  core::begin_own_thread(name);
  std::uint64_t reported = 0;
  while (!core::g_process.sandboxed.load(std::memory_order_relaxed)) {
    core::sys::sleep_ns(kPauseNs);
    close_old_batch();
    const std::uint64_t since = g_since.load(std::memory_order_acquire);
    if (since == 0 || since == reported || core::monotonic_raw() - since < kLimitNs) continue;
    reported = since;
    report_hang();
  }
  return nullptr;
}

}  // namespace

void watch_launch(const char* name) {
  if (name == nullptr) return g_since.store(0, std::memory_order_release);
  static bool is_started;
  if (!is_started) is_started = core::start_own_thread(watch, kThreadName);
  const std::size_t length = std::strlen(name);
  const std::size_t kept = length < sizeof g_name ? length : sizeof g_name - 1;
  std::memcpy(g_name, name, kept);
  g_name[kept] = '\0';
  g_since.store(core::monotonic_raw(), std::memory_order_release);
}

}  // namespace prof::cuda::kernels
