// Records: a traced process appends one for each event to its chunks. Their layout is fixed.
//
// Every record starts with an 8-byte RecordHeader and is a multiple of 8 bytes long, so every field
// is naturally aligned. Times are raw clock readings (ClockSource in handshake.hpp), which the
// collector converts. A 64-bit content hash stands for a string. The process sends the text once,
// in a StringRecord before the first record that uses it.
//
// The layout is also part of the spool's file format: change it only together with kWireVersion and
// docs/wire-format.md. A reader uses RecordHeader::size to skip record types that it does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/wire/libraries.hpp"
#include "common/wire/version.hpp"

namespace prof::wire {

inline constexpr std::uint32_t kRecordAlignment = 8;

enum class RecordType : std::uint8_t {
  kInvalid = 0,
  kThread = 1,
  kString = 2,
  kFunction = 3,
  kCall = 4,
  kNvtxPush = 5,
  kNvtxPop = 6,
  kNvtxPushEx = 7,
  kNvtxMark = 8,
  kNvtxStart = 9,
  kNvtxEnd = 10,
  kNvtxDomain = 11,
  kNvtxDomainEnd = 12,
  kNvtxCategory = 13,
  kThreadName = 14,
  kOverhead = 15,
  kDiagnostic = 16,
  kCapture = 17,
  kFile = 18,
  kFileCall = 19,
  // chain_records.hpp
  kPythonCode = 20,
  kChain = 21,
  kEventChain = 22,
  kPythonSample = 23,
  // stack_records.hpp
  kStack = 24,
  kStackNode = 25,
  // sample_records.hpp
  kCpuSample = 26,
  kCpuSampleNode = 27,
  kShortCalls = 28,
  // thinning_records.hpp
  kWeight = 29,
  kUnrecorded = 30,
  kThinning = 31,
  // cuda_records.hpp
  kCudaCall = 32,
  kCudaKernel = 33,
  kCudaMemcpy = 34,
  kCudaMemset = 35,
  kCudaSync = 36,
  kCudaEvent = 37,
  kCudaGraphLaunch = 38,
  kCudaMemory = 39,
  kCudaPool = 40,
  kCudaContext = 41,
  kCudaStream = 42,
  kCudaDevice = 43,
  kCudaGraphEvent = 44,
  kCudaOverhead = 45,
  kCudaUnifiedMemory = 46,
  kCudaName = 47,
  kCudaExternalId = 48,
  kCudaRecordedCall = 49,
  kCudaHostFunction = 50,
  kCudaContextSwitch = 51,
  kCudaPcSample = 52,
  kCudaPcSlice = 53,
  kCudaCubin = 54,
  // nvtx_records.hpp
  kNvtxPayload = 64,
  kNvtxPopPayload = 65,
  kNvtxEndPayload = 66,
  kNvtxSchema = 67,
  kNvtxEnum = 68,
  kNvtxSemantics = 69,
  kNvtxScope = 70,
  kNvtxTimeDomain = 71,
  kNvtxTimeSync = 72,
  kNvtxCounter = 73,
  kNvtxSample = 74,
  kNvtxSampleBatch = 75,
  kNvtxDeferred = 76,
  kNvtxSync = 77,
  kNvtxMemory = 78,
  kNvtxGraphRange = 79,
  // mpi_records.hpp
  kMpiMessage = 80,
  kMpiCollective = 81,
  kMpiRequest = 82,
  kMpiCall = 83,
  kMpiCommunicator = 84,
  // openmp_records.hpp
  kOpenMpBegin = 85,
  kOpenMpEnd = 86,
  kCodeAddress = 87,
  kOpenAcc = 88,
  // opengl_records.hpp
  kOpenGlCall = 89,
  kOpenGlGroup = 90,
  kOpenGlWorkload = 91,
  kOpenGlGpuGroup = 92,
  // product_records.hpp
  kMatrixProduct = 93,
  // ucx_records.hpp
  kUcpTransfer = 94,
  kUcpCall = 95,
  kRankVariable = 96,
  // vulkan_records.hpp
  kVulkanCall = 97,
  kVulkanLabel = 98,
  kVulkanName = 99,
  kVulkanPipeline = 100,
  kVulkanWorkload = 101,
  kVulkanClock = 102,
  kUcpWorker = 103,     // ucx_records.hpp
  kShmemCall = 104,     // shmem_records.hpp
  kVulkanMemory = 105,  // vulkan_records.hpp
  kTorchMemory = 106,   // torch_records.hpp
  // kernel_records.hpp
  kKernelProfile = 112,
  kKernelMetric = 113,
  kKernelMetricName = 114,
  kKernelSeen = 115,
  kKernelInstruction = 116,
};

// Ids of functions, grouped by the folder of injection/ that owns them.
inline constexpr std::uint32_t kOsrtFunctions = 0;
inline constexpr std::uint32_t kProcessFunctions = 512;
inline constexpr std::uint32_t kVulkanFunctions = 768;
inline constexpr std::uint32_t kCudaRuntimeFunctions = 1024;
inline constexpr std::uint32_t kCudaDriverFunctions = 3072;
inline constexpr std::uint32_t kLibraryFunctions = 5120;  // from here on, ordered by Library
inline constexpr std::uint32_t kFunctionsPerLibrary = 2048;
inline constexpr std::uint32_t kMaxVulkanFunctions = kCudaRuntimeFunctions - kVulkanFunctions;
inline constexpr std::uint32_t kMaxFunctions =
    kLibraryFunctions + kLibraries * kFunctionsPerLibrary;

constexpr Library library_of(std::uint32_t function) {
  return static_cast<Library>((function - kLibraryFunctions) / kFunctionsPerLibrary);
}

struct RecordHeader {
  std::uint16_t size;  // bytes, header included; a multiple of kRecordAlignment
  RecordType type;
  std::uint8_t flags;  // meaning depends on the type
  std::uint32_t aux;   // meaning depends on the type
};

// The first record that a thread writes in a process.
struct ThreadRecord {
  RecordHeader header;  // aux: thread id as gettid() gives it
  std::uint64_t time;
  std::int32_t priority;  // 20 + nice, as in /proc/<pid>/stat
  std::uint32_t reserved;
  char name[16];  // kernel thread name (comm), NUL-terminated
};

inline constexpr std::uint8_t kStringTruncated = 1;  // flag: the text was cut at kMaxStringBytes

// The text of a hash. `header.aux` bytes of UTF-8 follow, padded with zeros to the alignment.
struct StringRecord {
  RecordHeader header;  // aux: length of the text in bytes
  std::uint64_t hash;
};

// Assigns a name to the id of a wrapped function. Sent before the first call of that function.
struct FunctionRecord {
  RecordHeader header;  // aux: function id
  std::uint64_t name;   // string hash
};

// One completed call of an OS-runtime function or of a traced library.
struct CallRecord {
  RecordHeader header;  // aux: function id; flags: nesting level, 0 = outermost
  std::uint64_t start;
  std::uint64_t end;
  std::int64_t result;  // return value, sign-extended; a pointer as an integer; 0 for libraries
};

// The calls of one function that were shorter than the threshold, since the previous such record of
// the same ShortCallCounter (chunk.hpp). Only the collector writes this record.
struct ShortCallsRecord {
  RecordHeader header;  // aux: function id
  std::uint64_t calls;
  std::uint64_t time;         // sum over all calls, in clock units
  std::uint64_t first, last;  // as in the ShortCallCounter
};

// With --osrt-file-access. An *access* is one descriptor of a process, from when it is opened or
// first seen until it is closed. Each process numbers its accesses from 1.
enum class FileKind : std::uint8_t {
  kUnknown = 0,    // only the descriptor's number is known
  kPath = 1,       // name: string hash of the path, or of the kernel's name for it
  kPipe = 2,       // name: inode
  kSocket = 3,     // name: inode, or 0
  kDuplicate = 4,  // name: the access whose descriptor was copied
};
inline constexpr std::uint8_t kFileOpened = 1;        // flag: opened by a recorded call
inline constexpr std::uint8_t kFileLocalAddress = 2;  // flag: `address` is not that of the peer

// Describes an access. The record comes before the first FileCallRecord of the access, and again if
// the description changes, for example when a socket is connected.
struct FileRecord {
  RecordHeader header;  // aux: access; flags: kFile*
  std::uint64_t time;
  std::uint64_t name;     // meaning depends on the kind
  std::uint64_t address;  // string hash of a socket's struct sockaddr; 0: none
  std::int32_t fd;
  FileKind kind;
  std::uint8_t socket_type;     // SOCK_STREAM, ...
  std::uint16_t socket_domain;  // AF_INET, ...
};

enum class FileOperation : std::uint8_t {
  kOpen = 0,
  kRead = 1,
  kWrite = 2,
  kClose = 3,
  kOther = 4
};

inline constexpr std::uint8_t kFileOnly =
    1;  // flag: describes the file only; the call is short or has another record

// A call and its effect on a file. A call that uses two files writes two records.
struct FileCallRecord {
  RecordHeader header;  // aux: function id; flags: nesting level, as in CallRecord
  std::uint64_t start;
  std::uint64_t end;
  std::int64_t result;
  std::uint64_t bytes;  // transferred by the call
  std::uint32_t access;
  FileOperation operation;
  std::uint8_t flags;  // kFileOnly
  std::uint16_t reserved;
};

// Flags of the records of NVTX events.
inline constexpr std::uint8_t kNvtxRegistered = 1;  // text came as a registered string handle
inline constexpr std::uint8_t kNvtxHasColor = 2;
inline constexpr std::uint8_t kNvtxHasCategory = 4;
inline constexpr std::uint8_t kNvtxHasText = 8;

// Payload types have NVTX's numbers (nvtxPayloadType_t).
enum class NvtxPayload : std::uint32_t {
  kNone = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat = 6,
};

// The push of a range that has only a name. This is the common case, so the record is short.
struct NvtxPushRecord {
  RecordHeader header;  // aux: domain id; flags: kNvtxHasText
  std::uint64_t time;
  std::uint64_t text;  // string hash
};

struct NvtxPopRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
};

