#include "injection/graphics/vulkan/device.hpp"

#include <cstring>

#include "injection/core/mapped.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/graphics/vulkan/buffers.hpp"
#include "injection/graphics/vulkan/queues.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

constinit HandleTable<Instance, kMaxInstances> g_instances{};
constinit HandleTable<Device, kMaxDevices> g_devices{};

namespace {

constinit std::atomic<std::uint32_t> g_devices_made{0};
constexpr std::uint32_t kMaxExtensions = 512;

// What the driver offers, and the list of extensions that the device gets.
struct Extensions {
  VkExtensionProperties offered[kMaxExtensions];
  std::uint32_t offered_count;
  const char* names[kMaxExtensions];
  std::uint32_t count;

  bool offers(const char* name) const {
    for (std::uint32_t i = 0; i < offered_count; ++i)
      if (std::strcmp(offered[i].extensionName, name) == 0) return true;
    return false;
  }
  bool has(const char* name) const {
    for (std::uint32_t i = 0; i < count; ++i)
      if (std::strcmp(names[i], name) == 0) return true;
    return false;
  }
  // Adds the extension, if the driver offers it. Returns true if the device has it then.
  bool add(const char* name) {
    if (has(name)) return true;
    if (count == kMaxExtensions || !offers(name)) return false;
    names[count++] = name;
    return true;
  }
};

// Returns the loader's part of the create info.
VkLayerDeviceCreateInfo* find_link(const VkDeviceCreateInfo* info, VkLayerFunction function) {
  for (auto* each = static_cast<const VkLayerDeviceCreateInfo*>(info->pNext); each != nullptr;
       each = static_cast<const VkLayerDeviceCreateInfo*>(each->pNext))
    if (each->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && each->function == function)
      return const_cast<VkLayerDeviceCreateInfo*>(each);
  return nullptr;
}

// Fills in what the driver offers and the program asks for. Returns false if that is not possible.
bool find_extensions(const Instance& instance, VkPhysicalDevice physical,
                     const VkDeviceCreateInfo* info, Extensions& extensions) {
  if (instance.extensions == nullptr || info->enabledExtensionCount >= kMaxExtensions) return false;
  extensions.offered_count = kMaxExtensions;
  if (instance.extensions(physical, nullptr, &extensions.offered_count, extensions.offered) < 0)
    return false;
  extensions.count = info->enabledExtensionCount;
  for (std::uint32_t i = 0; i < extensions.count; ++i)
    extensions.names[i] = info->ppEnabledExtensionNames[i];
  return true;
}

bool times_work() { return traces(wire::kGraphicsVulkanIndividual | wire::kGraphicsVulkanBatch); }

struct Creation {
  PFN_vkCreateDevice create;
  const VkAllocationCallbacks* allocator;
  VkPhysicalDevice physical;
  VkDevice* device;

  VkResult with(const VkDeviceCreateInfo* info) const {
    return create(physical, info, allocator, device);
  }
};

// Creates the device with the extensions that prof uses. If that fails, as the program asks for it.
// Each attempt needs the loader's link as it was.
VkResult create_with_extensions(const Instance& instance, const VkDeviceCreateInfo* info,
                                VkLayerDeviceCreateInfo* link, const Creation& creation,
                                bool& has_feedback) {
  VkLayerDeviceLink* const rest = link->u.pLayerInfo;
  const core::Mapped<Extensions> extensions;
  if (extensions && find_extensions(instance, creation.physical, info, *extensions)) {
    has_feedback = extensions->add(VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME);
    if (times_work()) extensions->add(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
    VkDeviceCreateInfo extended = *info;
    extended.enabledExtensionCount = extensions->count;
    extended.ppEnabledExtensionNames = extensions->names;
    const VkResult result = creation.with(&extended);
    if (result == VK_SUCCESS || extensions->count == info->enabledExtensionCount) return result;
    has_feedback = false;
    link->u.pLayerInfo = rest;
  }
  return creation.with(info);
}

void set_up(Device& device, const Instance& instance, VkDevice handle, VkPhysicalDevice physical,
            PFN_vkGetDeviceProcAddr next) {
  device.handle = handle;
  device.number = g_devices_made.fetch_add(1, std::memory_order_relaxed);
  device.instance = &instance;
  device.physical = physical;
  device.next = next;
  device.memory = {};
  if (instance.memory != nullptr) instance.memory(physical, &device.memory);
  for (std::uint32_t i = 0; i < kCalls; ++i) device.real[i] = next(handle, kNames[i]);
  for (std::atomic<QueueTimer*>& each : device.queues)
    each.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                       const VkAllocationCallbacks* allocator, VkDevice* handle) {
  const Instance* instance = g_instances.find(key_of(physical));
  VkLayerDeviceCreateInfo* link = find_link(info, VK_LAYER_LINK_INFO);
  if (instance == nullptr || link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(
      link->u.pLayerInfo->pfnNextGetInstanceProcAddr(instance->handle, "vkCreateDevice"));
  const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkLayerDeviceCreateInfo* callback = find_link(info, VK_LOADER_DATA_CALLBACK);
  const PFN_vkSetDeviceLoaderData set_loader_data =
      callback == nullptr ? nullptr : callback->u.pfnSetDeviceLoaderData;

  const std::uint64_t start = begin_call();
  bool has_feedback = false;
  const VkResult result = create_with_extensions(
      *instance, info, link, {create, allocator, physical, handle}, has_feedback);
  if (start != 0) end_call(kCreateDevice, start, number_of(physical));
  if (result != VK_SUCCESS) return result;
  core::begin_frames();

  Device* device = g_devices.reserve(key_of(*handle));
  if (device == nullptr) {
    reinterpret_cast<PFN_vkDestroyDevice>(next(*handle, "vkDestroyDevice"))(*handle, allocator);
    return VK_ERROR_TOO_MANY_OBJECTS;
  }
  set_up(*device, *instance, *handle, physical, next);
  device->has_feedback = has_feedback;
  device->timer = times_work() ? DeviceTimer::create(*device, set_loader_data) : nullptr;
  g_devices.publish(device, key_of(*handle));
  return VK_SUCCESS;
}

void destroy_device(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (handle == nullptr) return;
  Device* device = g_devices.find(key_of(handle));
  const auto destroy = real<PFN_vkDestroyDevice>(*device, kDestroyDevice);
  forget_queues(*device);
  if (device->timer != nullptr) {
    forget_buffers(device->timer);
    device->timer->destroy();
  }
  // Another thread may get a new device with the same key while this call returns.
  g_devices.remove(device);
  const std::uint64_t start = begin_call();
  destroy(handle, allocator);
  if (start != 0) end_call(kDestroyDevice, start, number_of(handle));
}

}  // namespace prof::vulkan
