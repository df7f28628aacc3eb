// Records of NVTX's extensions: payloads, schemas, counters, time domains, synchronization objects,
// memory.
// Ids, types and flags have NVTX's numbers. Texts are string hashes; 0: none.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// The NvtxEventRecord::payload_type of an event with payloads. Its `payload` is the token of the
// payloads.
inline constexpr auto kNvtxExtendedPayload = static_cast<NvtxPayload>(9);

// A piece of a payload, or of memory to which a payload points. All pieces with a token belong to
// the thread's next record with that token.
inline constexpr std::uint8_t kNvtxPayloadCut = 1;      // flag: the program's payload is longer
inline constexpr std::uint8_t kNvtxPayloadMemory = 2;   // flag: memory that a payload points to
inline constexpr std::uint8_t kNvtxPayloadFollows = 4;  // flag: continues the previous record
inline constexpr std::uint8_t kNvtxPayloadMissing = 8;  // flag: the memory cannot be read

struct NvtxPayloadRecord {
  RecordHeader header;  // aux: bytes that follow, padded with zeros; flags: kNvtxPayload*
  std::uint64_t token;
  std::uint64_t schema;
  std::uint64_t address;  // of the first byte of this record
};

// The end of a range (pop or end) that has payloads.
struct NvtxPopPayloadRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
  std::uint64_t token;
};
struct NvtxEndPayloadRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
  std::uint64_t range_id;
  std::uint64_t token;
};

// A schema. Its entries follow.
struct NvtxSchemaRecord {
  RecordHeader header;  // aux: number of entries
  std::uint64_t id;
  std::uint64_t name;
  std::uint64_t type;
  std::uint64_t flags;
  std::uint64_t static_size;  // 0: not given
  std::uint64_t alignment;    // 0: not given
  std::uint32_t domain;
  std::uint32_t reserved;
};
struct NvtxSchemaEntry {
  std::uint64_t flags;
  std::uint64_t type;
  std::uint64_t name;
  std::uint64_t description;
  std::uint64_t detail;
  std::uint64_t offset;
};

// An enum. Its values follow.
struct NvtxEnumRecord {
  RecordHeader header;  // aux: number of values
  std::uint64_t id;
  std::uint64_t name;
  std::uint64_t size;  // bytes of a value
  std::uint32_t domain;
  std::uint32_t reserved;
};
struct NvtxEnumValue {
  std::uint64_t name;
  std::uint64_t value;
  std::uint64_t is_flag;
};

// What a semantic extension says about a counter, or about an entry of a schema.
inline constexpr std::uint32_t kNvtxWholeCounter = 0xffffffff;

struct NvtxSemanticsRecord {
  RecordHeader header;  // aux: domain id; flags: id of the extension
  std::uint64_t owner;  // id of the schema or counter
  std::uint32_t entry;  // index, or kNvtxWholeCounter
  std::uint32_t reserved;
  // Scope and time have the id. A counter has flags, unit (text), numerator, denominator, limit
  // type, min, max. A correlation has two halves of the domain's UUID, its name (text), role.
  std::uint64_t values[7];
};

struct NvtxScopeRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t id;
  std::uint64_t parent;
  std::uint64_t path;
};

struct NvtxTimeDomainRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t id;
  std::uint64_t scope;
  std::uint64_t timestamp_type;
  std::uint64_t flags;
  std::uint64_t start;
  std::int64_t resolution;  // ticks per second; 0: not known
};

// Two readings of clocks at the same moment. Id 1, "provided by the tool", is the session's clock.
inline constexpr std::uint8_t kNvtxHasSlope = 1;  // flag

struct NvtxTimeSyncRecord {
  RecordHeader header;  // aux: domain id; flags: kNvtxHasSlope
  std::uint64_t source;
  std::uint64_t target;  // ids of time domains
  std::int64_t source_time;
  std::int64_t target_time;
  double slope;  // units of the target per unit of the source
};

struct NvtxCounterRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t id;
  std::uint64_t schema;
  std::uint64_t name;
  std::uint64_t description;
  std::uint64_t scope;
};

// The meaning of NvtxSampleRecord::value.
enum class NvtxSample : std::uint8_t {
  kInteger = 0,
  kReal = 1,
  kNone = 2,     // the value is NVTX's reason why there is no number
  kPayload = 3,  // the value is the token of one payload
};
struct NvtxSampleRecord {
  RecordHeader header;  // aux: domain id; flags: NvtxSample
  std::uint64_t time;
  std::uint64_t counter;
  std::uint64_t value;
};