// kNvtxPushEx, kNvtxMark and kNvtxStart: an event with all its attributes.
struct NvtxEventRecord {
  RecordHeader header;  // aux: domain id; flags: kNvtx*
  std::uint64_t time;
  std::uint64_t text;      // string hash, valid with kNvtxHasText
  std::uint64_t range_id;  // kNvtxStart: returned by nvtxRangeStart; else 0
  std::uint64_t payload;   // bit pattern, low bytes first
  std::uint32_t color;     // ARGB
  std::uint32_t category;
  NvtxPayload payload_type;
  std::uint32_t reserved;
};

struct NvtxEndRecord {
  RecordHeader header;
  std::uint64_t time;
  std::uint64_t range_id;
};

struct NvtxDomainRecord {
  RecordHeader header;  // aux: domain id, from 1 in each process; 0 is the default domain
  std::uint64_t time;
  std::uint64_t name;  // string hash
};

struct NvtxDomainEndRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
};

struct NvtxCategoryRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
  std::uint64_t name;  // string hash
  std::uint32_t category;
  std::uint32_t reserved;
};

inline constexpr std::uint8_t kThreadNameFromNvtx = 1;     // nvtxNameOsThread
inline constexpr std::uint8_t kThreadNameFromPthread = 2;  // pthread_setname_np, PR_SET_NAME

