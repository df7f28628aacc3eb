// Reads the samples of a report. A call with a call chain is a sample, too: its weight is its
// duration.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

enum class SampleKind {
  kCpu,        // COMPOSITE_EVENTS
  kPython,     // PROF_PYTHON_SAMPLES
  kOsrt,       // OSRT_API
  kCuda,       // CUPTI_ACTIVITY_KIND_RUNTIME
  kPythonWait  // PROF_PYTHON_WAITS: waiting threads, not threads at work
};

// True if the report has each call chain of CPU samples once: the chain of a row of
// COMPOSITE_EVENTS is the row of PROF_SAMPLE_CHAINS with its callchainId, in place of the rows of
// SAMPLING_CALLCHAINS with its id.
bool has_shared_sample_chains(const report::ReportReader& reader);

// Returns the name of the table of the samples.
const char* sample_table(SampleKind kind);
const char* sample_call_chain_table(SampleKind kind);

struct Sample {
  static constexpr std::int64_t kNoChain = INT64_MIN;
  static constexpr std::uint32_t kNoCall = UINT32_MAX;

  std::int64_t start;    // ns
  std::int64_t chain;    // id of the call chain, or kNoChain
  std::int64_t weight;   // CPU sample: cpuCycles, at least 1; call: duration in ns
  std::uint32_t thread;  // index in Samples::threads
  std::uint32_t call;    // index of the called function in Samples::calls, or kNoCall
};

struct Samples {
  std::vector<Sample> all;            // sorted by chain
  std::vector<std::int64_t> threads;  // globalTid
  std::vector<std::int64_t> calls;    // StringIds.id
  std::int64_t weight = 0;            // sum over all samples
  bool of_clock = true;               // every sample has weight 1
};

// Reads the samples. Nested OS-runtime calls are left out, because the outer call's time includes
// them. The result is empty if the report lacks the table.
base::Result<Samples> read_samples(const report::ReportReader& reader, SampleKind kind);

}  // namespace prof::events
