#include "collector/metrics/gpu/helper_output.hpp"

#include <errno.h>
#include <unistd.h>

namespace prof::metrics {

namespace {

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void HelperOutput::write(MessageKind kind, std::uint32_t number,
                         std::span<const std::byte> payload) {
  const MessageHeader header{kind, number, payload.size()};
  const std::lock_guard lock(mutex_);
  closed_ =
      closed_ || !write_all(fd_, std::as_bytes(std::span(&header, 1))) || !write_all(fd_, payload);
}

void HelperOutput::write_text(MessageKind kind, std::uint32_t number, std::string_view text) {
  write(kind, number, std::as_bytes(std::span(text)));
}

std::uint32_t HelperOutput::define(const spool::MetricSourceNote& group) {
  const std::uint32_t number = ++groups_;
  write_text(MessageKind::kGroup, number, spool::NoteJson<spool::MetricSourceNote>::text(group));
  return number;
}

void HelperOutput::samples(std::uint32_t group, std::span<const std::byte> bytes) {
  if (!bytes.empty()) write(MessageKind::kSamples, group, bytes);
}

void HelperOutput::remark(spool::Severity severity, std::string_view text) {
  write_text(MessageKind::kRemark, static_cast<std::uint32_t>(severity), text);
}

}  // namespace prof::metrics
