#include "exporters/stats/kernels.hpp"

#include <fmt/format.h>

#include "exporters/stats/rows.hpp"

namespace prof::stats {

namespace {

Dimensions dimensions(const report::Statement& row, int column) {
  return {static_cast<std::int32_t>(row.integer(column)),
          static_cast<std::int32_t>(row.integer(column + 1)),
          static_cast<std::int32_t>(row.integer(column + 2))};
}

}  // namespace

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
  return for_each_event(
      reader, kKernelTable,
      fmt::format("deviceId, globalPid, correlationId, {}, gridX, gridY, gridZ, blockX, blockY, "
                  "blockZ",
                  names.column()),
      "", [&](const Times& times, const report::Statement& row) {
        visit({times.start, times.end, row.integer(0), row.integer(1), row.integer(2),
               names.key(row.integer_or(3, Strings::kNone), row.integer(1), row.integer(2)),
               dimensions(row, 4), dimensions(row, 7)});
      });
}

}  // namespace prof::stats
