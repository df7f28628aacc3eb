// cuda_kern_exec_trace: every kernel with its launch, in the order of the launches.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/events/global_ids.hpp"
#include "exporters/stats/kernel_executions.hpp"

namespace prof::stats {

namespace {

std::vector<ColumnSpec> columns() {
  std::vector<ColumnSpec> result;
  for (const char* header :
       {"API Start (ns)", "API Dur (ns)", "Queue Start (ns)", "Queue Dur (ns)", "Kernel Start (ns)",
        "Kernel Dur (ns)", "Total Dur (ns)", "PID", "TID", "DevId"})
    result.push_back({header, CellKind::kInteger});
  for (const char* header : {"API Function", "GridXYZ", "BlockXYZ", "Kernel Name"})
    result.push_back({header, CellKind::kText});
  return result;
}

}  // namespace

base::Result<Table> cuda_kern_exec_trace(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  auto names = KernelNames::make(reader, arguments);
  if (!names) return tl::make_unexpected(names.error());
  Strings strings(reader);
  SharedTexts shared;
  Table table{columns(), {}};
  const base::Status read =
      for_each_execution(reader, *names, [&](const KernelExecution& execution) {
        const auto& [call, kernel] = execution;
        Cell queue_start;
        Cell queue_time;
        if (execution.queued()) {
          queue_start = call.end;
          queue_time = execution.queue_time();
        }
        table.rows.push_back(
            {call.start, execution.call_time(), queue_start, queue_time, kernel.start,
             execution.kernel_time(), execution.total_time(), pid_of(call.global_tid),
             tid_of(call.global_tid), kernel.device,
             shared(without_version(strings.text(call.name))), shared(dimensions_text(kernel.grid)),
             shared(dimensions_text(kernel.block)), shared(names->text(kernel.key))});
      });
  if (!read) return tl::make_unexpected(read.error());
  sort_by_first(table);
  return table;
}

}  // namespace prof::stats
