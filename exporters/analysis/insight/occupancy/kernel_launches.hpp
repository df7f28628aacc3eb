// Groups the kernels of a report by name, GPU and launch configuration.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/occupancy/occupancy.hpp"

namespace prof::insight {

struct LaunchConfiguration {
  std::int64_t global_pid;
  std::int64_t device;
  events::KernelKey kernel;
  events::Dimensions grid;
  events::Dimensions block;
  std::int64_t registers;                                        // per thread
  std::int64_t shared_memory;                                    // per block, bytes
  std::int64_t green_context;                                    // 0: none
  auto operator<=>(const LaunchConfiguration&) const = default;  // NOLINT(modernize-use-nullptr)

  struct Hash {
    std::size_t operator()(const LaunchConfiguration& key) const;
  };
};

struct KernelLaunches {
  LaunchConfiguration configuration;
  LaunchShape shape;
  GpuLimits gpu;       // All limits are 0 for an unknown GPU.
  std::int64_t total;  // ns
  std::int64_t instances;
  Interval longest;     // the longest of the launches
  std::int64_t stream;  // stream of the longest launch
};

// Columns from which configuration_at() reads a row of the table of kernels, from column 0 on.
report::ScanColumns configuration_columns(const events::KernelNames& names);
inline constexpr int kConfigurationColumns = 14;
LaunchConfiguration configuration_at(const report::Row& row, const events::KernelNames& names);

// `shared_capacity`: bytes of shared memory that a multiprocessor had for the launch.
LaunchShape shape_of(const LaunchConfiguration& configuration, std::int64_t shared_capacity);

// Returns the groups in an order that does not depend on the report's.
base::Result<std::vector<KernelLaunches>> read_kernel_launches(const report::ReportReader& reader,
                                                               const events::KernelNames& names);

// Returns the time of all kernels, in ns.
std::int64_t total_time(const std::vector<KernelLaunches>& launches);

}  // namespace prof::insight
