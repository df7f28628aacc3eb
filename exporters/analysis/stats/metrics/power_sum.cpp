// power_sum: power and energy of GPUs: of the run, by NVTX range, by kernel, or of the iterations.
#include <algorithm>
#include <numeric>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/metrics/power_curve.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/metrics/named_times.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

using insight::Energy;
using insight::GpuPower;

tables::Table power_of_run(const std::vector<GpuPower>& gpus) {
  tables::Table table{{{"Avg (W)", CellKind::kReal, 1},
                       {"Min (W)", CellKind::kReal, 1},
                       {"Max (W)", CellKind::kReal, 1},
                       {"Samples", CellKind::kInteger},
                       {"Energy (J)", CellKind::kReal, 1},
                       {"Time (ns)", CellKind::kInteger},
                       {"Energy By", CellKind::kText},
                       {"GPU", CellKind::kInteger}},
                      {}};
  for (const GpuPower& gpu : gpus) {
    const Energy energy = gpu.metered.value_or(gpu.curve.all());
    if (energy.time == 0) continue;
    std::vector<tables::Cell> cells{energy.watts(), {}, {}};
    if (!gpu.watts.empty()) {
      const auto [least, most] = std::minmax_element(gpu.watts.begin(), gpu.watts.end());
      cells = {energy.watts(), *least, *most};
    }
    cells.insert(cells.end(),
                 {static_cast<std::int64_t>(gpu.watts.size()), energy.joules, energy.time,
                  gpu.metered ? "meter" : "power", tables::optional_cell(gpu.gpu)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void add_times(tables::Table& table, const GpuPower& gpu, const NamedTimes& times) {
  for (const auto& [name, each] : times) {
    const Energy energy = gpu.curve.over(each);
    if (energy.time > 0)
      table.rows.push_back(
          {energy.joules, energy.time, energy.watts(), tables::optional_cell(gpu.gpu), name});
  }
}

tables::Table named_table(const char* what) {
  return {{{"Energy (J)", CellKind::kReal, 3},
           {"Time (ns)", CellKind::kInteger},
           {"Avg (W)", CellKind::kReal, 1},
           {"GPU", CellKind::kInteger},
           {what, CellKind::kText}},
          {}};
}

base::Result<tables::Table> power_by_range(const report::ReportReader& reader,
                                           const std::vector<GpuPower>& gpus) {
  const auto times = times_of_ranges(reader);
  if (!times) return tl::make_unexpected(times.error());
  tables::Table table = named_table("Range");
  for (const GpuPower& gpu : gpus) add_times(table, gpu, *times);
  tables::sort_descending(table, 0);
  return table;
}

base::Result<tables::Table> power_by_kernel(const insight::GpuWork& work,
                                            const insight::PhysicalGpus& numbers,
                                            const std::vector<GpuPower>& gpus) {
  tables::Table table = named_table("Name");
  for (const GpuPower& gpu : gpus)
    if (gpu.gpu) add_times(table, gpu, times_of_kernels(work, numbers, *gpu.gpu));
  tables::sort_descending(table, 0);
  return table;
}

// Returns the energies of the iterations. If the power is known for less than nine tenths of an
// iteration, at the start or end of the samples, its energy and time are 0.
std::vector<Energy> energies_of(const insight::Iterations& iterations, const GpuPower& gpu) {
  std::vector<Energy> energies;
  for (const insight::Interval& each : iterations.times) {
    const Energy energy = gpu.curve.over(each);
    energies.push_back(energy.time >= each.length() - each.length() / 10 ? energy : Energy{});
  }
  return energies;
}

std::vector<tables::Cell> iteration_cells(const std::vector<Energy>& energies) {
  std::vector<double> joules;
  Energy sum;
  std::size_t most = 0;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (energies[i].time == 0) continue;
    joules.push_back(energies[i].joules);
    sum += energies[i];
    if (energies[i].joules > energies[most].joules) most = i;
  }
  if (joules.empty()) return {};
  std::sort(joules.begin(), joules.end());
  const auto count = static_cast<std::int64_t>(joules.size());
  const double median = (joules[(joules.size() - 1) / 2] + joules[joules.size() / 2]) / 2;
  return {count,         sum.joules / static_cast<double>(count), median,     joules.front(),
          joules.back(), static_cast<std::int64_t>(most),         sum.watts()};
}

base::Result<tables::Table> power_of_iterations(const report::ReportReader& reader,
                                                const insight::GpuWork& work,
                                                const insight::PhysicalGpus& numbers,
                                                const std::vector<GpuPower>& gpus) {
  const auto ranges = events::RangeTree::read(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  tables::Table table{{{"Iterations", CellKind::kInteger}}, {}};
  for (const char* header : {"Avg (J)", "Med (J)", "Min (J)", "Max (J)"})
    table.columns.push_back({header, CellKind::kReal, 3});
  table.columns.push_back({"Max #", CellKind::kInteger});
  table.columns.push_back({"Avg (W)", CellKind::kReal, 1});
  for (const char* header : {"PID", "Device", "GPU"})
    table.columns.push_back({header, CellKind::kInteger});
  table.columns.push_back({"Found By", CellKind::kText});
  insight::IterationFinder finder(work, *ranges);
  for (std::size_t i = 0; i < work.devices().size(); ++i) {
    const insight::Device& device = work.devices()[i];
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const GpuPower& each) {
      return each.gpu == numbers.of(device);
    });
    const auto iterations = finder.find(i);
    if (gpu == gpus.end() || !iterations) continue;
    auto cells = iteration_cells(energies_of(*iterations, *gpu));
    if (cells.empty()) continue;
    cells.insert(cells.end(), {events::pid_of(device.global_pid), device.number, *gpu->gpu,
                               iterations->found_by});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

base::Result<tables::Table> power_sum(const report::ReportReader& reader,
                                      const Arguments& arguments) {
  const auto gpus = insight::read_gpu_power(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  if (gpus->empty()) return tables::Table{};
  if (arguments.metrics_by == MetricsBy::kRun) return power_of_run(*gpus);
  if (arguments.metrics_by == MetricsBy::kRange) return power_by_range(reader, *gpus);
  const auto work = insight::GpuWork::read(reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto numbers = insight::PhysicalGpus::read(reader);
  if (!numbers) return tl::make_unexpected(numbers.error());
  return arguments.metrics_by == MetricsBy::kKernel
             ? power_by_kernel(*work, *numbers, *gpus)
             : power_of_iterations(reader, *work, *numbers, *gpus);
}

}  // namespace prof::stats
