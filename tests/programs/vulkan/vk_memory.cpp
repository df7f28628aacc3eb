// vk_memory [huge]: allocates, maps, binds and frees memory of the first two memory types, and
// prints for each heap what a profiler must find: "heap INDEX allocations N frees N allocated BYTES
// peak BYTES left BYTES". "huge": one allocation more, which no device has the memory for.
#include <algorithm>
#include <map>

#include "compute.hpp"

namespace {

constexpr VkDeviceSize kMega = 1 << 20;

struct Heap {
  int allocations = 0, frees = 0;
  VkDeviceSize allocated = 0, in_use = 0, peak = 0;
};

class Allocator {
 public:
  explicit Allocator(const Compute& compute) : compute_(compute) {
    vkGetPhysicalDeviceMemoryProperties(compute.physical, &properties_);
  }

  VkDeviceMemory allocate(VkDeviceSize size, std::uint32_t type) {
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = size;
    info.memoryTypeIndex = type;
    VkDeviceMemory memory;
    check(vkAllocateMemory(compute_.device, &info, nullptr, &memory), "vkAllocateMemory");
    Heap& each = heaps_[heap(type)];
    ++each.allocations;
    each.allocated += size;
    each.in_use += size;
    each.peak = std::max(each.peak, each.in_use);
    return memory;
  }
  void free(VkDeviceMemory memory, VkDeviceSize size, std::uint32_t type) {
    vkFreeMemory(compute_.device, memory, nullptr);
    ++heaps_[heap(type)].frees;
    heaps_[heap(type)].in_use -= size;
  }
  std::uint32_t types() const { return properties_.memoryTypeCount; }
  void print() const {
    for (const auto& [index, each] : heaps_)
      std::printf("heap %u allocations %d frees %d allocated %ju peak %ju left %ju\n", index,
                  each.allocations, each.frees, std::uintmax_t{each.allocated},
                  std::uintmax_t{each.peak}, std::uintmax_t{each.in_use});
  }

 private:
  std::uint32_t heap(std::uint32_t type) const { return properties_.memoryTypes[type].heapIndex; }

  const Compute& compute_;
  VkPhysicalDeviceMemoryProperties properties_;
  std::map<std::uint32_t, Heap> heaps_;
};

VkBuffer make_buffer(const Compute& compute) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = kMega;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer;
  check(vkCreateBuffer(compute.device, &info, nullptr, &buffer), "vkCreateBuffer");
  return buffer;
}

}  // namespace

int main(int argc, char**) {
  const Compute compute(false);
  Allocator allocator(compute);
  const VkDeviceMemory first = allocator.allocate(8 * kMega, 0);
  for (int i = 0; i < 3; ++i) allocator.free(allocator.allocate(2 * kMega, 0), 2 * kMega, 0);
  if (allocator.types() > 1) allocator.allocate(5 * kMega, 1);
  void* data;
  check(vkMapMemory(compute.device, first, kMega, 3 * kMega, 0, &data), "vkMapMemory");
  vkUnmapMemory(compute.device, first);
  check(vkMapMemory(compute.device, first, kMega, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  const VkBuffer buffers[] = {make_buffer(compute), make_buffer(compute)};
  const VkBindBufferMemoryInfo infos[] = {
      {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, nullptr, buffers[0], first, 0},
      {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, nullptr, buffers[1], first, 4 * kMega}};
  check(vkBindBufferMemory2(compute.device, 2, infos), "vkBindBufferMemory2");
  allocator.print();
  std::fflush(stdout);
  if (argc > 1) allocator.allocate(VkDeviceSize{1} << 50, 0);
}