struct ThreadNameRecord {
  RecordHeader header;  // aux: id of the named thread; flags: kThreadNameFrom*
  std::uint64_t time;
  std::uint64_t name;  // string hash
};

// A variable in which a launcher, or the program itself, says which rank of a job the process is
// (rank_variables.hpp). Sent again if its value changes.
struct RankVariableRecord {
  RecordHeader header;
  std::uint64_t time;
  std::uint64_t text;  // string hash: "NAME=value"
};

// The work of prof inside of the process.
enum class OverheadKind : std::uint32_t {
  kProcessStart = 0,  // constructor: resolve symbols, connect, map the arena
  kProcessFork = 1,   // introduce a fork child to the collector
  kNvtxStart = 2,     // fill in the NVTX table of one library
  kChunkClaim = 3,    // find and map the next chunk
  kCudaStart = 4,     // load and set up CUPTI
  kCudaFlush = 5,     // wait for CUPTI to deliver its records
  kCount
};

inline constexpr std::uint8_t kLastFlush =
    1;  // flag of kCudaFlush: the process or the collection was ending

struct OverheadRecord {
  RecordHeader header;  // aux: OverheadKind; flags: kLastFlush
  std::uint64_t start;
  std::uint64_t end;
};

// Something in the program failed or was switched off. Most codes are reported once per process.
enum class DiagnosticCode : std::uint32_t {
  kNvtxModuleMissing = 0,  // arg: NVTX callback module the client did not offer
  kNvtxDomainLimit = 1,    // arg: number of domains; ranges of later ones are dropped
  kSandboxed = 2,          // the process entered seccomp; prof makes no more system calls in it
  kWipeOnForkMissing = 3,  // kernel without MADV_WIPEONFORK; children of raw clone() are missed
  kCuptiMissing = 4,       // no libcupti found; arg: 0
  kCuptiTooOld = 5,        // arg: API version of the libcupti that was found
  kCuptiTaken = 6,         // another tool has the subscription; arg: string hash of its name, or 0
  kCuptiFailed = 7,        // arg: function (cupti_api.hpp) << 32 | CUptiResult
  kCudaUnknownRecord = 8,  // arg: CUpti_ActivityKind
  kCudaClock = 9,          // CUPTI does not use our clock; arg: offset between the two, ns
  kCudaReady = 10,         // arg: CUPTI's API version
  kLibraryMissing = 11,    // a function was called that no loaded library defines; arg: Library
  kCudaFlushGivenUp = 12,  // CUPTI's last records did not come in time; arg: timeout, s
  kOtherUser = 13,         // the program, run as another user, cannot join; arg: the user id
  kSharedThread = 14,      // a thread stops recording: it shares its state with a cloned child
  // The program started another one that cannot be traced; arg: hash of its path.
  kStaticProgram = 15,
  kOtherLibc = 16,     // linked to a C library that is not glibc
  kOtherMachine = 17,  // not x86-64
  kPrivileged = 18,    // gets privileges that its caller lacks

