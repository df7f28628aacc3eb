// Four frames, each with 2 dispatches and 1 copy in a command buffer with labels. Prints what a
// profiler must find. The same calls as in the program of which nsys's rows are in
// tests/integration/nsys_truth/graphics.
#include "compute.hpp"

namespace {

template <class Function>
Function find(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

VkDebugUtilsLabelEXT label(const char* text) {
  return {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, text, {1, .5F, 0, 1}};
}

void name_queue(const Compute& compute) {
  const auto set_name =
      find<PFN_vkSetDebugUtilsObjectNameEXT>(compute.instance, "vkSetDebugUtilsObjectNameEXT");
  const VkDebugUtilsObjectNameInfoEXT info = {
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, VK_OBJECT_TYPE_QUEUE,
      reinterpret_cast<std::uint64_t>(compute.queue), "zoo queue"};
  check(set_name(compute.device, &info), "vkSetDebugUtilsObjectNameEXT");
}

void record(const Compute& compute, VkCommandBuffer commands) {
  const auto begin =
      find<PFN_vkCmdBeginDebugUtilsLabelEXT>(compute.instance, "vkCmdBeginDebugUtilsLabelEXT");
  const auto end =
      find<PFN_vkCmdEndDebugUtilsLabelEXT>(compute.instance, "vkCmdEndDebugUtilsLabelEXT");
  const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  const VkDebugUtilsLabelEXT first = label("compute");
  begin(commands, &first);
  compute.bind(commands);
  for (int i = 0; i < 2; ++i) compute.dispatch(commands, 64);
  end(commands);
  const VkDebugUtilsLabelEXT second = label("copy");
  begin(commands, &second);
  const VkBufferCopy copy = {0, 0, Compute::kBytes};
  vkCmdCopyBuffer(commands, compute.buffers[0], compute.buffers[1], 1, &copy);
  end(commands);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

}  // namespace

int main() {
  Compute compute(true);
  compute.make_buffers();
  name_queue(compute);
  compute.make_pipeline();
  compute.make_pool();
  const VkCommandBuffer commands = compute.make_command_buffers(1)[0];
  const VkFence fence = compute.make_fence();
  const auto begin =
      find<PFN_vkQueueBeginDebugUtilsLabelEXT>(compute.instance, "vkQueueBeginDebugUtilsLabelEXT");
  const auto end =
      find<PFN_vkQueueEndDebugUtilsLabelEXT>(compute.instance, "vkQueueEndDebugUtilsLabelEXT");
  for (int frame = 0; frame < 4; ++frame) {
    record(compute, commands);
    const VkDebugUtilsLabelEXT text = label("frame");
    begin(compute.queue, &text);
    compute.submit(commands, fence);
    end(compute.queue);
    check(vkWaitForFences(compute.device, 1, &fence, VK_TRUE, ~0ULL), "vkWaitForFences");
    check(vkResetFences(compute.device, 1, &fence), "vkResetFences");
    check(vkResetCommandBuffer(commands, 0), "vkResetCommandBuffer");
  }
  check(vkDeviceWaitIdle(compute.device), "vkDeviceWaitIdle");
  std::printf("device %s\n", compute.properties.deviceName);
  vkDestroyPipeline(compute.device, compute.pipeline, nullptr);
  vkDestroyDevice(compute.device, nullptr);
  vkDestroyInstance(compute.instance, nullptr);
}
