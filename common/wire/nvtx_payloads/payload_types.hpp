// NVTX's types of payload entries, flags and schemas, by their published numbers, and what a schema
// says about a payload's bytes. The collector uses this file, too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::nvtx_payloads {

// The types of entries that prof distinguishes. type_info() knows the sizes of all.
enum Type : std::uint64_t {
  kChar = 1,
  kUchar = 2,
  kShort = 3,
  kUshort = 4,
  kInt = 5,
  kUint = 6,
  kLong = 7,
  kUlong = 8,
  kLongLong = 9,
  kUlongLong = 10,
  kInt8 = 11,
  kUint8 = 12,
  kInt16 = 13,
  kUint16 = 14,
  kInt32 = 15,
  kUint32 = 16,
  kInt64 = 17,
  kUint64 = 18,
  kFloat = 19,
  kDouble = 20,
  kLongDouble = 21,
  kSize = 22,
  kAddress = 23,
  kWchar = 24,
  kChar8 = 25,
  kChar16 = 26,
  kChar32 = 27,
  kByte = 32,
  kInt128 = 33,
  kUint128 = 34,
  kFloat16 = 42,
  kFloat32 = 43,
  kFloat64 = 44,
  kFloat128 = 45,
  kBfloat16 = 50,
  kTf32 = 52,
  kRangeId = 67,
  kCategory = 68,
  kColorArgb = 69,
  kScopeId = 70,
  kPid32 = 71,
  kPid64 = 72,
  kTid32 = 73,
  kTid64 = 74,
  kCstring = 75,
  kCstringUtf8 = 76,
  kCstringUtf16 = 77,
  kCstringUtf32 = 78,
  kRegisteredString = 80,
  kUnionSelector = 100,
  // This type occurs only as the schema of a payload.
  kReferenced = 1022,  // a block that other payloads point into
  kRaw = 1023,
};
inline constexpr std::uint64_t kFirstRegistered = 1 << 24;  // ids of schemas and enums

// Flags of entries of a schema.
enum EntryFlag : std::uint64_t {
  kPointer = 1 << 1,
  kOffsetFromBase = 1 << 2,
  kOffsetFromHere = 1 << 3,
  kArrayMask = 7 << 4,
  kFixedArray = 1 << 4,
  kZeroTerminated = 2 << 4,
  kLengthIndex = 3 << 4,
  kLengthPayload = 4 << 4,
  kDeepCopy = 1 << 8,
  kHidden = 1 << 9,
  kEventMessage = 1 << 10,
  kTimestamp = 1 << 11,
  kRoleMask = 7 << 12,
  kRangeBegin = 1 << 12,
  kRangeEnd = 2 << 12,
  kMarkTime = 3 << 12,
  kCounterValue = 4 << 12,
};

enum SchemaType : std::uint64_t {
  kStaticSchema = 1,
  kDynamicSchema = 2,
  kUnion = 3,
  kUnionWithSelector = 4,
};

// Flags of schemas. The kinds of events are values of kKindMask.
enum SchemaFlag : std::uint64_t {
  kDeepCopySchema = 1 << 1,
  kReferencedSchema = 1 << 2,
  kKindMask = 15 << 3,
  kCounterGroup = 1 << 3,
  kRangePushPop = 2 << 3,
  kRangeStartEnd = 3 << 3,
  kMark = 4 << 3,
  kRangePush = 5 << 3,
  kRangePop = 6 << 3,
  kRangeStart = 7 << 3,
  kRangeStop = 8 << 3,
};

struct Entry {
  std::uint64_t flags;
  std::uint64_t type;
  std::uint64_t detail;  // length, index of the length, or member of a union
  std::uint64_t offset;  // 0 after the first entry: follows the previous entry
};

struct Schema {
  std::uint64_t type;
  std::uint64_t flags;
  std::uint64_t alignment;  // limit for its entries, as of #pragma pack; 0: no limit
  const Entry* entries;
  std::uint32_t entry_count;
  std::uint64_t size;       // 0: depends on the data
  std::uint64_t own_align;  // alignment of an entry of this type
};

// The type of an entry. If `size` is 0, the size is not known.
struct TypeInfo {
  std::uint64_t size;
  std::uint64_t align;
  const Schema* schema;  // null: a number, a text or an enum
};

constexpr bool is_registered(std::uint64_t type) { return type >= kFirstRegistered; }

// Returns the bytes of a code unit of a text; 0 if the type is not a text.
constexpr std::uint64_t text_unit(std::uint64_t type) {
  switch (type) {
    case kCstring:
    case kCstringUtf8:
      return 1;
    case kCstringUtf16:
      return 2;
    case kCstringUtf32:
      return 4;
    default:
      return 0;
  }
}

// Returns the size of a predefined type in a program for x86-64 or aarch64; 0 if it is not known.
// The alignment is the same.
constexpr std::uint64_t size_of(std::uint64_t type) {
  constexpr std::uint8_t kSmall[] = {0, 1, 1, 2,  2, 4, 4, 8, 8, 8, 8, 1, 1, 2, 2, 4,  4, 8,
                                     8, 4, 8, 16, 8, 8, 4, 1, 2, 4, 0, 0, 0, 0, 1, 16, 16};
  if (type < sizeof kSmall) return kSmall[type];
  switch (type) {
    case kFloat16:
    case kBfloat16:
      return 2;
    case kFloat32:
    case kTf32:
    case kCategory:
    case kColorArgb:
    case kPid32:
    case kTid32:
      return 4;
    case kFloat64:
    case kRangeId:
    case kScopeId:
    case kPid64:
    case kTid64:
    case kRegisteredString:
    case kUnionSelector:
      return 8;
    case kFloat128:
      return 16;
    default:
      return text_unit(type);
  }
}

// True if the entry holds an address, as a text without a length does.
constexpr bool is_pointer(const Entry& entry) {
  if ((entry.flags & kPointer) != 0) return true;
  if (text_unit(entry.type) == 0) return false;
  return (entry.flags & kDeepCopy) != 0 || ((entry.flags & kArrayMask) == 0 && entry.detail == 0);
}
constexpr bool is_offset(const Entry& entry) {
  return (entry.flags & (kOffsetFromBase | kOffsetFromHere)) != 0;
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return align < 2 ? value : (value + align - 1) / align * align;
}
constexpr std::uint64_t min_of(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }

}  // namespace prof::nvtx_payloads
