// Records of the CUDA trace (injection/cuda). The layout follows the rules in records.hpp.
//
// Records of API calls (calls, synchronizations, events) have times on the session's clock, like
// all records of a thread. Records made from CUPTI's activity records (GPU work, memory, overhead)
// have times in ns of CLOCK_MONOTONIC_RAW, because CUPTI interpolates GPU time in ns. Ids of
// devices, contexts and streams, and the numbers of kinds and types, are CUPTI's; the collector
// translates.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

inline constexpr std::uint32_t kNoCudaId = 0xffffffff;

// One completed call of the CUDA runtime or driver API.
struct CudaCallRecord {
  RecordHeader header;     // aux: correlation id
  std::uint32_t function;  // kCudaRuntimeFunctions or kCudaDriverFunctions + callback id
  std::int32_t result;     // cudaError_t or CUresult
  std::uint64_t start;
  std::uint64_t end;
};

struct CudaKernelRecord {
  RecordHeader header;  // aux: correlation id; flags: launch type (CUpti_ActivityLaunchType)
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t name;        // string hash of the mangled name
  std::uint64_t graph_node;  // 0: not in a graph
  std::int64_t grid_id;
  std::uint64_t local_memory_total;  // bytes
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;             // bytes
  std::int32_t dynamic_shared;            // bytes
  std::uint32_t local_memory_per_thread;  // bytes
  std::uint32_t shared_executed;          // bytes of shared memory the driver set up
  std::uint32_t cluster[3];               // 0: no clusters
  std::uint16_t registers;                // per thread
  std::uint8_t cache_config;
  std::uint8_t shared_limit_config;
};

struct CudaMemcpyRecord {
  RecordHeader header;  // aux: correlation id; flags: CUpti_ActivityMemcpyKind
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint64_t graph_node;
  std::uint64_t count;  // copies in a batch
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t source_device;  // this and the next three: kNoCudaId unless peer to peer
  std::uint32_t source_context;
  std::uint32_t target_device;
  std::uint32_t target_context;
  std::uint8_t source_kind;  // CUpti_ActivityMemoryKind
  std::uint8_t target_kind;
  std::uint16_t reserved;
};

struct CudaMemsetRecord {
  RecordHeader header;  // aux: correlation id
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint64_t graph_node;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t value;
  std::uint32_t memory_kind;
  std::uint32_t reserved;
};

// The program waited, checked whether it would have to wait, or made a stream wait.
struct CudaSyncRecord {
  RecordHeader header;  // aux: correlation id; flags: CUpti_ActivitySynchronizationType
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t event;    // handle; 0: none
  std::uint32_t context;  // the calling thread's
  std::uint32_t stream;   // kNoCudaId: no stream
};

enum class CudaEventOp : std::uint8_t {
  kCreated = 0,
  kRecorded = 1,
  // Stream capture: operations that the stream gets between these two become part of a graph.
  kCaptureBegun = 2,
  kCaptureEnded = 3,
  kCount
};

// An operation on a CUDA event. The collector uses these to number events, and to find which
// recording of an event a wait refers to.
struct CudaEventRecord {
  RecordHeader header;    // aux: correlation id; flags: CudaEventOp
  std::uint64_t time;     // start of the call
  std::uint64_t event;    // handle; 0 for captures
  std::uint32_t context;  // the calling thread's
  std::uint32_t stream;   // kNoCudaId: no stream
};

// One launch of a whole graph.
struct CudaGraphLaunchRecord {
  RecordHeader header;  // aux: correlation id
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph;  // the executable graph
};

// A host function for which a stream waited: a node of a graph, or a launch.
struct CudaHostFunctionRecord {
  RecordHeader header;  // aux: correlation id
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t graph_node;  // 0: launched by itself
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph;  // the executable graph; 0: launched by itself
};

// Memory was allocated or freed, on the device or pinned on the host.
struct CudaMemoryRecord {
  RecordHeader header;  // aux: correlation id; flags: CUpti_ActivityMemoryOperationType
  std::uint64_t time;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t pc;
  std::uint64_t name;  // string hash, 0: none
  std::uint64_t pool_address;
  std::uint64_t pool_release_threshold;
  std::uint64_t pool_size;  // of an imported pool: the id of the process that exported the pool
  std::uint64_t pool_used;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;  // kNoCudaId unless asynchronous
  std::uint16_t memory_kind;
  std::uint16_t pool_type;  // CUpti_ActivityMemoryPoolType, 0: no pool
};

struct CudaPoolRecord {
  RecordHeader header;  // aux: correlation id; flags: CUpti_ActivityMemoryPoolOperationType
  std::uint64_t time;
  std::uint64_t address;
  std::uint64_t min_bytes_to_keep;
  std::uint64_t release_threshold;
  std::uint64_t size;
  std::uint64_t used;
  std::uint32_t device;
  std::uint32_t pool_type;
};

