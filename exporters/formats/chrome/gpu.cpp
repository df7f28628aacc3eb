// Writes the work of GPUs.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <numeric>

#include "common/base/text/json.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/chrome/parts.hpp"
#include "exporters/formats/trace/gpu_slices.hpp"

namespace prof::formats {

namespace {

// The categories in the order of GpuWorkKind.
constexpr std::string_view kWorkCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_graph"};

class GpuWriter {
 public:
  explicit GpuWriter(ChromeDocument& document)
      : document_(document),
        names_(document.reader),
        slices_(document.reader, names_, CopyNames::kKineto) {}

  base::Status write() {
    if (base::Status read = read_multiprocessors(); !read) return read;
    if (base::Status read = slices_.read_captures(document_.trace.range_of); !read) return read;
    // Kernels, copies and fills of a stream share its row, so they are sorted together.
    SliceSorter sorter;
    for (const GpuTable& table : gpu_tables(document_.reader)) {
      base::Status read = slices_.visit(table, [&](Slice slice) {
        slice.name = slice.name << kKindBits | static_cast<std::uint32_t>(table.kind);
        sorter.add(slice);
      });
      if (!read) return read;
    }
    return sorter.visit_all([&](const Slice& slice) { write(slice); });
  }

 private:
  static constexpr std::uint32_t kKindBits = 2;  // number of bits of the kind in a slice's name

  base::Status read_multiprocessors() {
    if (!document_.reader.has_column("TARGET_INFO_GPU", "smCount")) return {};
    return events::for_each_row(
        document_.reader, "SELECT id, smCount FROM TARGET_INFO_GPU",
        [&](const report::Statement& row) { multiprocessors_[row.integer(0)] = row.integer(1); });
  }

  void write(Slice slice) {
    const auto kind = static_cast<GpuWorkKind>(slice.name & ((1U << kKindBits) - 1));
    slice.name >>= kKindBits;
    const GpuStream& stream = slices_.stream(slice.row);
    const ChromeRow row =
        document_.rows.place(document_.rows.of_stream(stream), slice.start, slice.end);
    const std::uint64_t link =
        document_.links.work(events::process_of(stream.global_pid), slice.detail, slice.start);
    arguments_.clear();
    if (has_launch_range(kind, slice) && link != 0 && link < document_.ranges.size() &&
        document_.ranges[link] != 0)
      arguments_ += fmt::format("\"External id\":{},", document_.ranges[link]);
    arguments_ += fmt::format("\"device\":{},\"context\":{},\"stream\":{}", device_of(stream),
                              stream.context, stream.stream);
    if (slice.detail != GpuSlices::kNoCorrelation)
      arguments_ += fmt::format(",\"correlation\":{}", slice.detail);
    if (kind == GpuWorkKind::kKernel)
      add_launch(slices_.launch(slice), device_of(stream));
    else if (kind != GpuWorkKind::kGraph)
      add_bytes(slice);
    document_.events.slice(quoted(slice.name), kWorkCategories[static_cast<std::size_t>(kind)], row,
                           slice.start, slice.end, arguments_);
    if (link != 0)
      document_.events.link_end(document_.links.correlation_or_other(link), row, slice.start);
  }

  // With --range-of=capture, the range around its launch does not count for work of graphs.
  bool has_launch_range(GpuWorkKind kind, const Slice& slice) const {
    if (document_.trace.range_of != events::RangeOf::kCapture) return true;
    if (kind == GpuWorkKind::kGraph) return true;
    const std::int32_t capture = kind == GpuWorkKind::kKernel
                                     ? slices_.launch(slice).capture
                                     : slices_.memory_operation(slice).capture;
    return capture == events::GraphCaptures::kNone;
  }

  std::int64_t device_of(const GpuStream& stream) const {
    return document_.names.gpu_of(stream.global_pid, stream.device);
  }

  void add_launch(const KernelLaunch& launch, std::int64_t device) {
    arguments_ += fmt::format(
        ",\"registers per thread\":{},\"shared memory\":{},\"grid\":[{}],\"block\":[{}]",
        launch.registers, launch.shared_memory, fmt::join(launch.grid, ","),
        fmt::join(launch.block, ","));
    add_capture(launch.capture);
    const auto multiprocessors = multiprocessors_.find(device);
    if (multiprocessors == multiprocessors_.end() || multiprocessors->second <= 0) return;
    constexpr double kWarp = 32;
    const auto product = [](const std::array<std::int32_t, 3>& size) {
      return std::accumulate(size.begin(), size.end(), 1.0, std::multiplies<>());
    };
    const double blocks = product(launch.grid) / static_cast<double>(multiprocessors->second);
    arguments_ += fmt::format(",\"blocks per SM\":{:.6g},\"warps per SM\":{:.6g}", blocks,
                              blocks * product(launch.block) / kWarp);
  }

  void add_bytes(const Slice& slice) {
    const auto [bytes, capture] = slices_.memory_operation(slice);
    arguments_ += fmt::format(",\"bytes\":{}", bytes);
    if (slice.end > slice.start)
      arguments_ +=
          fmt::format(",\"memory bandwidth (GB/s)\":{:.6g}",
                      static_cast<double>(bytes) / static_cast<double>(slice.end - slice.start));
    add_capture(capture);
  }

  void add_capture(std::int32_t capture) {
    if (const std::string* text = slices_.capture_text(capture))
      arguments_ += fmt::format(",\"captured in\":{}", base::quoted_json(*text));
  }

  const std::string& quoted(std::uint32_t name) {
    if (name >= quoted_.size()) quoted_.resize(name + 1);
    if (quoted_[name].empty()) quoted_[name] = base::quoted_json(names_.text(name));
    return quoted_[name];
  }

  ChromeDocument& document_;
  SliceNames names_;
  GpuSlices slices_;
  std::map<std::int64_t, std::int64_t> multiprocessors_;  // by GPU
  std::vector<std::string> quoted_;                       // names in JSON, by number
  std::string arguments_;
};

}  // namespace

base::Status write_chrome_gpus(ChromeDocument& document) { return GpuWriter(document).write(); }

}  // namespace prof::formats
