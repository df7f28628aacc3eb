// The door for the Vulkan loader, which loads this library as a layer (VK_LAYER_PROF_trace): the
// functions by which it finds prof's functions, and instances.
//
// A program gets prof's function only if the next layer or the driver has the function, so it finds
// the same functions as without prof.
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance instance,
                                                               const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char* name);

VkLayerInstanceCreateInfo* find_link(const VkInstanceCreateInfo* info) {
  for (auto* each = static_cast<const VkLayerInstanceCreateInfo*>(info->pNext); each != nullptr;
       each = static_cast<const VkLayerInstanceCreateInfo*>(each->pNext))
    if (each->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
        each->function == VK_LAYER_LINK_INFO)
      return const_cast<VkLayerInstanceCreateInfo*>(each);
  return nullptr;
}

// The first instance of the process is the begin of its trace.
void write_start(std::uint64_t start) {
  static constinit std::atomic<bool> g_is_written{false};
  if (start != 0 && !g_is_written.exchange(true, std::memory_order_relaxed))
    write_call(kStarted, {.start = start, .object = 0, .kind = wire::VulkanClass::kStarted}, start);
}

template <class Function>
void find(const Instance& instance, const char* name, Function& function) {
  function = reinterpret_cast<Function>(instance.next(instance.handle, name));
}

Instance found(VkInstance handle, PFN_vkGetInstanceProcAddr next) {
  Instance instance{};
  instance.handle = handle;
  instance.next = next;
  find(instance, "vkDestroyInstance", instance.destroy);
  find(instance, "vkEnumerateDeviceExtensionProperties", instance.extensions);
  find(instance, "vkGetPhysicalDeviceProperties", instance.properties);
  find(instance, "vkGetPhysicalDeviceQueueFamilyProperties", instance.families);
  find(instance, "vkGetPhysicalDeviceMemoryProperties", instance.memory);
  return instance;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator,
                                               VkInstance* handle) {
  VkLayerInstanceCreateInfo* link = find_link(info);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(nullptr, "vkCreateInstance"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  write_start(begin_call());
  const VkResult result = create(info, allocator, handle);
  if (result != VK_SUCCESS) return result;
  const Instance entry = found(*handle, next);
  Instance* instance = g_instances.reserve(key_of(*handle));
  if (instance == nullptr) {
    entry.destroy(*handle, allocator);
    return VK_ERROR_TOO_MANY_OBJECTS;
  }
  *instance = entry;
  g_instances.publish(instance, key_of(*handle));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
                                            const VkAllocationCallbacks* allocator) {
  if (handle == nullptr) return;
  Instance* instance = g_instances.find(key_of(handle));
  const PFN_vkDestroyInstance destroy = instance->destroy;
  g_instances.remove(instance);
  destroy(handle, allocator);
}

// Returns prof's function, if prof replaces it.
PFN_vkVoidFunction find_replacement(const char* name) {
  const std::uint32_t index = find_function(name);
  return index == kCalls ? nullptr : replacement(static_cast<Index>(index));
}

PFN_vkVoidFunction get_instance_function(VkInstance handle, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) return plain(get_instance_function);
  if (std::strcmp(name, "vkCreateInstance") == 0) return plain(create_instance);
  // Some layers ask without an instance.
  if (std::strcmp(name, "vkCreateDevice") == 0) return plain(create_device);
  const Instance* instance = handle == nullptr ? nullptr : g_instances.find(key_of(handle));
  if (instance == nullptr) return nullptr;
  const PFN_vkVoidFunction next = instance->next(handle, name);
  if (next == nullptr) return nullptr;
  if (std::strcmp(name, "vkDestroyInstance") == 0) return plain(destroy_instance);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return plain(get_device_function);
  const PFN_vkVoidFunction own = find_replacement(name);
  return own == nullptr ? next : own;
}

PFN_vkVoidFunction get_device_function(VkDevice handle, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return plain(get_device_function);
  const Device* device = handle == nullptr ? nullptr : g_devices.find(key_of(handle));
  if (device == nullptr) return nullptr;
  const PFN_vkVoidFunction next = device->next(handle, name);
  if (next == nullptr) return nullptr;
  const PFN_vkVoidFunction own = find_replacement(name);
  return own == nullptr ? next : own;
}

}  // namespace

}  // namespace prof::vulkan

// The loader calls this function first; the layer's manifest names it.
extern "C" __attribute__((visibility("default"))) VkResult prof_negotiate_vulkan_layer(
    VkNegotiateLayerInterface* answer) {
  constexpr std::uint32_t kInterface = 2;
  if (answer->loaderLayerInterfaceVersion < kInterface) return VK_ERROR_INITIALIZATION_FAILED;
  answer->loaderLayerInterfaceVersion = kInterface;
  answer->pfnGetInstanceProcAddr = prof::vulkan::get_instance_function;
  answer->pfnGetDeviceProcAddr = prof::vulkan::get_device_function;
  answer->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