struct CudaContextRecord {
  RecordHeader header;  // aux: context id; flags: 1 = green context
  std::uint32_t device;
  std::uint32_t null_stream;
  std::uint32_t parent;           // 0: none
  std::uint32_t multiprocessors;  // that a green context may use; 0: all, or not known
};

inline constexpr std::uint8_t kCudaContextBegins = 1;

// The GPU begins or ends to work for a context.
struct CudaContextSwitchRecord {
  RecordHeader header;  // aux: context id; flags: kCudaContextBegins, or 2: ends
  std::uint64_t time;
};

struct CudaStreamRecord {
  RecordHeader header;  // aux: stream id; flags: CUpti_ActivityStreamFlag
  std::uint32_t context;
  std::int32_t priority;
};

// A flag: the driver lets the process use the device. CUPTI also reports devices that
// CUDA_VISIBLE_DEVICES hides.
inline constexpr std::uint8_t kCudaDeviceUsable = 1;

// A GPU of the machine. Sizes are in bytes. Unknown values are 0; most values of a hidden GPU are
// unknown.
struct CudaDeviceRecord {
  RecordHeader header;             // aux: ordinal in this process; flags: kCudaDeviceUsable
  std::uint64_t name;              // string hash
  std::uint64_t memory_bandwidth;  // bytes/s
  std::uint64_t memory;
  std::uint64_t clock;           // Hz
  std::uint64_t driver_version;  // version of CUDA: 1000 * major + 10 * minor; 0: unknown
  std::uint8_t uuid[16];
  std::uint32_t l2_cache;
  std::uint32_t constant_memory;
  std::uint32_t multiprocessors;
  std::uint32_t copy_engines;
  std::uint32_t warp_size;
  std::uint32_t max_ipc;
  std::uint32_t max_warps_per_sm;
  std::uint32_t max_blocks_per_sm;
  std::uint32_t max_shared_per_sm;
  std::uint32_t max_registers_per_sm;
  std::uint32_t max_registers_per_block;
  std::uint32_t max_shared_per_block;
  std::uint32_t max_shared_per_block_optin;
  std::uint32_t max_threads_per_block;
  std::uint32_t max_block[3];
  std::uint32_t max_grid[3];
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint32_t pci_domain;
  std::uint32_t pci_bus;
  std::uint32_t pci_device;
  std::uint32_t integrated;
};

enum class CudaGraphEvent : std::uint32_t {
  kGraphCreated = 0,
  kGraphCloned = 1,
  kExecCreated = 2,
  kNodeCreated = 3,
  kNodeCloned = 4,
  kNodeUpdated = 5,   // the node of an executable graph takes over another node
  kGraphInlined = 6,  // the nodes of a graph in a graph become nodes of the executable graph
  kExecUpdated = 7,   // the executable graph takes over the graph
  kCount
};

// A graph, an executable graph, or a node was created, cloned, updated or inlined.
struct CudaGraphEventRecord {
  RecordHeader header;     // aux: CudaGraphEvent
  std::uint64_t time;      // session's clock
  std::uint64_t id;        // of the graph or node
  std::uint64_t original;  // the graph or node that it is a copy of; 0: none
  std::uint64_t exec;      // the executable graph; for kExecCreated, kGraphInlined and kExecUpdated
};

// CUPTI's own overhead, as CUPTI reports it.
struct CudaOverheadRecord {
  RecordHeader header;  // aux: CUpti_ActivityOverheadKind
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t tid;  // 0: not of a single thread
  std::uint32_t reserved;
};

// Unified memory: a migration, page faults or thrashing.
struct CudaUnifiedMemoryRecord {
  RecordHeader header;  // aux: CUpti_ActivityUnifiedMemoryCounterKind
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t value;
  std::uint64_t address;
  std::uint32_t source;
  std::uint32_t target;
  std::uint32_t stream;
  std::uint32_t flags;
};

enum class CudaObject : std::uint8_t { kDevice = 0, kContext = 1, kStream = 2, kCount };

// The program named an object through NVTX.
struct CudaNameRecord {
  RecordHeader header;    // aux: ordinal, context id or stream id; flags: CudaObject
  std::uint64_t time;     // session's clock
  std::uint64_t name;     // string hash
  std::uint32_t context;  // context of a stream; else 0
  std::uint32_t reserved;
};

// A CUDA call was made while another user of CUPTI (PyTorch's profiler, XLA) had pushed an external
// id.
struct CudaExternalIdRecord {
  RecordHeader header;   // aux: correlation id; flags: CUpti_ExternalCorrelationKind
  std::uint64_t id;      // the external id
  std::uint64_t client;  // string hash of the library that pushed the id
};

// A flag: the report has no row for this call or for driver calls inside of it.
inline constexpr std::uint8_t kCudaCallWithoutRow = 1;

