// Memory of devices: allocations with their heap, releases, mappings, and bindings to buffers and
// images.
#include "injection/core/clock.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

using wire::VulkanMemoryKind;
using wire::VulkanMemoryRecord;

VulkanMemoryRecord record_of(const Device& device, VulkanMemoryKind kind, std::uint64_t start,
                             VkDeviceMemory memory) {
  VulkanMemoryRecord record{};
  record.header = core::header_of<VulkanMemoryRecord>(wire::RecordType::kVulkanMemory, 0,
                                                      static_cast<std::uint8_t>(kind));
  record.start = start;
  record.memory = number_of(memory);
  record.device = device.number;
  return record;
}

// Records what the call that was recorded last did.
void write(const VulkanMemoryRecord& record) {
  if (!core::paused()) core::append_here(record);
}

void write_allocation(const Device& device, std::uint64_t start, const VkMemoryAllocateInfo& info,
                      VkDeviceMemory memory) {
  VulkanMemoryRecord record = record_of(device, VulkanMemoryKind::kAllocation, start, memory);
  record.size = info.allocationSize;
  if (info.memoryTypeIndex < device.memory.memoryTypeCount) {
    const VkMemoryType& type = device.memory.memoryTypes[info.memoryTypeIndex];
    record.header.aux = type.heapIndex;
    record.properties = type.propertyFlags;
    record.heap_flags = device.memory.memoryHeaps[type.heapIndex].flags;
  }
  write(record);
}

template <class Target>
void write_binding(const Device& device, std::uint64_t start, Target target, VkDeviceMemory memory,
                   VkDeviceSize offset) {
  VulkanMemoryRecord record = record_of(device, VulkanMemoryKind::kBinding, start, memory);
  record.offset = offset;
  record.target = number_of(target);
  write(record);
}

VkBuffer target_of(const VkBindBufferMemoryInfo& info) { return info.buffer; }
VkImage target_of(const VkBindImageMemoryInfo& info) { return info.image; }

template <Index index, class Function, class Target>
VkResult bind(VkDevice handle, Target target, VkDeviceMemory memory, VkDeviceSize offset) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  const VkResult result = real<Function>(device, index)(handle, target, memory, offset);
  if (start == 0) return result;
  end_call(index, start, number_of(target));
  check(result);
  if (result == VK_SUCCESS) write_binding(device, start, target, memory, offset);
  return result;
}

template <Index index, class Function, class Info>
VkResult bind_all(VkDevice handle, std::uint32_t count, const Info* infos) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  const VkResult result = real<Function>(device, index)(handle, count, infos);
  if (start == 0) return result;
  end_call(index, start, number_of(handle));
  check(result);
  if (result != VK_SUCCESS) return result;
  for (std::uint32_t i = 0; i < count; ++i)
    write_binding(device, start, target_of(infos[i]), infos[i].memory, infos[i].memoryOffset);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* allocator,
                                               VkDeviceMemory* memory) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  const VkResult result =
      real<PFN_vkAllocateMemory>(device, kAllocateMemory)(handle, info, allocator, memory);
  if (start == 0) return result;
  end_call(kAllocateMemory, start, number_of(handle));
  check(result);
  if (result == VK_SUCCESS) write_allocation(device, start, *info, *memory);
  return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice handle, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* allocator) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  real<PFN_vkFreeMemory>(device, kFreeMemory)(handle, memory, allocator);
  if (start == 0) return;
  end_call(kFreeMemory, start, number_of(handle));
  if (memory != VK_NULL_HANDLE) write(record_of(device, VulkanMemoryKind::kRelease, start, memory));
}

VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice handle, VkDeviceMemory memory,
                                          VkDeviceSize offset, VkDeviceSize size,
                                          VkMemoryMapFlags flags, void** data) {
  const Device& device = device_of(handle);
  const std::uint64_t start = begin_call();
  const VkResult result =
      real<PFN_vkMapMemory>(device, kMapMemory)(handle, memory, offset, size, flags, data);
  if (start == 0) return result;
  end_call(kMapMemory, start, number_of(handle));
  check(result);
  if (result != VK_SUCCESS) return result;
  VulkanMemoryRecord record = record_of(device, VulkanMemoryKind::kMapping, start, memory);
  record.size = size;
  record.offset = offset;
  write(record);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL bind_buffer_memory(VkDevice device, VkBuffer buffer,
                                                  VkDeviceMemory memory, VkDeviceSize offset) {
  return bind<kBindBufferMemory, PFN_vkBindBufferMemory>(device, buffer, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL bind_image_memory(VkDevice device, VkImage image,
                                                 VkDeviceMemory memory, VkDeviceSize offset) {
  return bind<kBindImageMemory, PFN_vkBindImageMemory>(device, image, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL bind_buffer_memory2(VkDevice device, std::uint32_t count,
                                                   const VkBindBufferMemoryInfo* infos) {
  return bind_all<kBindBufferMemory2, PFN_vkBindBufferMemory2>(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL bind_buffer_memory2_khr(VkDevice device, std::uint32_t count,
                                                       const VkBindBufferMemoryInfo* infos) {
  return bind_all<kBindBufferMemory2KHR, PFN_vkBindBufferMemory2KHR>(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL bind_image_memory2(VkDevice device, std::uint32_t count,
                                                  const VkBindImageMemoryInfo* infos) {
  return bind_all<kBindImageMemory2, PFN_vkBindImageMemory2>(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL bind_image_memory2_khr(VkDevice device, std::uint32_t count,
                                                      const VkBindImageMemoryInfo* infos) {
  return bind_all<kBindImageMemory2KHR, PFN_vkBindImageMemory2KHR>(device, count, infos);
}

}  // namespace

PFN_vkVoidFunction memory_replacement(Index index) {
  switch (index) {
    case kAllocateMemory:
      return plain(allocate_memory);
    case kFreeMemory:
      return plain(free_memory);
    case kMapMemory:
      return plain(map_memory);
    case kBindBufferMemory:
      return plain(bind_buffer_memory);
    case kBindBufferMemory2:
      return plain(bind_buffer_memory2);
    case kBindBufferMemory2KHR:
      return plain(bind_buffer_memory2_khr);
    case kBindImageMemory:
      return plain(bind_image_memory);
    case kBindImageMemory2:
      return plain(bind_image_memory2);
    case kBindImageMemory2KHR:
      return plain(bind_image_memory2_khr);
    default:
      return nullptr;
  }
}

}  // namespace prof::vulkan
