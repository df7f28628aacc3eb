#include "collector/ingest/calls/short_calls.hpp"

#include <algorithm>

namespace prof::ingest {

namespace {

// Larger numbers are damage: no session is that long.
constexpr std::int64_t kMaximum = std::int64_t{1} << 56;

}  // namespace

void ShortCalls::add(std::int64_t global_tid, const wire::ShortCallsRecord& record) {
  if (std::max(record.calls, record.time) > static_cast<std::uint64_t>(kMaximum)) return;
  const std::int64_t first = clock_.to_ns(record.first);
  if (window_length_ >= 0 && (first > window_length_ || clock_.to_ns(record.last) < 0)) return;
  std::int64_t time = 0;
  if (__builtin_sub_overflow(clock_.to_ns(record.first + record.time), first, &time) || time < 0)
    return;
  Sum& sum = sums_[{global_tid, functions_.id_of(record.header.aux)}];
  sum.calls = std::min(sum.calls + static_cast<std::int64_t>(record.calls), kMaximum);
  sum.time = std::min(sum.time + std::min(time, kMaximum), kMaximum);
}

void ShortCalls::add_unrecorded(std::int64_t global_tid, std::uint32_t function,
                                std::int64_t calls) {
  const auto found = sums_.find({global_tid, functions_.id_of(function)});
  if (found == sums_.end() || found->second.calls == 0) return;
  Sum& sum = found->second;
  const double mean = static_cast<double>(sum.time) / static_cast<double>(sum.calls);
  sum.calls = std::min(sum.calls + calls, kMaximum);
  sum.time =
      std::min(sum.time + static_cast<std::int64_t>(mean * static_cast<double>(calls)), kMaximum);
}

void ShortCalls::finish() {
  for (const auto& [key, sum] : sums_)
    writer_.add("PROF_SHORT_CALLS",
                {key.first, static_cast<std::int64_t>(key.second), sum.calls, sum.time});
}

}  // namespace prof::ingest
