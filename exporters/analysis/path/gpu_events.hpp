// Recorded CUDA events and synchronizations: which streams waited for which moments of others.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/path/host_calls.hpp"

namespace prof::path {

inline constexpr std::int64_t kUnknownStream = -1;

// A stream up to a moment: all operations that were launched on it before.
struct StreamMoment {
  std::int64_t global_pid = 0;
  std::int64_t device = 0;
  std::int64_t stream = kUnknownStream;
  std::int64_t time = 0;  // ns
};

// A stream waits for a moment of another one: cudaStreamWaitEvent().
struct StreamWait {
  StreamMoment waiting;
  StreamMoment awaited;
};

struct GpuEvents {
  std::vector<StreamWait> stream_waits;
  // What synchronizing calls wait for, by call. In a synchronization with a device the stream is
  // unknown.
  std::unordered_map<std::uint32_t, StreamMoment> call_waits;

  static base::Result<GpuEvents> read(const report::ReportReader& reader, const HostCalls& calls);
};

}  // namespace prof::path
