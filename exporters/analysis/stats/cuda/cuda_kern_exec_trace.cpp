// cuda_kern_exec_trace: every kernel with its launch, in the order of the launches.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/cuda/kernel_executions.hpp"

namespace prof::stats {

namespace {

std::vector<tables::ColumnSpec> execution_trace_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header :
       {"API Start (ns)", "API Dur (ns)", "Queue Start (ns)", "Queue Dur (ns)", "Kernel Start (ns)",
        "Kernel Dur (ns)", "Total Dur (ns)", "PID", "TID", "DevId"})
    result.push_back({header, tables::CellKind::kInteger});
  for (const char* header : {"API Function", "GridXYZ", "BlockXYZ", "Kernel Name"})
    result.push_back({header, tables::CellKind::kText});
  return result;
}

}  // namespace

base::Result<tables::Table> cuda_kern_exec_trace(const report::ReportReader& reader,
                                                 const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  events::Strings strings(reader);
  tables::SharedTexts shared;
  tables::Table table{execution_trace_columns(), {}};
  const base::Status read =
      for_each_execution(reader, *names, [&](const KernelExecution& execution) {
        const auto& [call, kernel] = execution;
        tables::Cell queue_start;
        tables::Cell queue_time;
        if (execution.queued()) {
          queue_start = call.end;
          queue_time = execution.queue_time();
        }
        table.rows.push_back(
            {call.start, execution.call_time(), queue_start, queue_time, kernel.start,
             execution.kernel_time(), execution.total_time(), events::pid_of(call.global_tid),
             events::tid_of(call.global_tid), kernel.device,
             shared(events::without_version(strings.text(call.name))),
             shared(events::dimensions_text(kernel.grid)),
             shared(events::dimensions_text(kernel.block)), shared(names->text(kernel.key))});
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
