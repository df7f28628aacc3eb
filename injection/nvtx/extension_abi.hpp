// The binary interface of NVTX's extensions for payloads, counters and memory: layouts, ids and
// slots of the published API, as in abi.hpp. The same unit test compares them with the original
// headers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

// The slots of an extension. A client that uses one calls InitializeInjectionNvtxExtension with its
// function slots. If a slot stays 0, the tool ignores that function.
struct ExtensionSegment {
  std::size_t id;
  std::size_t slot_count;
  std::intptr_t* slots;
};

struct ExtensionModule {
  std::uint16_t nvtx_version;
  std::uint16_t struct_size;
  std::uint16_t module;
  std::uint16_t compatibility;  // major version in the upper byte
  std::size_t segment_count;
  ExtensionSegment* segments;
  std::intptr_t (*get_export_function)(std::uint32_t id);
  const void* extra;
};

enum Extension : std::uint16_t {
  kMemoryExtension = 1,
  kPayloadExtension = 2,
  kCountersExtension = 4,
};
inline constexpr std::uint16_t kExtensionMajorVersion = 1;

// Slots of the payload extension.
enum PayloadCallback : unsigned {
  kPayloadSchemaRegister = 0,
  kPayloadEnumRegister = 1,
  kMarkPayload = 2,
  kRangePushPayload = 3,
  kRangePopPayload = 4,
  kRangeStartPayload = 5,
  kRangeEndPayload = 6,
  kDomainIsEnabled = 7,
  kTimestampGet = 8,
  kTimeDomainRegister = 9,
  kTimerSource = 10,
  kTimerSourceWithData = 11,
  kScopeRegister = 12,
  kTimeSyncPoint = 13,
  kTimeSyncPointTable = 14,
  kTimestampConversionFactor = 15,
  kEventSubmit = 16,
  kEventBatchSubmit = 17,
};

// Slots of the counters extension.
enum CounterCallback : unsigned {
  kCounterRegister = 0,
  kCounterSampleInt64 = 1,
  kCounterSampleFloat64 = 2,
  kCounterSample = 3,
  kCounterSampleNoValue = 4,
  kCounterBatchSubmit = 5,
};

// The EventAttributes::payload_type for payloads of the extension: `payload` is then the address of
// an array of PayloadData, and `reserved` the length of the array.
inline constexpr auto kPayloadTypeExtended = static_cast<std::int32_t>(0xDFBD0009);

// Ids below this are predefined. From here on they are the client's, and then prof's.
inline constexpr std::uint64_t kFirstStaticId = 1 << 24;
inline constexpr std::uint64_t kFirstDynamicId = std::uint64_t{1} << 32;

// Slots of the memory extension. Slots for permissions are for tools that check accesses.
enum MemoryCallback : unsigned {
  kMemHeapRegister = 0,
  kMemHeapUnregister = 1,
  kMemHeapReset = 2,
  kMemRegionsRegister = 3,
  kMemRegionsResize = 4,
  kMemRegionsUnregister = 5,
  kMemRegionsName = 6,
};

// nvtxPayloadData_t. If the size is all ones, the tool determines it.
struct PayloadData {
  std::uint64_t schema;
  std::size_t size;
  const void* payload;
};
inline constexpr std::size_t kUnknownSize = ~std::size_t{0};

// Semantic extensions of an entry or a counter: a linked list.
struct SemanticsHeader {
  std::uint32_t struct_size;
  std::uint16_t id;
  std::uint16_t version;
  const SemanticsHeader* next;
};
enum SemanticsId : std::uint16_t {
  kScopeSemantics = 1,
  kTimeSemantics = 2,
  kCorrelationSemantics = 3,
  kCounterSemantics = 5,
};
// nvtxSemanticsScope_t and nvtxSemanticsTime_t, which have only an id.
struct IdSemantics {
  SemanticsHeader header;
  std::uint64_t id;
};
// nvtxSemanticsCounter_t; the limits are unions of 8-byte numbers.
struct CounterSemantics {
  SemanticsHeader header;
  std::uint64_t flags;
  const char* unit;
  std::uint64_t scale_numerator;
  std::uint64_t scale_denominator;
  std::int64_t limit_type;
  std::uint64_t min;
  std::uint64_t max;
};
// nvtxSemanticsCorrelation_t
struct CorrelationSemantics {
  SemanticsHeader header;
  unsigned char uuid[16];
  const char* name;
  std::uint64_t role;
};

struct SchemaEntry {
  std::uint64_t flags;
  std::uint64_t type;
  const char* name;
  const char* description;
  std::uint64_t detail;  // length, index of the length, or member of a union
  std::uint64_t offset;
  const SemanticsHeader* semantics;
  const void* reserved;
};

