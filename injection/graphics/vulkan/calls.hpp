// The functions that the program calls in place of those of Vulkan.
#pragma once

#include "injection/graphics/vulkan/device.hpp"

namespace prof::vulkan {

template <class Function>
PFN_vkVoidFunction plain(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

// Returns prof's function.
PFN_vkVoidFunction replacement(Index index);

// --- Written by hand, beside those of device.hpp.

// queues.cpp
VKAPI_ATTR void VKAPI_CALL get_device_queue(VkDevice device, std::uint32_t family,
                                            std::uint32_t number, VkQueue* queue);
VKAPI_ATTR void VKAPI_CALL get_device_queue2(VkDevice device, const VkDeviceQueueInfo2* info,
                                             VkQueue* queue);

// submits.cpp
VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, std::uint32_t count,
                                            const VkSubmitInfo* submits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL queue_submit2(VkQueue queue, std::uint32_t count,
                                             const VkSubmitInfo2* submits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL queue_submit2_khr(VkQueue queue, std::uint32_t count,
                                                 const VkSubmitInfo2* submits, VkFence fence);

// buffers.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_command_pool(VkDevice device,
                                                   const VkCommandPoolCreateInfo* info,
                                                   const VkAllocationCallbacks* allocator,
                                                   VkCommandPool* pool);
VKAPI_ATTR void VKAPI_CALL destroy_command_pool(VkDevice device, VkCommandPool pool,
                                                const VkAllocationCallbacks* allocator);
VKAPI_ATTR VkResult VKAPI_CALL allocate_command_buffers(VkDevice device,
                                                        const VkCommandBufferAllocateInfo* info,
                                                        VkCommandBuffer* buffers);
VKAPI_ATTR void VKAPI_CALL free_command_buffers(VkDevice device, VkCommandPool pool,
                                                std::uint32_t count,
                                                const VkCommandBuffer* buffers);
VKAPI_ATTR VkResult VKAPI_CALL end_command_buffer(VkCommandBuffer buffer);
VKAPI_ATTR VkResult VKAPI_CALL begin_command_buffer(VkCommandBuffer buffer,
                                                    const VkCommandBufferBeginInfo* info);

// labels.cpp
VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer buffer, const VkDebugUtilsLabelEXT* label);
VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer buffer);
VKAPI_ATTR void VKAPI_CALL insert_label(VkCommandBuffer buffer, const VkDebugUtilsLabelEXT* label);
VKAPI_ATTR void VKAPI_CALL begin_queue_label(VkQueue queue, const VkDebugUtilsLabelEXT* label);
VKAPI_ATTR void VKAPI_CALL end_queue_label(VkQueue queue);
VKAPI_ATTR void VKAPI_CALL insert_queue_label(VkQueue queue, const VkDebugUtilsLabelEXT* label);
VKAPI_ATTR void VKAPI_CALL begin_marker(VkCommandBuffer buffer,
                                        const VkDebugMarkerMarkerInfoEXT* marker);
VKAPI_ATTR void VKAPI_CALL end_marker(VkCommandBuffer buffer);
VKAPI_ATTR void VKAPI_CALL insert_marker(VkCommandBuffer buffer,
                                         const VkDebugMarkerMarkerInfoEXT* marker);
VKAPI_ATTR VkResult VKAPI_CALL set_object_name(VkDevice device,
                                               const VkDebugUtilsObjectNameInfoEXT* info);
VKAPI_ATTR VkResult VKAPI_CALL set_marker_name(VkDevice device,
                                               const VkDebugMarkerObjectNameInfoEXT* info);

// memory.cpp
// Returns prof's function for one that concerns memory, else null.
PFN_vkVoidFunction memory_replacement(Index index);

// pipelines.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_compute_pipelines(VkDevice device, VkPipelineCache cache,
                                                        std::uint32_t count,
                                                        const VkComputePipelineCreateInfo* infos,
                                                        const VkAllocationCallbacks* allocator,
                                                        VkPipeline* pipelines);
VKAPI_ATTR VkResult VKAPI_CALL create_graphics_pipelines(VkDevice device, VkPipelineCache cache,
                                                         std::uint32_t count,
                                                         const VkGraphicsPipelineCreateInfo* infos,
                                                         const VkAllocationCallbacks* allocator,
                                                         VkPipeline* pipelines);

}  // namespace prof::vulkan
