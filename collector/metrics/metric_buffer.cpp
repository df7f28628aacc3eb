#include "collector/metrics/metric_buffer.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace prof::metrics {

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint32_t MetricBuffer::define(spool::MetricSourceNote group) {
  const std::lock_guard lock(mutex_);
  group.id = ++groups_;
  if (group.pid == 0) {
    group.pid = getpid();
    group.tid = gettid();
  }
  content_.groups.push_back(std::move(group));
  return groups_;
}

void MetricBuffer::add(std::uint32_t group, std::uint64_t time,
                       std::span<const spool::MetricValue> values, std::uint64_t missing) {
  const std::lock_guard lock(mutex_);
  auto piece = std::ranges::find(content_.pieces, group,
                                 [](const Piece& each) { return each.header.source; });
  if (piece == content_.pieces.end())
    piece = content_.pieces.insert(piece,
                                   Piece{{group, static_cast<std::uint32_t>(values.size())}, {}});
  const spool::MetricSample sample{time, missing};
  const auto append = [&](std::span<const std::byte> bytes) {
    piece->bytes.insert(piece->bytes.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(&sample, 1)));
  append(std::as_bytes(values));
}

void MetricBuffer::remark(spool::Severity severity, std::string text) {
  const std::lock_guard lock(mutex_);
  content_.remarks.push_back({severity, std::move(text)});
}

MetricBuffer::Content MetricBuffer::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(content_, {});
}

}  // namespace prof::metrics
