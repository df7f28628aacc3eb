// vk_submits COUNT ROUNDS [again|many]: submits a command buffer COUNT times, measures with its own
// timestamps how long the GPU takes for each, and prints the sum in ns. "again": each submit is of
// the same recording. "many": nothing waits for the GPU in between.
#include "compute.hpp"

namespace {

VkQueryPool make_queries(const Compute& compute, std::uint32_t count) {
  const VkQueryPoolCreateInfo info = {
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, count, 0};
  VkQueryPool queries;
  check(vkCreateQueryPool(compute.device, &info, nullptr, &queries), "vkCreateQueryPool");
  return queries;
}

void record(const Compute& compute, VkCommandBuffer commands, VkQueryPool queries,
            std::uint32_t first, std::uint32_t rounds, bool once) {
  const VkCommandBufferBeginInfo info = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
      once ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0, nullptr};
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  vkCmdResetQueryPool(commands, queries, first, 2);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, first);
  compute.bind(commands);
  compute.dispatch(commands, rounds);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, first + 1);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

double measured(const Compute& compute, VkQueryPool queries, std::uint32_t first) {
  std::uint64_t ticks[2];
  check(vkGetQueryPoolResults(compute.device, queries, first, 2, sizeof ticks, ticks,
                              sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  return static_cast<double>(ticks[1] - ticks[0]) *
         static_cast<double>(compute.properties.limits.timestampPeriod);
}

void wait(const Compute& compute, VkFence fence) {
  check(vkWaitForFences(compute.device, 1, &fence, VK_TRUE, ~0ULL), "vkWaitForFences");
  check(vkResetFences(compute.device, 1, &fence), "vkResetFences");
}

double submit_each(const Compute& compute, VkFence fence, std::uint32_t count, std::uint32_t rounds,
                   VkCommandBuffer commands, bool again) {
  const VkQueryPool queries = make_queries(compute, 2);
  double sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || !again) record(compute, commands, queries, 0, rounds, !again);
    compute.submit(commands, fence);
    wait(compute, fence);
    sum += measured(compute, queries, 0);
  }
  vkDestroyQueryPool(compute.device, queries, nullptr);
  return sum;
}

double submit_all(const Compute& compute, VkFence fence, std::uint32_t count, std::uint32_t rounds,
                  const std::vector<VkCommandBuffer>& commands) {
  const VkQueryPool queries = make_queries(compute, 2 * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    record(compute, commands[i], queries, 2 * i, rounds, true);
    compute.submit(commands[i], i + 1 == count ? fence : nullptr);
  }
  wait(compute, fence);
  double sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += measured(compute, queries, 2 * i);
  vkDestroyQueryPool(compute.device, queries, nullptr);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const auto count = static_cast<std::uint32_t>(std::atoi(argv[1]));
  const auto rounds = static_cast<std::uint32_t>(std::atoi(argv[2]));
  const bool again = argc > 3 && std::strcmp(argv[3], "again") == 0;
  const bool many = argc > 3 && std::strcmp(argv[3], "many") == 0;
  Compute compute(false);
  compute.make_buffers();
  compute.make_pipeline();
  compute.make_pool();
  const std::vector<VkCommandBuffer> commands = compute.make_command_buffers(many ? count : 1);
  const VkFence fence = compute.make_fence();
  const double sum = many ? submit_all(compute, fence, count, rounds, commands)
                          : submit_each(compute, fence, count, rounds, commands[0], again);
  std::printf("gpu %.0f ns\n", sum);
  check(vkDeviceWaitIdle(compute.device), "vkDeviceWaitIdle");
  vkDestroyDevice(compute.device, nullptr);
  vkDestroyInstance(compute.instance, nullptr);
}
