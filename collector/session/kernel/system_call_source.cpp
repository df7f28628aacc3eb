#include "collector/session/kernel/system_call_source.hpp"

#include "collector/base/log.hpp"

namespace prof::session {

SystemCallSource::SystemCallSource(bool wanted, pid_t target, SpoolRecorder& recorder,
                                         const EventLoop& loop)
    : recorder_(recorder) {
  if (!wanted) return;
  auto calls = sampler::SystemCalls::open(target);
  if (!calls) {
    const std::string text = "System calls are not traced: " + calls.error().message;
    base::log_warning("{}", text);
    recorder_.diagnostic(2, text);
    return;
  }
  calls_ = std::move(*calls);
  for (const int descriptor : calls_->descriptors()) loop.watch_edges(descriptor);
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
  // With LOST records the kernel tells only of losses that something came after.
  if (const std::uint64_t lost = calls_->lost(); lost > 0)
    recorder_.note({{"type", "kernel_lost"}, {"records", lost}});
  if (const std::uint64_t bytes = calls_->corrupt_bytes(); bytes > 0)
    recorder_.diagnostic(
        3, std::to_string(bytes) + " bytes of the kernel's records of system calls made no sense.");
}

}  // namespace prof::session