// The client has written only the fields whose bit is set in `fields`.
enum SchemaField : std::uint64_t {
  kSchemaName = 1 << 1,
  kSchemaType = 1 << 2,
  kSchemaFlags = 1 << 3,
  kSchemaEntries = 1 << 4,
  kSchemaEntryCount = 1 << 5,
  kSchemaSize = 1 << 6,
  kSchemaAlignment = 1 << 7,
  kSchemaId = 1 << 8,
};
struct SchemaAttributes {
  std::uint64_t fields;
  const char* name;
  std::uint64_t type;
  std::uint64_t flags;
  const SchemaEntry* entries;
  std::size_t entry_count;
  std::size_t static_size;
  std::size_t alignment;
  std::uint64_t id;
  void* extension;
};

struct EnumEntry {
  const char* name;
  std::uint64_t value;
  std::int8_t is_flag;
};
enum EnumField : std::uint64_t {
  kEnumName = 1 << 1,
  kEnumEntries = 1 << 2,
  kEnumEntryCount = 1 << 3,
  kEnumSize = 1 << 4,
  kEnumId = 1 << 5,
};
struct EnumAttributes {
  std::uint64_t fields;
  const char* name;
  const EnumEntry* entries;
  std::size_t entry_count;
  std::size_t size;
  std::uint64_t id;
  void* extension;
};

struct ScopeAttributes {
  std::size_t struct_size;
  const char* path;
  std::uint64_t parent;
  std::uint64_t id;
};

struct TimeDomainAttributes {
  std::uint64_t scope;
  std::uint64_t timestamp_type;
  std::uint64_t id;
  std::uint64_t flags;
  std::int64_t resolution;  // ticks per second; 0: not known
  std::uint64_t start;
};

struct SyncPoint {
  std::int64_t source;
  std::int64_t target;
};

// nvtxEventBatch_t
struct EventBatch {
  std::uint64_t schema;
  std::size_t size;
  const void* events;
  std::uint64_t scope;
  std::uint64_t flags;
  const void* flexible_data;
  std::size_t flexible_size;
  std::size_t flexible_offset;
};

struct CounterAttributes {
  std::size_t struct_size;
  std::uint64_t schema;
  const char* name;
  const char* description;
  std::uint64_t scope;
  const SemanticsHeader* semantics;
  std::uint64_t id;
};

// nvtxCounterBatch_t
struct CounterBatch {
  std::uint64_t counter;
  const void* samples;
  std::size_t size;
  std::uint64_t flags;
  const std::int64_t* timestamps;
  std::size_t timestamp_bytes;
};

// Memory. The handle of a heap or region is the number that prof assigned to it.
using MemoryHandle = void*;
inline constexpr std::uint32_t kVirtualAddress = 1;  // NVTX_MEM_TYPE_*
enum RegionReference : std::uint32_t { kByPointer = 1, kByHandle = 2 };

union MessageValue {
  const char* ascii;
  const wchar_t* unicode;
  void* registered;
};

struct VirtualRange {
  std::size_t size;
  const void* address;
};

struct HeapDescription {
  std::uint16_t compatibility;
  std::uint16_t struct_size;
  std::uint32_t reserved;
  std::uint32_t usage;
  std::uint32_t type;
  std::size_t range_size;
  const VirtualRange* range;  // if the type is kVirtualAddress
  std::uint32_t category;
  std::uint32_t message_type;
  MessageValue message;
};

struct RegionsRegisterBatch {
  std::uint16_t compatibility;
  std::uint16_t struct_size;
  std::uint32_t type;
  MemoryHandle heap;
  std::size_t count;
  std::size_t element_size;
  const void* elements;   // VirtualRange, if the type is kVirtualAddress
  MemoryHandle* handles;  // null: the client names regions by their addresses
};

struct RegionsResizeBatch {
  std::uint16_t compatibility;
  std::uint16_t struct_size;
  std::uint32_t type;
  std::size_t count;
  std::size_t element_size;
  const void* elements;
};

struct RegionsUnregisterBatch {
  std::uint16_t compatibility;
  std::uint16_t struct_size;
  std::uint32_t reference;  // RegionReference
  std::size_t count;
  std::size_t element_size;
  const void* elements;  // addresses or handles
};

struct RegionName {
  std::uint32_t reference;
  std::uint32_t message_type;
  std::uint64_t region;
  MessageValue name;
  std::uint32_t category;
  std::uint32_t reserved;
};
struct RegionsNameBatch {
  std::uint16_t compatibility;
  std::uint16_t struct_size;
  std::uint32_t reserved;
  std::size_t count;
  std::size_t element_size;
  const void* elements;  // RegionName
  std::size_t reserved2;
};

}  // namespace prof::nvtx
