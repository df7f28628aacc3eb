#include "exporters/analysis/insight/occupancy/kernel_launches.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"

namespace prof::insight {

namespace {

struct Launches {
  std::int64_t total = 0;  // ns
  std::int64_t instances = 0;
  std::int64_t shared_capacity = 0;  // the largest of the launches, bytes
  Interval longest = {};
  std::int64_t stream = 0;
};

// Sums up launches by configuration.
class LaunchSums {
 public:
  using Sums = std::unordered_map<LaunchConfiguration, Launches, LaunchConfiguration::Hash>;

  void add(const LaunchConfiguration& key, const events::Times& times, std::int64_t shared_capacity,
           std::int64_t stream) {
    // The last sum is kept, because launches of one kernel often follow each other.
    if (last_ == nullptr || last_->first != key) last_ = &*sums_.try_emplace(key).first;
    Launches& sum = last_->second;
    ++sum.instances;
    sum.total = events::sum(sum.total, times.duration());
    sum.shared_capacity = std::max(sum.shared_capacity, shared_capacity);
    if (sum.instances > 1 && times.duration() <= sum.longest.length()) return;
    sum.longest = {times.start, times.end};
    sum.stream = stream;
  }

  std::vector<std::pair<LaunchConfiguration, Launches>> sorted() const {
    std::vector<std::pair<LaunchConfiguration, Launches>> result(sums_.begin(), sums_.end());
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
  }

 private:
  Sums sums_;
  Sums::value_type* last_ = nullptr;
};

std::int64_t volume(const events::Dimensions& of) {
  return events::product(events::product(of[0], of[1]), of[2]);
}

}  // namespace

std::size_t LaunchConfiguration::Hash::operator()(const LaunchConfiguration& key) const {
  std::size_t hash = 0;
  for (const std::int64_t value :
       {key.global_pid, key.device, key.kernel.name, std::int64_t{key.kernel.range}, key.registers,
        key.shared_memory, std::int64_t{key.grid[0]}, std::int64_t{key.grid[1]},
        std::int64_t{key.grid[2]}, std::int64_t{key.block[0]}, std::int64_t{key.block[1]},
        std::int64_t{key.block[2]}, key.green_context})
    hash = hash * 0x100000001b3 + static_cast<std::size_t>(value);
  return hash;
}

report::ScanColumns configuration_columns(const events::KernelNames& names) {
  return {"globalPid",
          "deviceId",
          "correlationId",
          names.column(),
          "gridX",
          "gridY",
          "gridZ",
          "blockX",
          "blockY",
          "blockZ",
          "registersPerThread",
          "staticSharedMemory",
          "dynamicSharedMemory",
          "greenContextId"};
}

LaunchConfiguration configuration_at(const report::Row& row, const events::KernelNames& names) {
  const std::int64_t name = row.integer_or(3, events::Strings::kNone);
  return {row.integer(0),
          row.integer(1),
          names.key({name, row.integer(0), row.integer(2)}),
          events::dimensions_at(row, 4),
          events::dimensions_at(row, 7),
          row.integer(10),
          events::sum(row.integer(11), row.integer(12)),
          row.integer_or(13, 0)};
}

LaunchShape shape_of(const LaunchConfiguration& configuration, std::int64_t shared_capacity) {
  return {volume(configuration.grid), volume(configuration.block), configuration.registers,
          configuration.shared_memory, shared_capacity};
}

base::Result<std::vector<KernelLaunches>> read_kernel_launches(const report::ReportReader& reader,
                                                               const events::KernelNames& names) {
  std::vector<KernelLaunches> result;
  if (!reader.has_table(events::kKernelTable)) return result;
  const auto gpus = GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  report::ScanColumns columns = configuration_columns(names);
  columns.insert(columns.end(), {"sharedMemoryExecuted", "streamId"});
  LaunchSums sums;
  const base::Status read = events::for_each_event(
      reader, {events::kKernelTable, columns},
      [&](const events::Times& times, const report::Row& row) {
        sums.add(configuration_at(row, names), times, row.integer_or(kConfigurationColumns, 0),
                 row.integer(kConfigurationColumns + 1));
      });
  if (!read) return tl::make_unexpected(read.error());
  for (const auto& [key, launches] : sums.sorted())
    result.push_back({key, shape_of(key, launches.shared_capacity),
                      gpus->of(events::pid_of(key.global_pid), key.device, key.green_context),
                      launches.total, launches.instances, launches.longest, launches.stream});
  return result;
}

std::int64_t total_time(const std::vector<KernelLaunches>& launches) {
  std::int64_t total = 0;
  for (const KernelLaunches& each : launches) total = events::sum(total, each.total);
  return total;
}

}  // namespace prof::insight