  kClockForbidden = 19,  // seccomp's strict mode, PR_SET_TSC; recording ended
  kStackRefused = 20,    // the kernel refuses stack copies; arg: errno
  // CPU sampling by timers.
  kSamplingNoSignal = 21,     // no real-time signal is free
  kSamplingNoTimer = 22,      // a thread got no timer; arg: errno
  kSamplingSignalTaken = 23,  // the program uses the signal; sampling ended; arg: its number
  kSamplingSmallStack = 24,   // a thread's alternate signal stack is too small; arg: its bytes
  kSamplingConfined = 25,     // the process entered seccomp; sampling ended
  kRemark = 26,               // a remark for the user; arg: hash of its text
  kForeignThread = 27,        // threads or children have private thread-local data
  kCuptiShared = 28,  // the program uses CUPTI too; arg: string hash of the library that does
  // arg: number of schemas; pointers in payloads of later schemas are not followed
  kNvtxSchemaLimit = 29,
  // Another user of CUPTI gets no nodes of graphs; arg: string hash of its library.
  kCuptiGraphsWhole = 30,
  kCuptiMessage = 31,      // CUPTI's message about the hardware trace; arg: string hash
  kHardwareTraceOld = 32,  // hardware trace by a CUPTI with known faults; arg: its API version
  // arg: 1 if prof is one of several subscribers of CUPTI, 0 if CUPTI does not allow them
  kCuptiSubscribers = 33,
  // How GPU work is timed; arg: TimingReason, bit 8 for the hardware trace, and 32 bits of detail.
  kCudaTiming = 34,
  kContextSwitchesMissing = 35,  // CUPTI is too old for --gpuctxsw; arg: its API version
  // PC sampling ended or never began in a context; arg: function (cupti_functions.hpp) << 32 |
  // CUptiResult
  kPcSamplingFailed = 36,
  kPcSamplingMissing = 37,  // CUPTI lacks functions of PC sampling; arg: its API version
  // The program's own use of the GPU's counters was refused; arg: string hash of the library.
  kPcSamplingHeld = 38,
  // The program uses the GPU's counters, so prof samples no more contexts; arg: as before
  kPcSamplingYields = 39,
  kCubinsLeftOut = 40,           // arg: the size that all kept cubins have at most, bytes
  kPcSamplingOtherContext = 41,  // another context of the GPU is sampled; arg: the GPU's ordinal
  // OpenMP is not traced, because its runtime has another tool; arg: string hash of the library
  kOpenMpToolTaken = 42,
  kVulkanNoGpuTimes = 43,  // work of Vulkan on the GPU is not timed; arg: VulkanObstacle
  kCount
};

