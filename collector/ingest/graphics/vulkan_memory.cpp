#include "collector/ingest/graphics/vulkan_memory.hpp"

#include "collector/ingest/records/enum_values.hpp"

namespace prof::ingest {

namespace {

using Row = report::VulkanMemoryRow;
using wire::VulkanMemoryKind;

constexpr EnumValue kMemoryFlags[] = {
    {"ENUM_VULKAN_HEAP_FLAGS", 1, "VK_MEMORY_HEAP_DEVICE_LOCAL_BIT", "Device local"},
    {"ENUM_VULKAN_HEAP_FLAGS", 2, "VK_MEMORY_HEAP_MULTI_INSTANCE_BIT", "Multi-instance"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 1, "VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT", "Device local"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 2, "VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT", "Host visible"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 4, "VK_MEMORY_PROPERTY_HOST_COHERENT_BIT",
     "Host coherent"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 8, "VK_MEMORY_PROPERTY_HOST_CACHED_BIT", "Host cached"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 16, "VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT",
     "Lazily allocated"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 32, "VK_MEMORY_PROPERTY_PROTECTED_BIT", "Protected"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 64, "VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD",
     "Device coherent"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 128, "VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD",
     "Device uncached"},
    {"ENUM_VULKAN_MEMORY_PROPERTY_FLAGS", 256, "VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV",
     "RDMA capable"}};

std::int64_t bytes_or_handle(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

void VulkanMemory::allocate(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
                            Row& row) {
  sizes_[{serial, record.memory}] = record.size;
  row.set<&Row::size>(bytes_or_handle(record.size));
  writer_.add(report::VulkanMemoryTypeRow{++last_type_, record.header.aux, record.heap_flags,
                                          record.properties, last_row_});
}

void VulkanMemory::release(std::uint32_t serial, const wire::VulkanMemoryRecord& record, Row& row) {
  const auto size = sizes_.find({serial, record.memory});
  if (size == sizes_.end()) return;
  row.set<&Row::size>(bytes_or_handle(size->second));
  sizes_.erase(size);
}

void VulkanMemory::map(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
                       Row& row) const {
  row.set<&Row::range_start>(bytes_or_handle(record.offset));
  if (record.size != ~std::uint64_t{0})
    row.set<&Row::range_end>(bytes_or_handle(record.offset + record.size));
  else if (const auto size = sizes_.find({serial, record.memory}); size != sizes_.end())
    row.set<&Row::range_end>(bytes_or_handle(size->second));
}

void VulkanMemory::add(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
                       const Call& call) {
  Row row;
  row.id = ++last_row_;
  row.gpu = record.device;
  row.context = call.context;
  row.memory = bytes_or_handle(record.memory);
  row.call = call.row;
  switch (static_cast<VulkanMemoryKind>(record.header.flags)) {
    case VulkanMemoryKind::kAllocation:
      allocate(serial, record, row);
      break;
    case VulkanMemoryKind::kRelease:
      release(serial, record, row);
      break;
    case VulkanMemoryKind::kMapping:
      map(serial, record, row);
      break;
    case VulkanMemoryKind::kBinding:
      row.set<&Row::offset>(bytes_or_handle(record.offset));
      row.set<&Row::target>(bytes_or_handle(record.target));
      break;
  }
  writer_.add(row);
}

void VulkanMemory::finish() {
  if (last_row_ != 0) write_enums(writer_, kMemoryFlags);
}

}  // namespace prof::ingest