// A batch of samples. Its first payload has the samples, the second, if any, the timestamps.
struct NvtxSampleBatchRecord {
  RecordHeader header;  // aux: domain id
  std::uint64_t time;
  std::uint64_t counter;
  std::uint64_t flags;
  std::uint64_t token;
};

// Deferred events. A batch has the array of events as its first payload, and the flexible data as
// its second.
inline constexpr std::uint8_t kNvtxBatch = 1;  // flag

struct NvtxDeferredRecord {
  RecordHeader header;  // aux: domain id; flags: kNvtxBatch
  std::uint64_t time;
  std::uint64_t token;
  std::uint64_t schema;  // of the events of a batch
  std::uint64_t scope;
  std::uint64_t flags;
};

// User-defined synchronization objects (nvtxDomainSyncUser*).
enum class NvtxSync : std::uint8_t {
  kCreated = 0,
  kAcquireStart = 2,
  kAcquireFailed = 3,
  kAcquired = 4,
  kReleasing = 5,
};
struct NvtxSyncRecord {
  RecordHeader header;  // aux: domain id; flags: NvtxSync
  std::uint64_t time;
  std::uint64_t object;  // from 1 in each process
  std::uint64_t name;    // text, of kCreated
};

// A range in which a node of a CUDA graph was made while nothing is recorded. It is written when
// the node is made, and once more at its end.
struct NvtxGraphRangeRecord {
  RecordHeader header;  // aux: domain id; flags: kNvtxHasText, kNvtxRegistered
  std::uint64_t start;
  std::uint64_t end;   // 0: still open
  std::uint64_t text;  // string hash
};

// Heaps and regions of memory (nvtxMem*).
enum class NvtxMemory : std::uint8_t {
  kHeap = 0,
  kHeapEnd = 1,
  kHeapReset = 2,
  kRegion = 3,
  kRegionResized = 4,
  kRegionEnd = 5,
  kName = 6,
};
struct NvtxMemoryRecord {
  RecordHeader header;  // aux: domain id; flags: NvtxMemory
  std::uint64_t time;
  std::uint64_t object;  // from 1 in each process; 0: the region at `address`, or the whole process
  std::uint64_t heap;    // of kRegion; 0: the whole process
  std::uint64_t address;  // 0: not known
  std::uint64_t size;
  std::uint64_t name;  // text
  std::uint32_t category;
  std::uint16_t usage;  // of a heap, NVTX_MEM_HEAP_USAGE_*
  std::uint16_t type;   // NVTX_MEM_TYPE_*
};

static_assert(kIsRecord<NvtxPayloadRecord> && sizeof(NvtxPayloadRecord) == 32);
static_assert(kIsRecord<NvtxPopPayloadRecord> && sizeof(NvtxPopPayloadRecord) == 24);
static_assert(kIsRecord<NvtxEndPayloadRecord> && sizeof(NvtxEndPayloadRecord) == 32);
static_assert(kIsRecord<NvtxSchemaRecord> && sizeof(NvtxSchemaRecord) == 64);
static_assert(sizeof(NvtxSchemaEntry) == 48 && sizeof(NvtxEnumValue) == 24);
static_assert(kIsRecord<NvtxEnumRecord> && sizeof(NvtxEnumRecord) == 40);
static_assert(kIsRecord<NvtxSemanticsRecord> && sizeof(NvtxSemanticsRecord) == 80);
static_assert(kIsRecord<NvtxScopeRecord> && sizeof(NvtxScopeRecord) == 32);
static_assert(kIsRecord<NvtxTimeDomainRecord> && sizeof(NvtxTimeDomainRecord) == 56);
static_assert(kIsRecord<NvtxTimeSyncRecord> && sizeof(NvtxTimeSyncRecord) == 48);
static_assert(kIsRecord<NvtxCounterRecord> && sizeof(NvtxCounterRecord) == 48);
static_assert(kIsRecord<NvtxSampleRecord> && sizeof(NvtxSampleRecord) == 32);
static_assert(kIsRecord<NvtxGraphRangeRecord> && sizeof(NvtxGraphRangeRecord) == 32);
static_assert(kIsRecord<NvtxSampleBatchRecord> && sizeof(NvtxSampleBatchRecord) == 40);
static_assert(kIsRecord<NvtxDeferredRecord> && sizeof(NvtxDeferredRecord) == 48);
static_assert(kIsRecord<NvtxSyncRecord> && sizeof(NvtxSyncRecord) == 32);
static_assert(kIsRecord<NvtxMemoryRecord> && sizeof(NvtxMemoryRecord) == 64);

}  // namespace prof::wire
