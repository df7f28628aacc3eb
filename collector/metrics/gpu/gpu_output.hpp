// The sampling process's end of the pipe. Any thread may write.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "collector/metrics/gpu/gpu_messages.hpp"
#include "collector/spool/notes.hpp"

namespace prof::metrics {

class GpuOutput {
 public:
  explicit GpuOutput(int fd) : fd_(fd) {}

  // Defines a group and returns its number.
  std::uint32_t define(const spool::MetricSourceNote& group);
  void samples(std::uint32_t group, std::span<const std::byte> bytes);
  void remark(spool::Severity severity, std::string_view text);
  void ready() { write(MessageKind::kReady, 0, {}); }
  void refuse(std::string_view why) { write_text(MessageKind::kRefused, 0, why); }

 private:
  void write(MessageKind kind, std::uint32_t number, std::span<const std::byte> payload);
  void write_text(MessageKind kind, std::uint32_t number, std::string_view text);

  const int fd_;
  std::mutex mutex_;
  std::uint32_t groups_ = 0;
  bool closed_ = false;
};

}  // namespace prof::metrics