// A call of the CUDA API that CUPTI has recorded for another user. The record is in the chunk of
// the thread to which CUPTI delivered it. A driver call may be inside of a runtime call with the
// same id.
struct CudaRecordedCallRecord {
  RecordHeader header;     // aux: correlation id; flags: kCudaCallWithoutRow
  std::uint32_t function;  // as in CudaCallRecord
  std::int32_t result;
  std::uint64_t start;  // CLOCK_MONOTONIC_RAW, ns
  std::uint64_t end;
  std::uint32_t tid;  // of the caller
  std::uint32_t reserved;
};

// Samples of an instruction of the GPU. `header.aux` items of CudaPcStall follow. The next
// CudaPcSliceRecord of the thread says when they were taken.
struct CudaPcSampleRecord {
  RecordHeader header;     // aux: number of stall reasons
  std::uint64_t cubin;     // its CRC, as CUPTI computes it
  std::uint64_t function;  // string hash of the mangled name
  std::uint64_t offset;    // of the instruction in the function, bytes
};

struct CudaPcStall {
  std::uint64_t reason;  // string hash of CUPTI's name without what is common to all names
  std::uint32_t samples;
  std::uint32_t not_issued;  // those of them at which the scheduler issued nothing
};

// The samples of a context in a time. Its CudaPcSampleRecords come before it.
struct CudaPcSliceRecord {
  RecordHeader header;  // aux: context id
  std::uint64_t start;  // session's clock
  std::uint64_t end;    // session's clock
  std::uint64_t total;  // all samples, with the following
  std::uint64_t dropped;
  std::uint64_t non_user;  // of kernels that are not the program's
  std::uint32_t device;
  std::uint32_t period;      // as a power of two, cycles
  std::uint32_t times_full;  // how many times the GPU's buffer was full
  std::uint32_t reserved;
};

// A piece of a cubin. `header.aux` bytes follow, padded to the alignment.
struct CudaCubinRecord {
  RecordHeader header;  // aux: bytes of the piece
  std::uint64_t crc;    // as in CudaPcSampleRecord
  std::uint64_t size;   // of the cubin
  std::uint64_t at;     // offset of the piece
};
inline constexpr std::uint32_t kCubinPiece = 16 * 1024;  // bytes of the largest piece

static_assert(kIsRecord<CudaPcSampleRecord> && sizeof(CudaPcSampleRecord) == 32);
static_assert(sizeof(CudaPcStall) == 16);
static_assert(kIsRecord<CudaPcSliceRecord> && sizeof(CudaPcSliceRecord) == 64);
static_assert(kIsRecord<CudaCubinRecord> && sizeof(CudaCubinRecord) == 32);
static_assert(kIsRecord<CudaRecordedCallRecord> && sizeof(CudaRecordedCallRecord) == 40);
static_assert(kIsRecord<CudaCallRecord> && sizeof(CudaCallRecord) == 32);
static_assert(kIsRecord<CudaKernelRecord> && sizeof(CudaKernelRecord) == 128);
static_assert(kIsRecord<CudaMemcpyRecord> && sizeof(CudaMemcpyRecord) == 80);
static_assert(kIsRecord<CudaMemsetRecord> && sizeof(CudaMemsetRecord) == 64);
static_assert(kIsRecord<CudaSyncRecord> && sizeof(CudaSyncRecord) == 40);
static_assert(kIsRecord<CudaEventRecord> && sizeof(CudaEventRecord) == 32);
static_assert(kIsRecord<CudaGraphLaunchRecord> && sizeof(CudaGraphLaunchRecord) == 40);
static_assert(kIsRecord<CudaHostFunctionRecord> && sizeof(CudaHostFunctionRecord) == 48);
static_assert(kIsRecord<CudaMemoryRecord> && sizeof(CudaMemoryRecord) == 96);
static_assert(kIsRecord<CudaPoolRecord> && sizeof(CudaPoolRecord) == 64);
static_assert(kIsRecord<CudaContextRecord> && sizeof(CudaContextRecord) == 24);
static_assert(kIsRecord<CudaContextSwitchRecord> && sizeof(CudaContextSwitchRecord) == 16);
static_assert(kIsRecord<CudaStreamRecord> && sizeof(CudaStreamRecord) == 16);
static_assert(kIsRecord<CudaDeviceRecord> && sizeof(CudaDeviceRecord) == 168);
static_assert(kIsRecord<CudaGraphEventRecord> && sizeof(CudaGraphEventRecord) == 40);
static_assert(kIsRecord<CudaOverheadRecord> && sizeof(CudaOverheadRecord) == 32);
static_assert(kIsRecord<CudaUnifiedMemoryRecord> && sizeof(CudaUnifiedMemoryRecord) == 56);
static_assert(kIsRecord<CudaNameRecord> && sizeof(CudaNameRecord) == 32);
static_assert(kIsRecord<CudaExternalIdRecord> && sizeof(CudaExternalIdRecord) == 24);

}  // namespace prof::wire
