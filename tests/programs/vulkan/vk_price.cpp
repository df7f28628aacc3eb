// Prints how many ns calls take: the best of several rounds. Run it alone and under prof.
#include <algorithm>
#include <chrono>

#include "compute.hpp"

namespace {

constexpr int kRounds = 20;

template <class Call>
double best(int count, Call call) {
  double result = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) call();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    result = std::min(result, time.count() / count);
  }
  return result;
}

void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage) {
  const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         usage, nullptr};
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
}

// A submit of a command buffer without commands.
double submits(const Compute& compute, VkCommandBuffer commands) {
  begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  double result = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    constexpr int kCount = 100;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCount; ++i) compute.submit(commands, nullptr);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    result = std::min(result, time.count() / kCount);
    check(vkQueueWaitIdle(compute.queue), "vkQueueWaitIdle");
  }
  return result;
}

}  // namespace

int main() {
  Compute compute(false);
  compute.make_buffers();
  compute.make_pipeline();
  compute.make_pool();
  const VkCommandBuffer commands = compute.make_command_buffers(1)[0];
  const auto in_a_buffer = [&](auto call) {
    begin(commands, 0);
    const double time = best(10'000, call);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    return time;
  };
  std::printf("vkCmdBindPipeline %.1f\n", in_a_buffer([&] {
                vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
              }));
  std::printf("vkCmdBindDescriptorSets %.1f\n", in_a_buffer([&] {
                vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0,
                                        1, &compute.set, 0, nullptr);
              }));
  std::printf("vkCmdDispatch %.1f\n", in_a_buffer([&] { vkCmdDispatch(commands, 1, 1, 1); }));
  std::printf("vkQueueSubmit %.1f\n", submits(compute, commands));
}
