#include "collector/ingest/records/row_builders.hpp"

namespace prof::ingest {

namespace {
constexpr double kNanoseconds = 1e9;  // ticks per second of a clock that is not the TSC
}

RowBuilders::RowBuilders(const spool::Spool& spool, double tick_rate,
                         report::ReportWriter& report_writer, const std::optional<Window>& window)
    : writer(report_writer),
      clock(spool.clocks, tick_rate),
      strings(writer.memory()),
      processes(spool.notes, writer.memory()),
      stacks(spool, writer),
      chains(clock, strings, stacks, writer),
      functions(strings, writer),
      short_calls(clock, functions, writer),
      thinning(clock, processes, short_calls, writer),
      nvtx_schemas(strings, processes),
      nvtx(clock, strings, processes, nvtx_schemas, thinning, writer),
      nvtx_times(clock, tick_rate != kNanoseconds),
      deferred_events(clock, strings, nvtx_schemas, nvtx_times),
      sync_objects(clock, strings),
      cuda(clock, strings, processes, writer),
      kernel_profiles(strings, processes, writer),
      pc_samples(clock, strings, processes, writer),
      cubins(writer),
      files(clock, strings, processes, writer),
      calls(clock, functions, chains, files, thinning, writer),
      system_calls(clock, processes, writer),
      cpu(clock, processes, stacks, writer),
      metrics(clock, writer),
      tracepoints(clock, processes, metrics, writer),
      nvtx_counters(clock, strings, processes, nvtx_schemas, nvtx_times, metrics, writer),
      memory_regions(clock, strings, processes, metrics, writer),
      graph_ranges(clock, strings, writer),
      thread_names(writer.memory()),
      ranks(writer.memory()),
      mpi(clock, functions, ranks, writer),
      ucx(clock, functions, writer),
      shmem(clock, functions, writer),
      torch_memory(clock, writer),
      places(strings, processes, writer),
      openmp(clock, processes, places, writer),
      openacc(clock, strings, places, writer),
      vulkan(clock, strings, processes, functions, writer),
      opengl(clock, strings, functions, writer),
      diagnostics(clock, strings, processes, writer) {
  nvtx.set_end(clock.end());
  openmp.set_end(clock.end());
  if (!window) return;
  window_length = window->end - window->begin;
  clock.set_zero(window->begin);
  writer.set_window(0, *window_length);
  cpu.set_window(*window_length);
  pc_samples.set_window(*window_length);
  metrics.set_window(*window_length);
  tracepoints.set_window(*window_length);
  nvtx_counters.set_window(*window_length);
  memory_regions.set_window(*window_length);
  nvtx.set_end(*window_length);
  openmp.set_end(*window_length);
  short_calls.set_window(*window_length);
}

}  // namespace prof::ingest
