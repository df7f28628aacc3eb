#include "exporters/analysis/stats/gpu/kernel_launches.hpp"

#include <algorithm>
#include <compare>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"

namespace prof::stats {

namespace {

struct Configuration {
  std::int64_t global_pid;
  std::int64_t device;
  events::KernelKey kernel;
  events::Dimensions grid;
  events::Dimensions block;
  std::int64_t registers;                                  // per thread
  std::int64_t shared_memory;                              // per block, bytes
  std::int64_t green_context;                              // 0: none
  auto operator<=>(const Configuration&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct HashConfiguration {
  std::size_t operator()(const Configuration& key) const {
    std::size_t hash = 0;
    for (const std::int64_t value :
         {key.global_pid, key.device, key.kernel.name, std::int64_t{key.kernel.range},
          key.registers, key.shared_memory, std::int64_t{key.grid[0]}, std::int64_t{key.grid[1]},
          std::int64_t{key.grid[2]}, std::int64_t{key.block[0]}, std::int64_t{key.block[1]},
          std::int64_t{key.block[2]}, key.green_context})
      hash = hash * 0x100000001b3 + static_cast<std::size_t>(value);
    return hash;
  }
};

struct Launches {
  std::int64_t total = 0;  // ns
  std::int64_t instances = 0;
  std::int64_t shared_capacity = 0;  // the largest of the launches, bytes
};
using LaunchesByKey = std::unordered_map<Configuration, Launches, HashConfiguration>;

base::Result<LaunchesByKey> read_groups(const report::ReportReader& reader,
                                        const events::KernelNames& names) {
  LaunchesByKey groups;
  const base::Status read = events::for_each_event(
      reader,
      {events::kKernelTable,
       {"globalPid", "deviceId", "correlationId", names.column(), "gridX", "gridY", "gridZ",
        "blockX", "blockY", "blockZ", "registersPerThread",
        report::ScanColumn::expression("staticSharedMemory + dynamicSharedMemory"),
        report::ScanColumn::expression("IFNULL(greenContextId, 0)"),
        report::ScanColumn::expression("IFNULL(sharedMemoryExecuted, 0)")}},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(3, events::Strings::kNone);
        const Configuration key{row.integer(0),
                                row.integer(1),
                                names.key({name, row.integer(0), row.integer(2)}),
                                events::dimensions_at(row, 4),
                                events::dimensions_at(row, 7),
                                row.integer(10),
                                row.integer(11),
                                row.integer(12)};
        Launches& launches = groups[key];
        launches.total = events::sum(launches.total, times.duration());
        ++launches.instances;
        launches.shared_capacity = std::max(launches.shared_capacity, row.integer(13));
      });
  if (!read) return tl::make_unexpected(read.error());
  return groups;
}

std::int64_t volume(const events::Dimensions& of) {
  return events::product(events::product(of[0], of[1]), of[2]);
}

}  // namespace

base::Result<std::vector<KernelLaunches>> read_kernel_launches(const report::ReportReader& reader,
                                                               const events::KernelNames& names) {
  const auto gpus = insight::GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  const auto groups = read_groups(reader, names);
  if (!groups) return tl::make_unexpected(groups.error());
  std::vector<std::pair<Configuration, Launches>> sorted(groups->begin(), groups->end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<KernelLaunches> result;
  result.reserve(sorted.size());
  for (const auto& [key, launches] : sorted) {
    const std::int64_t pid = events::pid_of(key.global_pid);
    result.push_back({pid,
                      key.device,
                      key.kernel,
                      key.grid,
                      key.block,
                      {volume(key.grid), volume(key.block), key.registers, key.shared_memory,
                       launches.shared_capacity},
                      gpus->of(pid, key.device, key.green_context),
                      launches.total,
                      launches.instances});
  }
  return result;
}

std::int64_t total_time(const std::vector<KernelLaunches>& launches) {
  std::int64_t total = 0;
  for (const KernelLaunches& each : launches) total = events::sum(total, each.total);
  return total;
}

}  // namespace prof::stats
