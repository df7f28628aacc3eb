// A Vulkan layer that fails. FAIL_IN names the function: vkCreateInstance, vkCreateDevice, or
// vkQueueSubmit, from whose third call on the device is lost.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

PFN_vkGetInstanceProcAddr next_of_instance;
PFN_vkGetDeviceProcAddr next_of_device;
PFN_vkQueueSubmit submit;
PFN_vkGetQueryPoolResults results;
int submits;

bool fails_in(const char* function) {
  const char* name = std::getenv("FAIL_IN");
  return name != nullptr && std::strcmp(name, function) == 0;
}

template <class Info>
Info* link(const void* chain, VkStructureType type) {
  for (auto* each = static_cast<const Info*>(chain); each != nullptr;
       each = static_cast<const Info*>(each->pNext))
    if (each->sType == type && each->function == VK_LAYER_LINK_INFO) return const_cast<Info*>(each);
  return nullptr;
}

template <class Function>
PFN_vkVoidFunction plain(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

VkResult create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkInstance* instance) {
  if (fails_in("vkCreateInstance")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  auto* own =
      link<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  next_of_instance = own->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  own->u.pLayerInfo = own->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(next_of_instance(nullptr, "vkCreateInstance"));
  return create(info, allocator, instance);
}

VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                       const VkAllocationCallbacks* allocator, VkDevice* device) {
  if (fails_in("vkCreateDevice")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  auto* own =
      link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(
      own->u.pLayerInfo->pfnNextGetInstanceProcAddr(nullptr, "vkCreateDevice"));
  next_of_device = own->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  own->u.pLayerInfo = own->u.pLayerInfo->pNext;
  const VkResult result = create(physical, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  submit = reinterpret_cast<PFN_vkQueueSubmit>(next_of_device(*device, "vkQueueSubmit"));
  results =
      reinterpret_cast<PFN_vkGetQueryPoolResults>(next_of_device(*device, "vkGetQueryPoolResults"));
  return result;
}

bool is_lost() { return fails_in("vkQueueSubmit") && submits >= 3; }

VkResult queue_submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                      VkFence fence) {
  ++submits;
  return is_lost() ? VK_ERROR_DEVICE_LOST : submit(queue, count, infos, fence);
}

VkResult query_results(VkDevice device, VkQueryPool pool, std::uint32_t first, std::uint32_t count,
                       std::size_t bytes, void* data, VkDeviceSize stride,
                       VkQueryResultFlags flags) {
  return is_lost() ? VK_ERROR_DEVICE_LOST
                   : results(device, pool, first, count, bytes, data, stride, flags);
}

PFN_vkVoidFunction device_function(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return plain(device_function);
  if (std::strcmp(name, "vkQueueSubmit") == 0) return plain(queue_submit);
  if (std::strcmp(name, "vkGetQueryPoolResults") == 0) return plain(query_results);
  return next_of_device(device, name);
}

PFN_vkVoidFunction instance_function(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) return plain(instance_function);
  if (std::strcmp(name, "vkCreateInstance") == 0) return plain(create_instance);
  if (std::strcmp(name, "vkCreateDevice") == 0) return plain(create_device);
  return instance == nullptr ? nullptr : next_of_instance(instance, name);
}

}  // namespace

extern "C" VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* answer) {
  answer->loaderLayerInterfaceVersion = 2;
  answer->pfnGetInstanceProcAddr = instance_function;
  answer->pfnGetDeviceProcAddr = device_function;
  answer->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
