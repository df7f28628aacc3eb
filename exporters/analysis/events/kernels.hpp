// Reads the kernels of a report, with the names that the user chose.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/events/nvtx/launch_ranges.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

enum class KernelName { kDemangled, kBase, kMangled };

// How to name kernels.
struct KernelNaming {
  KernelName name = KernelName::kDemangled;
  bool nvtx_range = false;  // put the kernel's innermost NVTX range before its name
  RangeOf range_of = RangeOf::kBoth;
};

// Identifies a kernel's name, and is cheap to compare.
struct KernelKey {
  std::int64_t name;  // StringIds.id
  std::int32_t range = LaunchRanges::kNone;
  auto operator<=>(const KernelKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

class KernelNames {
 public:
  static base::Result<KernelNames> make(const report::ReportReader& reader,
                                        const KernelNaming& naming);

  // The column with the kernel's name: the demangled names if the report lacks mangled ones.
  const report::ScanColumn& column() const { return column_; }

  struct Launched {
    std::int64_t name;
    std::int64_t global_pid;
    std::int64_t correlation;
    std::int64_t graph_node = 0;  // 0: not in a graph
  };
  KernelKey key(const Launched& kernel) const {
    return {kernel.name, ranges_
                             ? ranges_->of(kernel.global_pid, kernel.correlation, kernel.graph_node)
                             : LaunchRanges::kNone};
  }
  // The column with the kernel's node of a graph: NULL if keys do not depend on it.
  const report::ScanColumn& node_column() const { return node_column_; }
  // True if a key depends on more than the name.
  bool need_launch() const { return ranges_.has_value(); }
  // Returns "RANGE/NAME", or "NAME" without a range.
  std::string text(const KernelKey& key);

 private:
  explicit KernelNames(const report::ReportReader& reader) : strings_(reader) {}

  report::ScanColumn column_ = "demangledName";
  report::ScanColumn node_column_ = report::ScanColumn::null();
  Strings strings_;
  std::optional<LaunchRanges> ranges_;
};

using Dimensions = std::array<std::int32_t, 3>;
// Reads X, Y and Z from three adjacent columns. `Row`: report::Row or report::Statement.
template <class Row>
Dimensions dimensions_at(const Row& row, int column) {
  return {static_cast<std::int32_t>(row.integer(column)),
          static_cast<std::int32_t>(row.integer(column + 1)),
          static_cast<std::int32_t>(row.integer(column + 2))};
}
std::string dimensions_text(const Dimensions& dimensions);  // padded to the same width as in nsys

struct Kernel {
  std::int64_t start;
  std::int64_t end;
  std::int64_t device;
  std::int64_t global_pid;
  std::int64_t correlation;
  KernelKey key;
  Dimensions grid;
  Dimensions block;
};

// Visits every kernel; visits none if the report lacks the table.
base::Status for_each_kernel(const report::ReportReader& reader, const KernelNames& names,
                             const std::function<void(const Kernel&)>& visit);
// Visits only the name and the duration of every kernel, which takes half the time of
// for_each_kernel().
base::Status for_each_kernel_time(
    const report::ReportReader& reader, const KernelNames& names,
    const std::function<void(const KernelKey&, std::int64_t duration)>& visit);

}  // namespace prof::events
