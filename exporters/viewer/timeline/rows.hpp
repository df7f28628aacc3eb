// Describes the rows of the timeline: a tree of processes, threads, GPUs and streams with what they
// did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prof::timeline {

// The id of a row. It stays the same as long as the Timeline exists. 0 is not a row.
using RowId = std::uint32_t;
inline constexpr RowId kNoRow = 0;

// What is in a row.
enum class RowKind : std::uint8_t {
  kReport,
  kPath,  // the critical path
  kProcess,
  kThread,
  kThreads,    // several threads of one process
  kProcesses,  // several processes
  kNvtx,
  kCudaApi,
  kOsrt,
  kLibrary,
  kSyscall,
  kPython,
  kGil,
  kState,
  kSamples,
  kPythonSamples,
  kMpi,
  kOpenMp,
  kOpenAcc,
  kCpus,
  kCpu,
  kGpus,
  kGpu,
  kContext,
  kStream,
  kKernels,
  kCopies,
  kFills,
  kGraphs,
  kNvtxGpu,
  kWaits,  // CUDA synchronization, as CUPTI recorded it
  kMemory,
  kQueue,
  kStalls,  // what warps wait for, by PC samples
  kMetric,
  kBytes,
  kFiles,
  kOverhead,  // times of the profiler's overhead
  kFaults,    // page faults of unified memory
  kOther,     // events of tables that prof does not know
  kGroup,
};
const char* name_of(RowKind kind);  // "cuda_api", as in docs/viewer-protocol.md

// How a row is drawn.
enum class RowStyle : std::uint8_t { kEvents, kInstants, kStates, kCounter, kDensity };
const char* name_of(RowStyle style);  // "events"

struct Row {
  RowId id = kNoRow;
  RowId parent = kNoRow;
  RowKind kind = RowKind::kGroup;
  RowStyle style = RowStyle::kDensity;
  std::string name;  // may have any bytes that the report has
  std::string note;  // "pid 71"
  std::uint32_t lanes = 0;
  std::uint64_t events = 0;         // number of events; for a group of all rows below it
  std::int64_t duration = 0;        // ns, the sum of the events' durations; 0 for a group
  std::vector<std::string> tables;  // an event's `source` is an index in this list
  std::uint32_t version = 0;        // increases with each change of the row's tiles
  bool exact = false;               // false: the row shows a sample
  std::optional<double> share;      // busy time as a share of the siblings' sum
  std::string unit;                 // for a counter
  std::vector<std::string> series;  // for a counter: one series for each lane

  // The ids that the row belongs to. Not every row has all of these.
  std::uint32_t report = 0;             // an index in Snapshot::reports()
  std::optional<std::int64_t> process;  // globalPid; the thread part is 0
  std::optional<std::int64_t> thread;   // globalTid
  std::optional<std::int64_t> device;   // CUDA's number in the process
  std::optional<std::int64_t> context;  // contextId
  std::optional<std::int64_t> stream;   // streamId
};

}  // namespace prof::timeline
