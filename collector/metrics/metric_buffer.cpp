#include "collector/metrics/metric_buffer.hpp"

#include <unistd.h>

#include "common/base/raw_time.hpp"

namespace prof::metrics {

std::uint64_t now() { return base::raw_time(); }

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

std::vector<std::byte>& MetricBuffer::bytes_of(std::uint32_t group, std::uint32_t values) {
  for (Piece& piece : content_.pieces)
    if (piece.header.source == group) return piece.bytes;
  return content_.pieces.emplace_back(Piece{{group, values}, {}}).bytes;
}

void MetricBuffer::add(std::uint32_t group, std::uint64_t time,
                       std::span<const spool::MetricValue> values, std::uint64_t missing) {
  const std::lock_guard lock(mutex_);
  auto& bytes = bytes_of(group, static_cast<std::uint32_t>(values.size()));
  const spool::MetricSample sample{time, missing};
  for (const auto part :
       {std::as_bytes(std::span(&sample, 1)), std::span<const std::byte>(std::as_bytes(values))})
    bytes.insert(bytes.end(), part.begin(), part.end());
}

void MetricBuffer::add_samples(std::uint32_t group, std::uint32_t values,
                               std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  auto& all = bytes_of(group, values);
  all.insert(all.end(), bytes.begin(), bytes.end());
}

void MetricBuffer::remark(spool::Severity severity, std::string text) {
  const std::lock_guard lock(mutex_);
  content_.remarks.push_back({severity, std::move(text)});
}

void MetricBuffer::fact(spool::SystemFact fact) {
  const std::lock_guard lock(mutex_);
  content_.facts.push_back(std::move(fact));
}

MetricBuffer::Content MetricBuffer::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(content_, {});
}

}  // namespace prof::metrics
