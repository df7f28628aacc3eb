// What DIAGNOSTIC_EVENT says of a session as a whole: what was counted, and what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/ingest/cpu/cpu_builder.hpp"
#include "collector/ingest/cpu/system_call_builder.hpp"
#include "collector/ingest/cuda/cuda_builder.hpp"
#include "collector/ingest/nvtx_builder.hpp"
#include "collector/ingest/session_tables.hpp"

namespace prof::ingest {

struct SessionCounts {
  std::uint64_t calls = 0;  // of the OS runtime
  std::uint64_t file_accesses = 0;
  std::uint64_t library_calls = 0;
  NvtxStats nvtx;
  CudaStats cuda;
  SystemCallStats system_calls;
  CpuStats cpu;
  std::uint64_t skipped_stacks = 0;  // that were not copied, as the buffer was filling
  std::uint64_t corrupt_bytes = 0;   // of records
  std::uint64_t ignored_bytes = 0;   // of the recording
  bool in_a_window = false;          // of a capture range, so that ranges may have begun before
  bool complete = false;             // the session was closed in order
};

struct Remark {
  Severity severity;
  std::string text;
};

std::vector<Remark> closing_words(const SessionCounts& counts);

}  // namespace prof::ingest