// Why work of Vulkan on the GPU has no times.
enum class VulkanObstacle : std::uint8_t {
  kNoClock = 0,    // the driver cannot compare its clock with that of the CPU
  kNoQueries = 1,  // a queue has no timestamps, or cannot reset queries
  kFailed = 2,     // the driver refused objects that prof needs
  kFull = 3,       // more submits were in progress than prof has queries for
};

// Why the hardware trace of the GPU is used, or why CUPTI times GPU work by software.
enum class TimingReason : std::uint8_t {
  kSupported = 0,   // the machine supports it
  kOnRequest = 1,   // by software, on request
  kOldLibrary = 2,  // detail: CUPTI's API version
  kOldGpu = 3,      // detail: compute capability, major * 10 + minor
  kMps = 4,
  kMig = 5,
  kLate = 6,       // programs are recorded on demand
  kLatencies = 7,  // another user of CUPTI wants the latencies of launches
  kRefused = 8,    // detail: CUptiResult
  kSeveralSubscribers = 9,
};
inline constexpr std::uint64_t kTimedByHardware = 256;

struct DiagnosticRecord {
  RecordHeader header;  // aux: DiagnosticCode
  std::uint64_t time;
  std::uint64_t arg;
};

enum class CaptureEvent : std::uint32_t { kBegin = 0, kEnd = 1 };

// The session entered or left a capture range.
struct CaptureRecord {
  RecordHeader header;  // aux: CaptureEvent
  std::uint64_t time;
};

template <class Record>
inline constexpr bool kIsRecord =
    std::is_trivially_copyable_v<Record>&& std::is_standard_layout_v<Record> &&
    sizeof(Record) % kRecordAlignment == 0 && offsetof(Record, header) == 0;

static_assert(sizeof(RecordHeader) == 8);
static_assert(kIsRecord<ThreadRecord> && sizeof(ThreadRecord) == 40);
static_assert(kIsRecord<StringRecord> && sizeof(StringRecord) == 16);
static_assert(kIsRecord<FunctionRecord> && sizeof(FunctionRecord) == 16);
static_assert(kIsRecord<CallRecord> && sizeof(CallRecord) == 32);
static_assert(offsetof(CallRecord, start) == 8 && offsetof(CallRecord, result) == 24);
static_assert(kIsRecord<ShortCallsRecord> && sizeof(ShortCallsRecord) == 40);
static_assert(kIsRecord<NvtxPushRecord> && sizeof(NvtxPushRecord) == 24);
static_assert(kIsRecord<NvtxPopRecord> && sizeof(NvtxPopRecord) == 16);
static_assert(kIsRecord<NvtxEventRecord> && sizeof(NvtxEventRecord) == 56);
static_assert(offsetof(NvtxEventRecord, payload) == 32 && offsetof(NvtxEventRecord, color) == 40);
static_assert(kIsRecord<NvtxEndRecord> && sizeof(NvtxEndRecord) == 24);
static_assert(kIsRecord<NvtxDomainRecord> && sizeof(NvtxDomainRecord) == 24);
static_assert(kIsRecord<NvtxDomainEndRecord> && sizeof(NvtxDomainEndRecord) == 16);
static_assert(kIsRecord<NvtxCategoryRecord> && sizeof(NvtxCategoryRecord) == 32);
static_assert(kIsRecord<ThreadNameRecord> && sizeof(ThreadNameRecord) == 24);
static_assert(kIsRecord<RankVariableRecord> && sizeof(RankVariableRecord) == 24);
static_assert(kIsRecord<OverheadRecord> && sizeof(OverheadRecord) == 24);
static_assert(kIsRecord<DiagnosticRecord> && sizeof(DiagnosticRecord) == 24);
static_assert(kIsRecord<CaptureRecord> && sizeof(CaptureRecord) == 16);
static_assert(kIsRecord<FileRecord> && sizeof(FileRecord) == 40);
static_assert(kIsRecord<FileCallRecord> && sizeof(FileCallRecord) == 48);
static_assert(offsetof(FileCallRecord, bytes) == 32 && offsetof(FileCallRecord, access) == 40);

// The maximum length of a text that is sent. A longer text is cut there (at a UTF-8 boundary) and
// flagged.
inline constexpr std::uint32_t kMaxStringBytes = 16 * 1024;

constexpr std::uint32_t padded(std::uint32_t bytes) {
  return (bytes + kRecordAlignment - 1) & ~(kRecordAlignment - 1);
}

}  // namespace prof::wire
