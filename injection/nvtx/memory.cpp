#include "injection/nvtx/memory.hpp"

#include <atomic>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::nvtx {

namespace {

using wire::NvtxMemory;

std::atomic<std::uint64_t> g_next_memory{1};

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

std::uint64_t text_of(std::uint32_t message_type, const MessageValue& message) {
  switch (message_type) {
    case kMessageAscii:
      return core::intern(message.ascii);
    case kMessageUnicode:
      return core::intern(message.unicode);
    case kMessageRegistered:
      return number_of(message.registered);
    default:
      return 0;
  }
}

wire::NvtxMemoryRecord record_of(Domain domain, NvtxMemory what) {
  wire::NvtxMemoryRecord record{};
  record.header = core::header_of<wire::NvtxMemoryRecord>(wire::RecordType::kNvtxMemory, domain.id,
                                                          static_cast<std::uint8_t>(what));
  record.time = core::now();
  return record;
}

void set_range(wire::NvtxMemoryRecord& record, const VirtualRange& range) {
  record.address = number_of(range.address);
  record.size = range.size;
}

// Sets the reference to a region: its address, or the number that it was given.
void set_reference(wire::NvtxMemoryRecord& record, std::uint32_t reference, std::uint64_t region) {
  (reference == kByHandle ? record.object : record.address) = region;
}

// Calls `function` for the elements of a batch. Clients of later versions may have larger elements.
template <class Element, class Batch, class Function>
void for_each(const Batch& batch, const Function& function) {
  if (batch.elements == nullptr || batch.element_size < sizeof(Element)) return;
  const auto* at = static_cast<const unsigned char*>(batch.elements);
  for (std::size_t i = 0; i < batch.count; ++i, at += batch.element_size) {
    Element element;
    std::memcpy(&element, at, sizeof element);
    function(i, element);
  }
}

template <class Batch>
bool is_recorded(Domain domain, const Batch* batch) {
  return domain.recorded && batch != nullptr && batch->struct_size >= sizeof *batch;
}

}  // namespace

MemoryHandle register_heap(Domain domain, const HeapDescription* heap) {
  if (!is_recorded(domain, heap)) return nullptr;
  const std::uint64_t name = text_of(heap->message_type, heap->message);
  wire::NvtxMemoryRecord record = record_of(domain, NvtxMemory::kHeap);
  record.object = g_next_memory.fetch_add(1, std::memory_order_relaxed);
  record.name = name;
  record.category = heap->category;
  record.usage = static_cast<std::uint16_t>(heap->usage);
  record.type = static_cast<std::uint16_t>(heap->type);
  if (heap->type == kVirtualAddress && heap->range != nullptr &&
      heap->range_size >= sizeof *heap->range)
    set_range(record, *heap->range);
  core::append(record);
  return reinterpret_cast<MemoryHandle>(record.object);
}

void record_heap(Domain domain, MemoryHandle heap, NvtxMemory what) {
  if (!domain.recorded) return;
  wire::NvtxMemoryRecord record = record_of(domain, what);
  record.object = number_of(heap);
  core::append(record);
}

void register_regions(Domain domain, const RegionsRegisterBatch* batch) {
  if (!is_recorded(domain, batch)) return;
  const auto put = [&](std::size_t i, const VirtualRange& range) {
    wire::NvtxMemoryRecord record = record_of(domain, NvtxMemory::kRegion);
    record.object = g_next_memory.fetch_add(1, std::memory_order_relaxed);
    record.heap = number_of(batch->heap);
    record.type = static_cast<std::uint16_t>(batch->type);
    set_range(record, range);
    if (batch->handles != nullptr)
      batch->handles[i] = reinterpret_cast<MemoryHandle>(record.object);
    core::append(record);
  };
  if (batch->type == kVirtualAddress) {
    for_each<VirtualRange>(*batch, put);
  } else {
    for (std::size_t i = 0; i < batch->count; ++i) put(i, {});
  }
}

void resize_regions(Domain domain, const RegionsResizeBatch* batch) {
  if (!is_recorded(domain, batch) || batch->type != kVirtualAddress) return;
  for_each<VirtualRange>(*batch, [&](std::size_t, const VirtualRange& range) {
    wire::NvtxMemoryRecord record = record_of(domain, NvtxMemory::kRegionResized);
    set_range(record, range);
    core::append(record);
  });
}

void unregister_regions(Domain domain, const RegionsUnregisterBatch* batch) {
  if (!is_recorded(domain, batch)) return;
  for_each<std::uint64_t>(*batch, [&](std::size_t, std::uint64_t region) {
    wire::NvtxMemoryRecord record = record_of(domain, NvtxMemory::kRegionEnd);
    set_reference(record, batch->reference, region);
    core::append(record);
  });
}

void name_regions(Domain domain, const RegionsNameBatch* batch) {
  if (!is_recorded(domain, batch)) return;
  for_each<RegionName>(*batch, [&](std::size_t, const RegionName& named) {
    const std::uint64_t name = text_of(named.message_type, named.name);
    wire::NvtxMemoryRecord record = record_of(domain, NvtxMemory::kName);
    set_reference(record, named.reference, named.region);
    record.name = name;
    record.category = named.category;
    core::append(record);
  });
}

}  // namespace prof::nvtx
