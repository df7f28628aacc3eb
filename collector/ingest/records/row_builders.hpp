// The builders that make rows of a recording's records, and the objects that they share.
#pragma once

#include <cstdint>
#include <optional>

#include "collector/ingest/calls/call_builder.hpp"
#include "collector/ingest/calls/file_builder.hpp"
#include "collector/ingest/calls/function_names.hpp"
#include "collector/ingest/calls/short_calls.hpp"
#include "collector/ingest/capture_ranges.hpp"
#include "collector/ingest/chains/call_chains.hpp"
#include "collector/ingest/chains/stack_table.hpp"
#include "collector/ingest/compiled/compiled_launches.hpp"
#include "collector/ingest/cpu/cpu_builder.hpp"
#include "collector/ingest/cpu/system_call_builder.hpp"
#include "collector/ingest/cpu/tracepoint_builder.hpp"
#include "collector/ingest/cuda/cubins.hpp"
#include "collector/ingest/cuda/cuda_builder.hpp"
#include "collector/ingest/cuda/kernel_profiles.hpp"
#include "collector/ingest/cuda/pc_samples.hpp"
#include "collector/ingest/diagnostics/target_diagnostics.hpp"
#include "collector/ingest/graphics/opengl_builder.hpp"
#include "collector/ingest/graphics/vulkan_builder.hpp"
#include "collector/ingest/job/ranks.hpp"
#include "collector/ingest/metrics/metric_builder.hpp"
#include "collector/ingest/mpi/mpi_builder.hpp"
#include "collector/ingest/nvtx/counter_builder.hpp"
#include "collector/ingest/nvtx/deferred_events.hpp"
#include "collector/ingest/nvtx/graph_ranges.hpp"
#include "collector/ingest/nvtx/memory_regions.hpp"
#include "collector/ingest/nvtx/nvtx_builder.hpp"
#include "collector/ingest/nvtx/payload_schemas.hpp"
#include "collector/ingest/nvtx/sync_objects.hpp"
#include "collector/ingest/nvtx/time_domains.hpp"
#include "collector/ingest/openmp/construct_places.hpp"
#include "collector/ingest/openmp/openacc_builder.hpp"
#include "collector/ingest/openmp/openmp_builder.hpp"
#include "collector/ingest/oshmem/shmem_builder.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/ingest/thinning.hpp"
#include "collector/ingest/thread_names.hpp"
#include "collector/ingest/torch/torch_memory.hpp"
#include "collector/ingest/ucx/ucx_builder.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/spool.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

struct RowBuilders {
  // With `window`, only rows inside of it are written, and its begin is time 0. The references
  // outlive the object.
  RowBuilders(const spool::Spool& spool, double tick_rate, report::ReportWriter& report_writer,
              const std::optional<Window>& window);
  RowBuilders(const RowBuilders&) = delete;
  RowBuilders& operator=(const RowBuilders&) = delete;

  report::ReportWriter& writer;
  spool::ClockModel clock;
  StringTable strings;
  ProcessTable processes;
  StackTable stacks;
  CallChains chains;
  CompiledLaunches compiled;
  FunctionNames functions;
  ShortCalls short_calls;
  Thinning thinning;
  PayloadSchemas nvtx_schemas;
  NvtxBuilder nvtx;
  TimeDomains nvtx_times;
  DeferredEvents deferred_events;
  SyncObjects sync_objects;
  CudaBuilder cuda;
  KernelProfiles kernel_profiles;
  PcSamples pc_samples;
  Cubins cubins;
  FileBuilder files;
  CallBuilder calls;
  SystemCallBuilder system_calls;
  CpuBuilder cpu;
  MetricBuilder metrics;
  TracepointBuilder tracepoints;
  NvtxCounters nvtx_counters;
  MemoryRegions memory_regions;
  GraphRanges graph_ranges;
  ThreadNames thread_names;
  Ranks ranks;
  MpiBuilder mpi;
  UcxBuilder ucx;
  ShmemBuilder shmem;
  TorchMemory torch_memory;
  ConstructPlaces places;
  OpenMpBuilder openmp;
  OpenAccBuilder openacc;
  VulkanBuilder vulkan;
  OpenGlBuilder opengl;
  TargetDiagnostics diagnostics;
  std::optional<std::int64_t> window_length;  // ns
  std::int64_t last_python_sample = 0;        // time of the last sample, ns
};

}  // namespace prof::ingest
