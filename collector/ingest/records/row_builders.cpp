#include "collector/ingest/records/row_builders.hpp"

namespace prof::ingest {

RowBuilders::RowBuilders(const spool::Spool& spool, double tick_rate,
                         report::ReportWriter& report_writer, const std::optional<Window>& window)
    : writer(report_writer),
      clock(spool.clocks, tick_rate),
      strings(writer.memory()),
      processes(spool.notes, writer.memory()),
      stacks(spool, writer),
      chains(clock, strings, stacks, writer),
      functions(strings, writer),
      nvtx(clock, strings, processes, writer),
      cuda(clock, strings, processes, writer),
      files(clock, strings, processes, writer),
      calls(clock, functions, chains, files, writer),
      short_calls(clock, functions, writer),
      system_calls(clock, writer),
      cpu(clock, stacks, writer),
      metrics(clock, writer),
      thread_names(writer.memory()),
      diagnostics(clock, strings, processes, writer) {
  nvtx.set_end(clock.end());
  if (!window) return;
  window_length = window->end - window->begin;
  clock.set_zero(window->begin);
  writer.set_window(0, *window_length);
  cpu.set_window(*window_length);
  metrics.set_window(*window_length);
  nvtx.set_end(*window_length);
  short_calls.set_window(*window_length);
}

}  // namespace prof::ingest
