// What prof needs of a device to time its work: functions, families of queues, a pool of queries
// for command buffers, and the device's clock.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/vulkan_records.hpp"

namespace prof::vulkan {

struct Device;

// prof's timestamps are written when all commands before them are done.
inline constexpr VkPipelineStageFlagBits kAllDone = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;

// Functions of the next layer or the driver that only prof calls.
struct TimerFunctions {
  PFN_vkAllocateCommandBuffers allocate_buffers;
  PFN_vkBeginCommandBuffer begin_buffer;
  PFN_vkEndCommandBuffer end_buffer;
  PFN_vkCmdResetQueryPool reset_queries;
  PFN_vkCmdWriteTimestamp write_timestamp;
  PFN_vkCreateCommandPool create_pool;
  PFN_vkDestroyCommandPool destroy_pool;
  PFN_vkCreateQueryPool create_queries;
  PFN_vkDestroyQueryPool destroy_queries;
  PFN_vkGetQueryPoolResults results;
  PFN_vkGetCalibratedTimestampsEXT clocks;
  PFN_vkSetDeviceLoaderData set_loader_data;  // of the loader
};

// A label within a command buffer. It takes the queries 2 + 2 * its number, and the one after that.
struct BlockLabel {
  std::uint64_t text;
  std::uint32_t color;
  std::uint32_t function;
  bool has_color;
  bool is_timed;  // both ends have been written
};

// The queries of one recording of a command buffer. Two of them are at its begin and its end.
inline constexpr std::uint32_t kBlockQueries = 16;
inline constexpr std::uint32_t kBlockLabels = kBlockQueries / 2 - 1;
inline constexpr std::uint32_t kBlockDepth = 16;
inline constexpr std::uint8_t kNoLabel = 255;
struct Block {
  std::uint64_t object;  // the command buffer
  std::uint32_t label_count;
  std::uint32_t depth;             // number of open labels
  std::uint8_t open[kBlockDepth];  // their numbers; kNoLabel: it has no queries
  BlockLabel labels[kBlockLabels];
  // The block is free again when the command buffer does not use it any more and its results are
  // not wanted any more. Both are counted.
  std::atomic<std::uint32_t> users;
  std::atomic<bool> is_spoiled;  // the command buffer has been submitted again
};

class DeviceTimer {
 public:
  // Returns null if the device's work cannot be timed; the report says why.
  static DeviceTimer* create(const Device& device, PFN_vkSetDeviceLoaderData set_loader_data);
  // Gives everything back. Call it before the device is destroyed.
  void destroy();

  const TimerFunctions& functions() const { return functions_; }
  VkDevice device() const { return device_; }
  std::uint32_t number() const { return number_; }

  // True if queues of the family write timestamps and reset queries.
  bool times_family(std::uint32_t family) const {
    return family < kMaxFamilies && bits_[family] != 0;
  }

  // Returns null if all blocks are in use.
  Block* take_block();
  // One of the two users of a block does not use it any more.
  void release_block(Block* block);
  VkQueryPool block_queries() const { return queries_; }
  std::uint32_t first_query(const Block* block) const {
    return static_cast<std::uint32_t>(block - blocks_) * kBlockQueries;
  }

  // Compares the clocks, if the last time is some time ago.
  void calibrate();
  // Returns a timestamp of a queue as a count that does not overflow.
  std::uint64_t extended(std::uint64_t timestamp, std::uint32_t family) const;

 private:
  static constexpr std::uint32_t kMaxFamilies = 16;
  static constexpr std::uint32_t kBlocks = 1024;
  static constexpr std::uint32_t kWordBits = 64;

  bool find_functions(const Device& device);
  void find_families(const Device& device);

  TimerFunctions functions_;
  VkDevice device_;
  std::uint32_t number_;
  std::uint64_t period_;              // length of a tick, millionths of 1 ns
  std::uint32_t bits_[kMaxFamilies];  // of timestamps, by family; 0: none
  VkQueryPool queries_;
  std::atomic<bool> calibrating_;
  std::atomic<std::uint64_t> calibrated_;  // when, on the session's clock
  std::atomic<std::uint64_t> ticks_;       // of the device, at about that time
  std::atomic<std::uint64_t> used_[kBlocks / kWordBits];
  Block blocks_[kBlocks];
};

// Reports that work on the GPU has no times, once for each reason.
void report_obstacle(wire::VulkanObstacle obstacle);

}  // namespace prof::vulkan
