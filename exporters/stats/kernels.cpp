#include "exporters/stats/kernels.hpp"

#include <fmt/format.h>

#include "collector/report/table_scan.hpp"

namespace prof::stats {

base::Result<KernelNames> KernelNames::make(const report::ReportReader& reader,
                                            const Arguments& arguments) {
  KernelNames names(reader);
  if (arguments.kernel_name == KernelName::kBase) names.column_ = "shortName";
  if (arguments.kernel_name == KernelName::kMangled)
    names.column_ = "COALESCE(mangledName, demangledName)";
  if (arguments.nvtx_name) {
    auto ranges = LaunchRanges::read(reader);
    if (!ranges) return tl::make_unexpected(ranges.error());
    names.ranges_ = std::move(*ranges);
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
  return report::scan(
      reader,
      fmt::format("start, end, deviceId, globalPid, correlationId, {}, gridX, gridY, gridZ, "
                  "blockX, blockY, blockZ",
                  names.column()),
      kKernelTable, [&](const report::Row& row) {
        visit({row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4),
               names.key(row.integer(5), row.integer(3), row.integer(4)), dimensions_at(row, 6),
               dimensions_at(row, 9)});
      });
}

base::Status for_each_kernel_time(
    const report::ReportReader& reader, const KernelNames& names,
    const std::function<void(const KernelKey&, std::int64_t duration)>& visit) {
  if (!reader.has_table(kKernelTable)) return {};
  return report::scan(reader,
                      fmt::format("{}, end - start{}", names.column(),
                                  names.need_launch() ? ", globalPid, correlationId" : ""),
                      kKernelTable, [&](const report::Row& row) {
                        visit(names.need_launch()
                                  ? names.key(row.integer(0), row.integer(2), row.integer(3))
                                  : KernelKey{row.integer(0)},
                              row.integer(1));
                      });
}

}  // namespace prof::stats
