#include "several/selections.hpp"

#include <cupti_activity_deprecated.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fake_cupti.hpp"

namespace fake {

namespace {

struct Field {
  int kind;
  int number;          // in CUPTI's enumeration of the kind
  std::size_t offset;  // in CUPTI's struct
  std::size_t size;
  std::size_t selected;  // size in a record with selected fields
};

#define SAME(kind, number, record, member) \
  { kind, number, offsetof(record, member), sizeof(record::member), sizeof(record::member) }
#define WIDE(kind, number, record, member) \
  { kind, number, offsetof(record, member), sizeof(record::member), 8 }
#define KERNEL(number, member) \
  SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, number, CUpti_ActivityKernel9, member)
#define WIDE_KERNEL(number, member) \
  WIDE(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, number, CUpti_ActivityKernel9, member)
#define COPY(number, member) SAME(CUPTI_ACTIVITY_KIND_MEMCPY, number, CUpti_ActivityMemcpy6, member)
#define FILL(number, member) SAME(CUPTI_ACTIVITY_KIND_MEMSET, number, CUpti_ActivityMemset4, member)

// The field has what the struct has in the upper half of a byte.
constexpr int kCacheConfig = 1;

constexpr Field kFields[] = {
    KERNEL(0, kind),
    KERNEL(kCacheConfig, cacheConfig),
    KERNEL(4, registersPerThread),
    KERNEL(7, start),
    KERNEL(8, end),
    KERNEL(10, deviceId),
    KERNEL(11, contextId),
    KERNEL(12, streamId),
    KERNEL(13, gridX),
    KERNEL(14, gridY),
    KERNEL(15, gridZ),
    KERNEL(16, blockX),
    KERNEL(17, blockY),
    KERNEL(18, blockZ),
    KERNEL(19, staticSharedMemory),
    KERNEL(20, dynamicSharedMemory),
    KERNEL(21, localMemoryPerThread),
    WIDE_KERNEL(22, correlationId),
    KERNEL(23, gridId),
    KERNEL(24, name),
    KERNEL(27, launchType),
    KERNEL(30, sharedMemoryExecuted),
    KERNEL(31, graphNodeId),
    KERNEL(32, shmemLimitConfig),
    KERNEL(33, graphId),
    KERNEL(37, clusterX),
    KERNEL(38, clusterY),
    KERNEL(39, clusterZ),
    KERNEL(41, localMemoryTotal_v2),
    COPY(0, kind),
    COPY(1, copyKind),
    COPY(2, srcKind),
    COPY(3, dstKind),
    COPY(5, bytes),
    COPY(6, start),
    COPY(7, end),
    COPY(8, deviceId),
    COPY(9, contextId),
    COPY(10, streamId),
    WIDE(CUPTI_ACTIVITY_KIND_MEMCPY, 11, CUpti_ActivityMemcpy6, correlationId),
    COPY(12, graphNodeId),
    COPY(13, graphId),
    COPY(17, copyCount),
    FILL(0, kind),
    FILL(1, value),
    FILL(2, bytes),
    FILL(3, start),
    FILL(4, end),
    FILL(5, deviceId),
    FILL(6, contextId),
    FILL(7, streamId),
    WIDE(CUPTI_ACTIVITY_KIND_MEMSET, 8, CUpti_ActivityMemset4, correlationId),
    FILL(10, memoryKind),
    FILL(11, graphNodeId),
    FILL(12, graphId),
};

const Field* find(int kind, int number) {
  for (const Field& field : kFields)
    if (field.kind == kind && field.number == number) return &field;
  return nullptr;
}

// Other libraries may choose other sizes: CUPTI's comments say 64 bits for contexts and streams.
std::size_t selected_size(const Field& field) {
  const bool is_wide = field.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
                       (field.number == 11 || field.number == 12) && misbehaviour().wide_ids;
  return is_wide ? 8 : field.selected;
}

std::size_t rounded(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

bool Selections::add(int kind, const prof::cuda::v2::Selection& selection) {
  Kind made;
  std::size_t end = 0;
  std::size_t alignment = 1;
  for (std::size_t i = 0; i < selection.count; ++i) {
    const Field* field = find(kind, selection.fields[i]);
    if (field == nullptr || (i == 0 && field->number != 0)) return false;
    const std::size_t bytes = selected_size(*field);
    alignment = std::max(alignment, bytes);
    end = rounded(end, bytes);
    made.fields.push_back({sizeof(prof::cuda::v2::FieldPlace), field->number, end, bytes, bytes});
    made.sources.push_back(field->offset);
    made.sizes.push_back(field->size);
    end += bytes;
  }
  Kind& kept = kinds_[kind] = std::move(made);
  kept.places = {sizeof kept.places, kept.fields.data(), kept.fields.size(),
                 rounded(end, alignment)};
  places_[kind] = &kept.places;
  return selection.count != 0;
}

void Selections::write(int kind, const std::uint8_t* record, std::uint8_t* to) const {
  const Kind& known = kinds_.at(kind);
  std::memset(to, 0, known.places.bytes);
  for (std::size_t i = 0; i < known.fields.size(); ++i)
    std::memcpy(to + known.fields[i].offset, record + known.sources[i], known.sizes[i]);
  for (const auto& field : known.fields)
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && field.field == kCacheConfig)
      to[field.offset] >>= 4;
}

prof::cuda::v2::BufferInfo Selections::info() {
  return {sizeof(prof::cuda::v2::BufferInfo), 0, places_, kKinds};
}

}  // namespace fake
