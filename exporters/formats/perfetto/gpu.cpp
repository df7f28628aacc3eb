// Writes the work of GPUs.
#include <fmt/format.h>

#include <deque>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/formats/perfetto/parts.hpp"
#include "exporters/formats/perfetto/rows.hpp"
#include "exporters/formats/trace/gpu_slices.hpp"

namespace prof::formats {

namespace {

std::string launch_text(const KernelLaunch& launch, const std::string* capture) {
  const std::string text = fmt::format("grid {}, block {}, {} registers, {} B shared memory",
                                       fmt::join(launch.grid, "x"), fmt::join(launch.block, "x"),
                                       launch.registers, launch.shared_memory);
  return capture == nullptr ? text : fmt::format("{}; captured in {}", text, *capture);
}

// Writes the rows of one table.
class GpuRows {
 public:
  GpuRows(PerfettoTrace& trace, const GpuSlices& slices, const SliceNames& names,
          const GpuTable& table)
      : trace_(trace),
        slices_(slices),
        table_(table),
        rows_(trace.stream, trace.tracks, names, false) {}

  void add(Slice slice) {
    const GpuStream& stream = slices_.stream(slice.row);
    const std::uint64_t link =
        trace_.links.work(events::process_of(stream.global_pid), slice.detail, slice.start);
    SliceExtras extras;
    if (link != 0) extras.links = {&link, 1};
    if (table_.kind == GpuWorkKind::kKernel) {
      extras.text_name = "launch";
      extras.text_number = slice.details;
      extras.text = &text_of(slice);
    } else if (table_.kind != GpuWorkKind::kGraph) {
      const MemoryOperation& operation = slices_.memory_operation(slice);
      extras.value_name = "bytes";
      extras.value = operation.bytes;
      extras.text = slices_.capture_text(operation.capture);
      if (extras.text != nullptr) {
        extras.text_name = "captured in";
        extras.text_number = static_cast<std::uint32_t>(operation.capture);
      }
    }
    slice.row = row_of(slice.row);
    rows_.add(slice, extras);
  }

 private:
  std::uint32_t row_of(std::uint32_t stream) {
    if (stream >= numbers_.size()) numbers_.resize(stream + 1, kNone);
    if (numbers_[stream] == kNone) {
      numbers_[stream] = rows_.size();
      rows_.add_row(trace_.tracks.gpu_stream(slices_.stream(stream)), table_.row,
                    static_cast<std::int32_t>(table_.kind));
    }
    return numbers_[stream];
  }
  const std::string& text_of(const Slice& slice) {
    if (slice.details >= texts_.size()) texts_.resize(slice.details + 1);
    std::string& text = texts_[slice.details];
    if (text.empty())
      text =
          launch_text(slices_.launch(slice), slices_.capture_text(slices_.launch(slice).capture));
    return text;
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  PerfettoTrace& trace_;
  const GpuSlices& slices_;
  const GpuTable& table_;
  PerfettoRows rows_;
  std::vector<std::uint32_t> numbers_;  // by stream: number of the row
  std::deque<std::string> texts_;       // by number of the launch
};

}  // namespace

base::Status write_gpu_rows(PerfettoTrace& trace) {
  SliceNames names(trace.reader);
  GpuSlices slices(trace.reader, names);
  if (base::Status read = slices.read_captures(trace.options.range_of); !read) return read;
  for (const GpuTable& table : gpu_tables(trace.reader)) {
    GpuRows rows(trace, slices, names, table);
    if (base::Status written = slices.visit(table, [&](const Slice& slice) { rows.add(slice); });
        !written)
      return written;
  }
  return {};
}

}  // namespace prof::formats
