// Messages about the session as a whole: how many events the report has, and what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/ingest/cpu/cpu_builder.hpp"
#include "collector/ingest/cpu/system_call_builder.hpp"
#include "collector/ingest/cpu/tracepoint_builder.hpp"
#include "collector/ingest/cuda/cuda_builder.hpp"
#include "collector/ingest/cuda/pc_samples.hpp"
#include "collector/ingest/nvtx/nvtx_builder.hpp"
#include "collector/spool/notes.hpp"

namespace prof::ingest {

// What was traced, although no process used it.
struct UnusedInterface {
  const char* name;
  const char* reason;  // the rest of a sentence
};

struct SessionCounts {
  std::uint64_t os_runtime_calls = 0;
  std::uint64_t file_accesses = 0;
  std::uint64_t library_calls = 0;
  std::uint64_t mpi_events = 0;
  std::vector<std::int32_t> unfinished_ranks;  // of MPI, that ended without MPI_Finalize
  std::uint64_t ucx_events = 0;
  std::uint64_t shmem_events = 0;
  std::vector<UnusedInterface> unused;
  std::uint64_t torch_memory_events = 0;
  std::uint64_t torch_memory_failures = 0;  // requests for which there was no memory
  std::uint64_t openmp_events = 0;
  std::uint64_t openacc_events = 0;
  std::uint64_t vulkan_events = 0;
  std::uint64_t vulkan_workloads = 0;
  std::uint64_t opengl_events = 0;
  NvtxStats nvtx;
  CudaStats cuda;
  PcSampleStats pc_samples;
  SystemCallStats system_calls;
  TracepointStats tracepoints;
  CpuStats cpu;
  // Stacks that were not copied because the event buffer was filling up.
  std::uint64_t skipped_stacks = 0;
  std::uint64_t corrupt_bytes = 0;  // skipped bytes of records
  std::uint64_t ignored_bytes = 0;  // ignored bytes of the spool
  bool in_a_window = false;         // the report is of a capture range
  bool complete = false;            // the session ended normally
};

struct FinalMessage {
  spool::Severity severity;
  std::string text;
};

std::vector<FinalMessage> final_messages(const SessionCounts& counts);

}  // namespace prof::ingest
