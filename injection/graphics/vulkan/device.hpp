// Instances and devices of the program.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>

#include "injection/core/tables/handle_table.hpp"
#include "injection/graphics/vulkan/functions.hpp"

namespace prof::vulkan {

using core::HandleTable;

// Returns the key of a dispatchable handle in a table: the word that it points to. The loader gives
// an instance and its physical devices one word, and a device, its queues and its command buffers
// another one.
template <class Handle>
const void* key_of(Handle handle) {
  return *reinterpret_cast<const void* const*>(handle);
}

class DeviceTimer;
class QueueTimer;

struct Instance {
  VkInstance handle;
  PFN_vkGetInstanceProcAddr next;  // of the next layer, or of the loader
  // Functions of the next layer or the loader. They are looked up when the instance is made: later
  // the loader answers with functions of the first layer.
  PFN_vkDestroyInstance destroy;
  PFN_vkEnumerateDeviceExtensionProperties extensions;
  PFN_vkGetPhysicalDeviceProperties properties;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
  PFN_vkGetPhysicalDeviceMemoryProperties memory;
};

inline constexpr std::size_t kMaxTimedQueues = 16;

struct Device {
  VkDevice handle;
  std::uint32_t number;  // in the process, from 0
  const Instance* instance;
  VkPhysicalDevice physical;
  PFN_vkGetDeviceProcAddr next;
  // The functions of the next layer or the driver, by Index; null: the device does not have it.
  PFN_vkVoidFunction real[kCalls];
  VkPhysicalDeviceMemoryProperties memory;  // its heaps and types; no types: not known
  bool has_feedback;                        // pipelines can report how long their creation took
  DeviceTimer* timer;                       // null: the device's work is not timed
  // Of the queues that the program has submitted to.
  std::atomic<QueueTimer*> queues[kMaxTimedQueues];
};

inline constexpr std::size_t kMaxInstances = 64;
inline constexpr std::size_t kMaxDevices = 64;
extern HandleTable<Instance, kMaxInstances> g_instances;
extern HandleTable<Device, kMaxDevices> g_devices;

// Returns the device of a device, a queue or a command buffer. prof's functions are called with
// those of known devices only.
template <class Handle>
[[gnu::always_inline]] inline const Device& device_of(Handle handle) {
  return *g_devices.find(key_of(handle));
}

// Returns the real function. `Function` is its type.
template <class Function>
Function real(const Device& device, Index index) {
  return reinterpret_cast<Function>(device.real[index]);
}

// vkCreateDevice and vkDestroyDevice, as the program calls them.
VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
                                             const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator,
                                             VkDevice* device);
VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks* allocator);

}  // namespace prof::vulkan
