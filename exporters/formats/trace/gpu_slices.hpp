// Reads the work of GPUs as slices.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "exporters/analysis/events/call_chains/numbering.hpp"
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
  bool operator==(const KernelLaunch&) const = default;
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

  base::Status visit(const GpuTable& table, const std::function<void(const Slice&)>& visit);

  const GpuStream& stream(std::uint32_t row) const { return streams_[row]; }
  // `slice` must be a kernel.
  const KernelLaunch& launch(const Slice& slice) const { return launches_.key(slice.details); }
  // `slice` must be a copy or a fill.
  std::int64_t bytes(const Slice& slice) const { return bytes_.key(slice.details); }

 private:
  struct Hash {
    std::uint64_t operator()(std::int64_t value) const { return static_cast<std::uint64_t>(value); }
    std::uint64_t operator()(const KernelLaunch& launch) const;
  };

  Slice slice(const events::Times& times, const report::Row& row, std::uint32_t name,
              std::uint32_t details);
  std::uint32_t kernel_launch(const report::Row& row, int first);
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
  events::Numbering<std::int64_t, Hash> bytes_;
};

}  // namespace prof::formats
