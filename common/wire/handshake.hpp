// How a process joins a session.
//
// PROF_SESSION names the session directory (mode 0700). In it:
//   reply     A StandingReply. It exists if the collector need not see a process before it records:
//             the process reads its configuration here and takes a serial and a slot in the arena.
//   arrivals  FIFO. A process that has read the StandingReply writes one Arrival (atomic: below
//             PIPE_BUF) and continues without waiting. A fork child does so in every session,
//             because the collector knows its parent; if nobody watches the pipe, the child writes
//             its arrival to its slot in the arena (SlotOwner).
//   control   SOCK_SEQPACKET socket for all other processes. The process sends one Hello and gets
//             one Reply and, for ProcessKind::kStart, the arena's memfd by SCM_RIGHTS. Then both
//             ends close.
//   events    FIFO for Announcements. A process opens it, writes once (atomic: below PIPE_BUF), and
//             closes it, so that none of our descriptors stays open in the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/wire/libraries.hpp"
#include "common/wire/version.hpp"

namespace prof::wire {

inline constexpr char kSessionVariable[] = "PROF_SESSION";
inline constexpr char kControlSocketName[] = "control";
inline constexpr char kArrivalPipeName[] = "arrivals";
inline constexpr char kStandingReplyName[] = "reply";
inline constexpr char kEventPipeName[] = "events";
// The name of a file that says which Python functions become ranges; it exists only if there are
// any. {"functions": [[domain, module, function, color]], "pytorch": [what]}: JSON that is also a
// Python literal.
inline constexpr char kPythonAnnotationsName[] = "python_annotations";
inline constexpr std::uint32_t kHandshakeMagic = 0x70726f66;  // "prof"

enum class ProcessKind : std::uint16_t {
  kStart = 1,  // the image was just loaded (launch, exec, spawn): needs the arena
  kFork = 2,   // a fork or clone of a process that has mapped the arena
};

struct Hello {
  std::uint32_t magic;
  std::uint16_t version;  // kWireVersion
  ProcessKind kind;
  std::int32_t pid;  // getpid(); on `control` the collector uses SO_PEERCRED instead
  std::int32_t ppid;
  std::uint32_t parent_serial;  // kFork: Reply::serial of the process it was cloned from
  std::uint32_t serial;         // taken by the process; 0: the process waits for a Reply
  std::uint64_t time;           // on the session's clock; the TSC if it waits for a Reply
  std::uint32_t slot;           // taken by the process
  std::uint32_t program_bytes;  // length of Arrival::program; 0 on `control` and with kFork
};

// The message that a process writes to `arrivals`. The process and the collector see the same pid.
struct Arrival {
  Hello hello;
  char program[472];  // path of its executable; a process with a longer path uses `control`
};

enum class ClockSource : std::uint32_t {
  kTsc = 0,           // rdtsc, ticks
  kMonotonicRaw = 1,  // clock_gettime(CLOCK_MONOTONIC_RAW), nanoseconds
};

enum class ReplyStatus : std::uint32_t {
  kTrace = 0,
  kRefused = 1,  // the session has ended or is full: run untraced
  kWrongVersion = 2,
};

// Bits of Reply::features.
inline constexpr std::uint32_t kFeatureOsrt = 1;
inline constexpr std::uint32_t kFeatureNvtx = 2;
inline constexpr std::uint32_t kFeatureRepairEnvironment = 4;  // put our variables back on exec
inline constexpr std::uint32_t kFeatureCuda = 8;
inline constexpr std::uint32_t kFeatureCaptureRange = 16;
inline constexpr std::uint32_t kFeatureForks = 32;  // trace fork children before they exec
inline constexpr std::uint32_t kFeatureFileAccess = 64;
inline constexpr std::uint32_t kFeatureForksArrive = 128;      // fork children need no reply
inline constexpr std::uint32_t kFeaturePythonCuda = 256;       // Python call chains of CUDA calls
inline constexpr std::uint32_t kFeaturePythonOsrt = 512;       // Python chains of OS-runtime calls
inline constexpr std::uint32_t kFeaturePythonSampling = 1024;  // report where the interpreter is
inline constexpr std::uint32_t kFeatureOsrtStacks = 2048;  // native call chains of OS-runtime calls
inline constexpr std::uint32_t kFeatureCudaStacks = 4096;  // native ones of CUDA calls: CudaConfig
inline constexpr std::uint32_t kFeaturePythonGil = 8192;
inline constexpr std::uint32_t kFeaturePythonAnnotations = 16384;  // file kPythonAnnotationsName
// Processes sample their CPU time by timers, because the kernel does not permit the collector to.
inline constexpr std::uint32_t kFeatureCpuSampling = 1 << 15;
// 1 << 16 to 1 << 23, and 1 << 26 to 1 << 28: library_feature(); from 1 << 29 on: the process's
// own use.
// 1 << 25: recording is switched on and off while programs run, see ArenaHeader::dormant.
inline constexpr std::uint32_t kFeatureDormancy = 1 << 25;
// Calls and ranges are thinned: see Reply::max_overhead.
inline constexpr std::uint32_t kFeatureThinning = 1 << 24;

// Bits of Reply::graphics.
inline constexpr std::uint32_t kGraphicsVulkan = 1;
inline constexpr std::uint32_t kGraphicsVulkanLabels = 2;
// Vulkan's work on the GPU is timed: command buffers and labels, or whole submits.
inline constexpr std::uint32_t kGraphicsVulkanIndividual = 4;
inline constexpr std::uint32_t kGraphicsVulkanBatch = 8;
inline constexpr std::uint32_t kGraphicsOpenGlGroups = 16;
inline constexpr std::uint32_t kGraphicsOpenGlWorkloads = 32;  // work on the GPU is timed

enum class NvtxFilter : std::uint32_t {
  kNone = 0,
  kInclude = 1,
  kExclude = 2,
};

// Bits of CudaConfig::flags.
inline constexpr std::uint32_t kCudaMemoryUsage = 1;
inline constexpr std::uint32_t kCudaGraphNodes =
    2;  // trace the nodes of graphs, not whole launches
inline constexpr std::uint32_t kCudaEvents = 4;
inline constexpr std::uint32_t kCudaAllApis = 8;
inline constexpr std::uint32_t kCudaUnifiedMemoryCpuFaults = 16;
inline constexpr std::uint32_t kCudaUnifiedMemoryGpuFaults = 32;
inline constexpr std::uint32_t kCudaFlushOnProfilerStop = 64;
// The hardware trace is used where it works well; with the second flag it is used whatever the
// machine is.
inline constexpr std::uint32_t kCudaHardwareTrace = 128;
inline constexpr std::uint32_t kCudaHardwareForced = 2048;
inline constexpr std::uint32_t kCudaContextSwitches = 4096;
inline constexpr std::uint32_t kCudaDeviceGraphs = 256;  // graphs launched by the GPU
inline constexpr std::uint32_t kCudaAlone =
    512;  // CUPTI is not shared with the program's own tools
inline constexpr std::uint32_t kCudaSeveralSubscribers =
    1024;  // prof is one of CUPTI's subscribers, if CUPTI allows several

// Launches of kernels are profiled: see the file kKernelPlanName. GPU work has no records.
inline constexpr std::uint32_t kCudaKernelProfiles = 16384;

// Kinds of CUDA calls that have separate thresholds.
enum class CudaCallKind : std::uint32_t { kKernel = 0, kMemory = 1, kSync = 2, kOther = 3 };
inline constexpr std::size_t kCudaCallKinds = 4;

enum class CudaCubins : std::uint32_t {
  kNone = 0,
  kUsed = 1,  // with samples
  kAll = 2,
};

struct CudaConfig {
  std::uint32_t flags;
  std::uint32_t flush_interval;  // ms; 0: when a buffer is full
  std::uint64_t sync_flush_gap;  // shortest time between flushes at synchronizations, clock units
  std::uint32_t flush_timeout;   // s that the process waits for CUPTI at its end; 0: no limit
  std::uint32_t stack_bytes;     // largest stack copy of a call, with kFeatureCudaStacks
  // The shortest call with a stack copy, in clock units, by CudaCallKind; all ones: no call of this
  // kind has one.
  std::uint64_t stack_thresholds[kCudaCallKinds];
  // Samples of instructions: each multiprocessor takes one in 2^pc_sampling cycles; 0: none.
  std::uint32_t pc_sampling;
  CudaCubins cubins;  // of which GPU code is kept, with pc_sampling
  char cupti[512];    // path of libcupti; empty: search
};

// The ranges that --at-step selects: their numbers, counted from 0 in each process. Windows are in
// ascending order and do not overlap.
struct StepWindow {
  std::uint64_t first;
  std::uint64_t last;
};
inline constexpr std::size_t kMaxStepWindows = 16;

// The NVTX range that starts and ends a capture range, if ArenaHeader::triggers has kNvtxTrigger.
struct CaptureConfig {
  char nvtx_range[256];   // text of the range; empty: none
  char nvtx_domain[256];  // domain of the range; empty: the default one; "*": any
  // If there are windows, a capture range lasts from the begin of the first range of a window to
  // the end of its last one. Otherwise each range is a capture range.
  std::uint32_t num_windows;
  std::uint32_t counts_steps;  // 1: the ranges are counted while nobody collects, too
  StepWindow windows[kMaxStepWindows];
  // With kFrameTrigger: the frame of a graphics program with which the range begins, from 1, and
  // how many frames it has; 0: all that follow.
  std::uint32_t first_frame;
  std::uint32_t frames;
};

struct Reply {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t reserved;
  ReplyStatus status;
  std::uint32_t features;
  ClockSource clock;
  // Identifies this process image in the session. At least kFirstSerial, never reused. Serial and
  // slot are 0 in a standing reply.
  std::uint32_t serial;
  std::uint32_t slot;          // index of its ProcessSlot
  std::uint32_t small_chunks;  // in the arena's address space
  std::uint32_t large_chunks;
  std::uint32_t osrt_stack_bytes;      // largest stack copy of a call, with kFeatureOsrtStacks
  std::uint64_t osrt_threshold;        // shortest OS-runtime call recorded, in clock units
  std::uint64_t osrt_chain_threshold;  // shortest one with a call chain, in clock units
  std::uint64_t sample_period;         // CPU time between samples, ns, with kFeatureCpuSampling
  std::uint32_t sample_stack_bytes;    // largest stack copy of a sample
  std::uint32_t max_overhead;          // millionths of a thread's time, with kFeatureThinning
  std::uint64_t thinning_period;       // between decisions about thinning, 10 ms in clock units
  NvtxFilter nvtx_filter;
  std::uint32_t nvtx_domain_bytes;  // used bytes of nvtx_domains
  char nvtx_domains[1024];          // names, each NUL-terminated; "default" = the default domain
  CudaConfig cuda;
  CaptureConfig capture;
  std::uint32_t graphics;     // kGraphics*
  std::uint32_t sends_ranks;  // 1: variables of rank_variables.hpp are reported
};

// The contents of the file `reply`.
struct StandingReply {
  Reply reply;
  std::uint64_t arena_device;  // identify the arena: in another pid namespace its path names
  std::uint64_t arena_inode;   // another file
  char arena[48];              // path of a descriptor of the collector, in /proc
};

enum class AnnouncementKind : std::uint16_t {
  kBufferFilling = 1,  // asks the collector to drain now, not at the next poll
  kNoRoom = 2,         // no address space or descriptor for the arena: the process is not traced
};

struct Announcement {
  std::uint32_t magic;
  std::uint16_t version;
  AnnouncementKind kind;
  std::uint32_t serial;
  std::uint32_t chunk;  // index of the chunk that was claimed
};

static_assert(std::is_trivially_copyable_v<Hello> && sizeof(Hello) == 40);
static_assert(std::is_trivially_copyable_v<Arrival> && sizeof(Arrival) == 512);
static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Reply) == 2480);
static_assert(std::is_trivially_copyable_v<StandingReply> && sizeof(StandingReply) == 2544);
static_assert(std::is_trivially_copyable_v<Announcement> && sizeof(Announcement) == 16);

}  // namespace prof::wire
