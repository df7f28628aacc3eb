// Describes the tracks of a Perfetto trace: processes, threads, GPUs and what belongs to them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/formats/perfetto/packets.hpp"
#include "exporters/formats/trace/trace_names.hpp"

namespace prof::formats {

// Describes a track when it is first asked for.
class PerfettoTracks {
 public:
  PerfettoTracks(PacketStream& stream, const TraceNames& names)
      : stream_(stream), names_(names), sequence_(stream.new_sequence()) {}

  std::uint64_t process(std::int64_t global_id);
  std::uint64_t thread(std::int64_t global_tid);
  // Returns the track of a GPU stream's work.
  std::uint64_t gpu_stream(const GpuStream& stream);
  std::uint64_t gpu(std::int64_t gpu);

  // Returns a row without events that has other rows below it. A `parent` of 0 stands for no
  // parent.
  std::uint64_t group(std::uint64_t parent, std::string_view name, std::int32_t rank);
  // Returns a row below `parent`. Rows are sorted by `rank`. Lanes of one row have the same key.
  std::uint64_t row(std::uint64_t parent, std::string_view name, std::int32_t rank,
                    std::string_view key);
  std::uint64_t counter(std::uint64_t parent, std::string_view name, std::string_view unit);

 private:
  void add(const std::string& descriptor);

  PacketStream& stream_;
  const TraceNames& names_;
  std::uint32_t sequence_;
  std::unordered_map<std::int64_t, std::uint64_t> processes_;
  std::unordered_map<std::int64_t, std::uint64_t> threads_;
  std::unordered_map<std::int64_t, std::uint64_t> gpus_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint64_t> contexts_;
  std::map<GpuStream, std::uint64_t> streams_;
};

}  // namespace prof::formats
