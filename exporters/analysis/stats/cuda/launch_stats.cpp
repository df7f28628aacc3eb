// launch_stats: launch calls, delays and durations of kernels, and how often a launch takes longer
// than its kernel.
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/cuda/kernel_executions.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

// The limits of HolisticTraceAnalysis.
constexpr std::int64_t kSlowCall = 50'000;    // ns
constexpr std::int64_t kLongDelay = 100'000;  // ns

struct ApiLaunchKey {
  std::int64_t global_pid;
  std::int64_t device;
  events::KernelKey kernel;
  auto operator<=>(const ApiLaunchKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ApiLaunches {
  std::vector<std::int64_t> calls;  // ns
  std::vector<std::int64_t> delays;
  std::vector<std::int64_t> kernels;
  std::int64_t short_kernels = 0;
  std::int64_t slow_calls = 0;
  std::int64_t long_delays = 0;
  std::int64_t short_call_time = 0;  // ns, of the calls that launched short kernels

  void add(const KernelExecution& execution) {
    const std::int64_t call = execution.call_time();
    const std::int64_t delay = std::max<std::int64_t>(execution.queue_time(), 0);
    calls.push_back(call);
    delays.push_back(delay);
    kernels.push_back(execution.kernel_time());
    if (call > kSlowCall) ++slow_calls;
    if (delay > kLongDelay) ++long_delays;
    if (execution.kernel_time() >= call) return;
    ++short_kernels;
    short_call_time += call;
  }
};

// Recognizes launches of graphs. One call launches all kernels of a graph, so its duration does not
// belong to one kernel.
class GraphLaunches {
 public:
  explicit GraphLaunches(const report::ReportReader& reader) : strings_(reader) {}

  bool contains(const events::ApiCall& call) {
    const auto [at, is_new] = known_.try_emplace(call.name);
    if (is_new) at->second = strings_.text(call.name).find("GraphLaunch") != std::string::npos;
    return at->second;
  }

 private:
  events::Strings strings_;
  std::unordered_map<std::int64_t, bool> known_;
};

std::vector<tables::ColumnSpec> launch_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header :
       {"Short Call Time (ns)", "Launches", "Short", "Slow Calls", "Long Delays"})
    result.push_back({header, tables::CellKind::kInteger});
  for (const char* part : {"Call", "Delay", "Kernel"})
    for (const char* figure : {"Med", "P95"})
      result.push_back({fmt::format("{} {} (ns)", part, figure), tables::CellKind::kReal, 1});
  result.push_back({"PID", tables::CellKind::kInteger});
  result.push_back({"Device", tables::CellKind::kInteger});
  result.push_back({"Name", tables::CellKind::kText});
  return result;
}

std::vector<tables::Cell> cells_of(ApiLaunches& launches) {
  std::vector<tables::Cell> cells{
      launches.short_call_time, static_cast<std::int64_t>(launches.calls.size()),
      launches.short_kernels, launches.slow_calls, launches.long_delays};
  for (auto* times : {&launches.calls, &launches.delays, &launches.kernels}) {
    std::sort(times->begin(), times->end());
    cells.emplace_back(quantile(*times, 0.5));
    cells.emplace_back(quantile(*times, 0.95));
  }
  return cells;
}

}  // namespace

base::Result<tables::Table> launch_stats(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  GraphLaunches graphs(reader);
  std::map<ApiLaunchKey, ApiLaunches> groups;
  const base::Status read =
      for_each_execution(reader, *names, [&](const KernelExecution& execution) {
        const events::Kernel& kernel = execution.kernel;
        if (!graphs.contains(execution.call))
          groups[{kernel.global_pid, kernel.device, kernel.key}].add(execution);
      });
  if (!read) return tl::make_unexpected(read.error());

  tables::Table table{launch_columns(), {}};
  for (auto& [key, launches] : groups) {
    auto cells = cells_of(launches);
    cells.insert(cells.end(),
                 {events::pid_of(key.global_pid), key.device, names->text(key.kernel)});
    table.rows.push_back(std::move(cells));
  }
  // Sorts by the call time of short kernels. A short kernel ends before the next launch is done, so
  // the GPU is idle in between; fusing kernels or a CUDA graph avoids that. The other columns say
  // less: long delays mostly mean a well-filled queue, and a slow call is often the first launch of
  // its kernel.
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
