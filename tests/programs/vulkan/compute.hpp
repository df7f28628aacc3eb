// A device with a queue, two buffers, and a pipeline that computes in the first one. For programs
// without a window.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, result);
  std::exit(2);
}

constexpr std::uint32_t kShader[] = {
#include "fill.spv.inc"
};

struct Compute {
  static constexpr VkDeviceSize kBytes = 1 << 18;
  static constexpr std::uint32_t kGroups = kBytes / sizeof(float) / 64;

  VkInstance instance;
  VkPhysicalDevice physical;
  VkPhysicalDeviceProperties properties;
  VkDevice device;
  VkQueue queue;
  VkBuffer buffers[2];
  VkDeviceMemory memory[2];
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSet set;
  VkCommandPool pool;

  explicit Compute(bool with_labels) {
    make_instance(with_labels);
    make_device();
  }

  void make_instance(bool with_labels) {
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    info.enabledExtensionCount = with_labels ? 1 : 0;
    info.ppEnabledExtensionNames = &extension;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    std::uint32_t count = 1;
    const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (found != VK_INCOMPLETE) check(found, "vkEnumeratePhysicalDevices");
    vkGetPhysicalDeviceProperties(physical, &properties);
  }

  void make_device() {
    const float priority = 1;
    VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, 0, 0, &queue);
  }

  std::uint32_t memory_type(std::uint32_t bits) const {
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(physical, &all);
    for (std::uint32_t i = 0; i < all.memoryTypeCount; ++i)
      if ((bits >> i & 1) != 0) return i;
    return 0;
  }

  void make_buffers() {
    for (int i = 0; i < 2; ++i) {
      VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
      info.size = kBytes;
      info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
      check(vkCreateBuffer(device, &info, nullptr, &buffers[i]), "vkCreateBuffer");
      VkMemoryRequirements needs;
      vkGetBufferMemoryRequirements(device, buffers[i], &needs);
      VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
      allocation.allocationSize = needs.size;
      allocation.memoryTypeIndex = memory_type(needs.memoryTypeBits);
      check(vkAllocateMemory(device, &allocation, nullptr, &memory[i]), "vkAllocateMemory");
      check(vkBindBufferMemory(device, buffers[i], memory[i], 0), "vkBindBufferMemory");
    }
  }

  void make_pipeline() {
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                  VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    const VkDescriptorSetLayoutCreateInfo set_info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1, &binding};
    VkDescriptorSetLayout set_layout;
    check(vkCreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout), "set layout");
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(std::uint32_t)};
    const VkPipelineLayoutCreateInfo layout_info = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 1, &range};
    check(vkCreatePipelineLayout(device, &layout_info, nullptr, &layout), "pipeline layout");
    const VkShaderModuleCreateInfo shader_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  nullptr, 0, sizeof kShader, kShader};
    VkShaderModule shader;
    check(vkCreateShaderModule(device, &shader_info, nullptr, &shader), "vkCreateShaderModule");
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  shader,
                  "main",
                  nullptr};
    info.layout = layout;
    check(vkCreateComputePipelines(device, nullptr, 1, &info, nullptr, &pipeline), "pipeline");
    make_set(set_layout);
    vkDestroyShaderModule(device, shader, nullptr);
  }

  void make_set(VkDescriptorSetLayout set_layout) {
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    VkDescriptorPool sets;
    check(vkCreateDescriptorPool(device, &info, nullptr, &sets), "descriptor pool");
    const VkDescriptorSetAllocateInfo allocation = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                    nullptr, sets, 1, &set_layout};
    check(vkAllocateDescriptorSets(device, &allocation, &set), "vkAllocateDescriptorSets");
    const VkDescriptorBufferInfo buffer = {buffers[0], 0, kBytes};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
  }

  void make_pool() {
    const VkCommandPoolCreateInfo info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                          VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
    check(vkCreateCommandPool(device, &info, nullptr, &pool), "vkCreateCommandPool");
  }

  std::vector<VkCommandBuffer> make_command_buffers(std::uint32_t count) {
    std::vector<VkCommandBuffer> result(count);
    const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              nullptr, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              count};
    check(vkAllocateCommandBuffers(device, &info, result.data()), "vkAllocateCommandBuffers");
    return result;
  }

  VkFence make_fence() {
    const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    check(vkCreateFence(device, &info, nullptr, &fence), "vkCreateFence");
    return fence;
  }

  void bind(VkCommandBuffer commands) const {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0,
                            nullptr);
  }

  void dispatch(VkCommandBuffer commands, std::uint32_t rounds) const {
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof rounds, &rounds);
    vkCmdDispatch(commands, kGroups, 1, 1);
    const VkMemoryBarrier barrier = {
        VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                         1, &barrier, 0, nullptr, 0, nullptr);
  }

  void submit(VkCommandBuffer commands, VkFence fence) const {
    VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
  }
};
