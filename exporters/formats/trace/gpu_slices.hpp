// Reads the work of GPUs as slices.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/events/call_chains/numbering.hpp"
#include "exporters/analysis/events/nvtx/graph_captures.hpp"
#include "exporters/formats/trace/gpu_tables.hpp"
#include "exporters/formats/trace/slice_names.hpp"
#include "exporters/formats/trace/slices.hpp"
#include "exporters/formats/trace/trace_names.hpp"

namespace prof::formats {

// The parameters with which a kernel was launched.
struct KernelLaunch {
  std::array<std::int32_t, 3> grid;
  std::array<std::int32_t, 3> block;
  std::int32_t registers;      // per thread
  std::int32_t shared_memory;  // bytes, static and dynamic
  std::int32_t capture;        // of its node of a graph, in GraphCaptures
  bool operator==(const KernelLaunch&) const = default;
};

// A copy or a fill.
struct MemoryOperation {
  std::int64_t bytes;
  std::int32_t capture;  // as in KernelLaunch
  bool operator==(const MemoryOperation&) const = default;
};

// The style of the names of copies and fills.
enum class CopyNames {
  kNsys,   // "[CUDA memcpy Host-to-Device]"
  kKineto  // "Memcpy HtoD (Pinned -> Device)", as in PyTorch's traces
};

// Reads slices. A slice's row is the number of a stream, its detail is the correlation id (or
// kNoCorrelation).
class GpuSlices {
 public:
  static constexpr std::int64_t kNoCorrelation = INT64_MIN;

  GpuSlices(const report::ReportReader& reader, SliceNames& names,
            CopyNames copy_names = CopyNames::kNsys)
      : reader_(reader), names_(names), copy_names_(copy_names) {}

  // Reads where the nodes of CUDA graphs were captured, before the first visit. Only ranges of
  // launches need nothing of that.
  base::Status read_captures(events::RangeOf range_of);
  base::Status visit(const GpuTable& table, const std::function<void(const Slice&)>& visit);

  const GpuStream& stream(std::uint32_t row) const { return streams_[row]; }
  // `slice` must be a kernel.
  const KernelLaunch& launch(const Slice& slice) const { return launches_.key(slice.details); }
  // `slice` must be a copy or a fill.
  const MemoryOperation& memory_operation(const Slice& slice) const {
    return memory_operations_.key(slice.details);
  }
  // Returns the text of a capture, or null.
  const std::string* capture_text(std::int32_t capture) const {
    return capture == events::GraphCaptures::kNone ? nullptr : &captures_->text(capture);
  }

 private:
  struct Hash {
    std::uint64_t operator()(const MemoryOperation& operation) const {
      return static_cast<std::uint64_t>(operation.bytes) * 31 +
             static_cast<std::uint32_t>(operation.capture);
    }
    std::uint64_t operator()(const KernelLaunch& launch) const;
  };

  Slice slice(const events::Times& times, const report::Row& row, std::uint32_t name,
              std::uint32_t details);
  std::uint32_t kernel_launch(const report::Row& row, int first, std::int32_t capture);
  std::int32_t capture(const events::Times& times, const report::Row& row);
  std::uint32_t copy_name(const report::Row& row, int first);
  std::uint32_t fill_name(const report::Row& row, int first);
  std::uint32_t stream_number(const GpuStream& stream);

  const report::ReportReader& reader_;
  SliceNames& names_;
  CopyNames copy_names_;
  std::vector<GpuStream> streams_;
  std::map<GpuStream, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;  // number of the last stream
  events::Numbering<KernelLaunch, Hash> launches_;
  events::Numbering<MemoryOperation, Hash> memory_operations_;
  std::optional<events::GraphCaptures> captures_;  // if any are known
};

}  // namespace prof::formats
