#include "collector/session/kernel/system_call_source.hpp"

namespace prof::session {

SystemCallSource::SystemCallSource(const SessionContext& session, pid_t target)
    : recorder_(session.recorder) {
  if (!session.options.trace_system_calls) return;
  auto calls = sampler::SystemCalls::open(target);
  if (!calls) {
    recorder_.warn("System calls are not traced: " + calls.error().message);
    return;
  }
  calls_ = std::move(*calls);
  for (const int descriptor : calls_->descriptors()) session.loop.watch_edges(descriptor);
}

void SystemCallSource::drain() {
  if (!calls_) return;
  calls_->drain([this](std::uint32_t cpu, std::span<const std::byte> records) {
    recorder_.kernel_records({cpu, spool::KernelSource::kSystemCalls}, records);
  });
}

void SystemCallSource::finish() {
  if (!calls_) return;
  drain();
  // The kernel writes a LOST record only if another record follows, so its counters are read here.
  if (const std::uint64_t lost = calls_->lost(); lost > 0)
    recorder_.note(spool::KernelLostNote{spool::KernelSource::kSystemCalls, lost});
  if (const std::uint64_t bytes = calls_->corrupt_bytes(); bytes > 0)
    recorder_.diagnostic(
        spool::Severity::kError,
        std::to_string(bytes) + " bytes of the kernel's records of system calls were damaged.");
}

}  // namespace prof::session
