// Records of prof kernel: launches that it profiled, and the values of their metrics.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::wire {

// The name of the file in the session directory that says what to profile. A line is a word and its
// value: "metric sm__cycles_active.avg except GV" (docs/wire-format.md).
inline constexpr char kKernelPlanName[] = "kernel_plan";

// The name of the file in the session directory to which a program writes a message about a kernel
// that hangs, for the user to read at once. The collector makes it, with a line break.
inline constexpr char kKernelHangName[] = "kernel_hang";

enum class KernelReplay : std::uint8_t {
  kNone = 0,         // one pass
  kKernel = 1,       // CUPTI runs the kernel once for each pass
  kRotate = 2,       // launches of the same kernel and size make one pass each
  kApplication = 3,  // runs of the program make one pass each
};

enum class KernelProfileStatus : std::uint32_t {
  kOk = 0,
  kRefused = 1,  // prof does not profile this kernel; `reason`
  kFailed = 2,   // CUPTI did not do it; `function` and `result`
};

// Why a launch was refused, or why its values are not given.
enum class KernelProfileReason : std::uint32_t {
  kNone = 0,
  kWaitsForOthers = 1,  // NCCL, NVSHMEM: a replay would wait forever
  kCaptured = 2,        // launched into a graph that is being captured
  kManyPasses = 3,      // one pass is not enough, and replay is off
  kOtherLaunches = 4,   // another thread launched a kernel at the same time
  kNoMetrics = 5,       // CUPTI knows none of the metrics on this chip
  kNoInstructions = 6,  // CUPTI counted no instruction
  kManyKernels = 7,     // more kernels than passes are kept of
  kWaitedTooLong = 8,   // for the end of a launch that another thread profiles
  kOtherRun = 9,        // the run of the program before had another launch in its place, or none
  kNoImage = 10,        // CUPTI's counters cannot be kept for the next run of the program
};

// Functions of CUPTI that may fail, in KernelProfileRecord::function. Only append to the list.
#define PROF_RANGE_FUNCTIONS(X)                   \
  X(cuptiProfilerInitialize)                      \
  X(cuptiProfilerGetCounterAvailability)          \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostGetMetricProperties)         \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiSassMetricsGetProperties)                \
  X(cuptiSassMetricsSetConfig)                    \
  X(cuptiSassMetricsEnable)                       \
  X(cuptiSassMetricsDisable)                      \
  X(cuptiSassMetricsGetDataProperties)            \
  X(cuptiSassMetricsFlushData)

// A launch that was selected. The metrics of one that was profiled follow on the same thread.
struct KernelProfileRecord {
  RecordHeader header;  // aux: correlation id; flags: KernelReplay
  std::uint64_t time;   // of the launch, on the session's clock
  std::uint64_t name;   // string hash of the mangled name
  std::uint64_t chip;   // string hash; 0: not known
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::uint32_t invocation;  // launches of this name that the process made before
  std::uint32_t passes;
  KernelProfileStatus status;
  KernelProfileReason reason;  // if the status is kOk: why there are no SASS metrics
  std::uint32_t function;      // of PROF_RANGE_FUNCTIONS
  std::uint32_t result;        // CUptiResult
  std::uint32_t rotation;      // number of the profile in the process, from 1, if the launch makes
                               // one pass of it; else 0
  std::uint32_t pass;          // which, from 0
  std::uint32_t reserved;
};

struct KernelMetricRecord {
  RecordHeader header;
  std::uint64_t name;  // string hash
  double value;
};

// What CUPTI says about a metric. Sent once for each GPU.
struct KernelMetricNameRecord {
  RecordHeader header;
  std::uint64_t name;  // string hash, as the following
  std::uint64_t unit;  // CUPTI's
  std::uint64_t description;
  std::uint64_t chip;
};

// What an instruction did in a launch, whose profile is before it on the thread. `header.aux` items
// of KernelCount follow.
struct KernelInstructionRecord {
  RecordHeader header;     // aux: number of counts
  std::uint64_t cubin;     // its CRC, as CUPTI computes it
  std::uint64_t function;  // string hash of the mangled name
  std::uint64_t offset;    // of the instruction in the function, bytes
};

struct KernelCount {
  std::uint64_t metric;  // string hash of the name
  std::uint64_t value;
};

// A kernel was launched for the first time in the process, selected or not.
struct KernelSeenRecord {
  RecordHeader header;
  std::uint64_t name;  // string hash of the mangled name
};

static_assert(kIsRecord<KernelProfileRecord> && sizeof(KernelProfileRecord) == 104);
static_assert(kIsRecord<KernelMetricRecord> && sizeof(KernelMetricRecord) == 24);
static_assert(kIsRecord<KernelMetricNameRecord> && sizeof(KernelMetricNameRecord) == 40);
static_assert(kIsRecord<KernelInstructionRecord> && sizeof(KernelInstructionRecord) == 32);
static_assert(sizeof(KernelCount) == 16);
static_assert(kIsRecord<KernelSeenRecord> && sizeof(KernelSeenRecord) == 16);

}  // namespace prof::wire
