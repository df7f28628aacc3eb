#include "exporters/analysis/events/kernels.hpp"

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

#include <fmt/format.h>

namespace prof::events {

base::Result<KernelNames> KernelNames::make(const report::ReportReader& reader,
                                            const KernelNaming& naming) {
  KernelNames names(reader);
  if (naming.name == KernelName::kBase) names.column_ = "shortName";
  if (naming.name == KernelName::kMangled)
    names.column_ = report::ScanColumn::expression("COALESCE(mangledName, demangledName)");
  if (naming.nvtx_range) {
    auto ranges = LaunchRanges::read(reader, naming.range_of);
    if (!ranges) return tl::make_unexpected(ranges.error());
    names.ranges_ = std::move(*ranges);
    names.node_column_ = report::column_or(reader, kKernelTable, "graphNodeId");
  }
  return names;
}

std::string KernelNames::text(const KernelKey& key) {
  const std::string& name = strings_.text(key.name);
  return key.range == LaunchRanges::kNone ? name : ranges_->text(key.range) + '/' + name;
}

std::string dimensions_text(const Dimensions& dimensions) {
  return fmt::format("{:4} {:4} {:4}", dimensions[0], dimensions[1], dimensions[2]);
}

base::Status for_each_kernel(const report::ReportReader& reader, const KernelNames& names,
                             const std::function<void(const Kernel&)>& visit) {
  if (!reader.has_table(kKernelTable)) return {};
  return for_each_event(
      reader,
      {kKernelTable,
       {"deviceId", "globalPid", "correlationId", names.column(), "gridX", "gridY", "gridZ",
        "blockX", "blockY", "blockZ", names.node_column()}},
      [&](const Times& times, const report::Row& row) {
        visit({times.start, times.end, row.integer(0), row.integer(1), row.integer(2),
               names.key({row.integer_or(3, Strings::kNone), row.integer(1), row.integer(2),
                          row.integer_or(10, 0)}),
               dimensions_at(row, 4), dimensions_at(row, 7)});
      });
}

base::Status for_each_kernel_time(
    const report::ReportReader& reader, const KernelNames& names,
    const std::function<void(const KernelKey&, std::int64_t duration)>& visit) {
  if (!reader.has_table(kKernelTable)) return {};
  report::ScanColumns columns{names.column()};
  if (names.need_launch())
    columns.insert(columns.end(), {"globalPid", "correlationId", names.node_column()});
  return for_each_event(
      reader, {kKernelTable, columns}, [&](const Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(0, Strings::kNone);
        visit(names.need_launch()
                  ? names.key({name, row.integer(1), row.integer(2), row.integer_or(3, 0)})
                  : KernelKey{name},
              times.duration());
      });
}

}  // namespace prof::events
