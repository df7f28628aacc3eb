// cuda_gpu_kern_sum: kernels by name. cuda_gpu_kern_gb_sum: kernels by name, grid and block.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

namespace {

struct LaunchKey {
  events::KernelKey kernel;
  events::Dimensions grid;
  events::Dimensions block;
  auto operator<=>(const LaunchKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct HashLaunch {
  std::size_t operator()(const events::KernelKey& key) const {
    return static_cast<std::size_t>(key.name) * 0x100000001b3 + static_cast<std::size_t>(key.range);
  }
  std::size_t operator()(const LaunchKey& key) const {
    std::size_t hash = (*this)(key.kernel);
    for (const events::Dimensions& dimensions : {key.grid, key.block})
      for (const std::int32_t value : dimensions)
        hash = hash * 0x100000001b3 + static_cast<std::size_t>(value);
    return hash;
  }
};

}  // namespace

base::Result<ValueGroups> kernel_values(const report::ReportReader& reader,
                                        const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  DurationGroups<events::KernelKey, HashLaunch> groups;
  const base::Status read = events::for_each_kernel_time(
      reader, *names,
      [&](const events::KernelKey& key, std::int64_t duration) { groups.add(key, duration); });
  if (!read) return tl::make_unexpected(read.error());
  return value_groups(groups, [&](const events::KernelKey& key) {
    return std::vector<std::string>{names->text(key)};
  });
}

base::Result<ValueGroups> kernel_launch_values(const report::ReportReader& reader,
                                               const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  DurationGroups<LaunchKey, HashLaunch> groups;
  const base::Status read =
      events::for_each_kernel(reader, *names, [&](const events::Kernel& kernel) {
        groups.add({kernel.key, kernel.grid, kernel.block}, kernel.end - kernel.start);
      });
  if (!read) return tl::make_unexpected(read.error());
  return value_groups(groups, [&](const LaunchKey& key) {
    return std::vector<std::string>{events::dimensions_text(key.grid),
                                    events::dimensions_text(key.block), names->text(key.kernel)};
  });
}

base::Result<ValueGroups> kernel_device_values(const report::ReportReader& reader,
                                               const Arguments&) {
  auto names = events::KernelNames::make(reader, {events::KernelName::kBase});
  if (!names) return tl::make_unexpected(names.error());
  std::map<std::pair<events::KernelKey, std::int64_t>, std::vector<std::int64_t>> groups;
  const base::Status read =
      events::for_each_kernel(reader, *names, [&](const events::Kernel& kernel) {
        groups[{kernel.key, kernel.device}].push_back(kernel.end - kernel.start);
      });
  if (!read) return tl::make_unexpected(read.error());
  ValueGroups result;
  for (auto& [key, values] : groups)
    result.push_back({{names->text(key.first), std::to_string(key.second)}, std::move(values)});
  return result;
}

base::Result<tables::Table> cuda_gpu_kern_sum(const report::ReportReader& reader,
                                              const Arguments& arguments) {
  return table_of(kKernelSum, kernel_values(reader, arguments));
}

base::Result<tables::Table> cuda_gpu_kern_gb_sum(const report::ReportReader& reader,
                                                 const Arguments& arguments) {
  return table_of(kKernelLaunchSum, kernel_launch_values(reader, arguments));
}

}  // namespace prof::stats
