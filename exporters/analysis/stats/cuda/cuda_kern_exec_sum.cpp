// cuda_kern_exec_sum: time of launch, wait and run of kernels, by thread, device, launching
// function and kernel.
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/cuda/kernel_executions.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct ExecutionKey {
  std::int64_t global_tid;
  std::int64_t device;
  std::int64_t function;
  events::KernelKey kernel;
  auto operator<=>(const ExecutionKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ExecutionTimes {
  std::vector<std::int64_t> total;
  std::vector<std::int64_t> call;
  std::vector<std::int64_t> queue;
  std::vector<std::int64_t> kernel;
};

std::vector<tables::ColumnSpec> execution_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header : {"PID", "TID", "DevId", "Count", "QCount"})
    result.push_back({header, CellKind::kInteger});
  for (const char* part : {"T", "A", "Q", "K"}) {
    result.push_back({std::string(part) + "Avg (ns)", CellKind::kReal, 1});
    result.push_back({std::string(part) + "Med (ns)", CellKind::kReal, 1});
    result.push_back({std::string(part) + "Min (ns)", CellKind::kInteger});
    result.push_back({std::string(part) + "Max (ns)", CellKind::kInteger});
    result.push_back({std::string(part) + "StdDev (ns)", CellKind::kReal, 1});
  }
  result.push_back({"API Name", CellKind::kText});
  result.push_back({"Kernel Name", CellKind::kText});
  return result;
}

void add_cells(std::vector<tables::Cell>& cells, std::vector<std::int64_t>& times) {
  const Durations durations = summarise(times);
  if (durations.count == 0) {
    cells.resize(cells.size() + 4);
  } else {
    cells.insert(cells.end(),
                 {durations.average, durations.median, durations.minimum, durations.maximum});
  }
  cells.emplace_back(durations.deviation);
}

}  // namespace

base::Result<tables::Table> cuda_kern_exec_sum(const report::ReportReader& reader,
                                               const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  std::map<ExecutionKey, ExecutionTimes> groups;
  const base::Status read =
      for_each_execution(reader, *names, [&](const KernelExecution& execution) {
        const auto& [call, kernel] = execution;
        ExecutionTimes& times = groups[{call.global_tid, kernel.device, call.name, kernel.key}];
        times.total.push_back(execution.total_time());
        times.call.push_back(execution.call_time());
        if (execution.queued()) times.queue.push_back(execution.queue_time());
        times.kernel.push_back(execution.kernel_time());
      });
  if (!read) return tl::make_unexpected(read.error());

  events::Strings strings(reader);
  tables::Table table{execution_columns(), {}};
  for (auto& [key, times] : groups) {
    const auto count = static_cast<std::int64_t>(times.total.size());
    const auto queued = static_cast<std::int64_t>(times.queue.size());
    std::vector<tables::Cell> cells{events::pid_of(key.global_tid), events::tid_of(key.global_tid),
                                    key.device, count, queued};
    for (auto* part : {&times.total, &times.call, &times.queue, &times.kernel})
      add_cells(cells, *part);
    cells.emplace_back(std::string(events::without_version(strings.text(key.function))));
    cells.emplace_back(names->text(key.kernel));
    table.rows.push_back(std::move(cells));
  }
  constexpr std::size_t kAverageTotal = 5;
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return a[kAverageTotal] > b[kAverageTotal];
  });
  sort_ties(table, kAverageTotal);
  return table;
}

}  // namespace prof::stats
