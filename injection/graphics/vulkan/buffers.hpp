// The program's command buffers, if each is timed.
#pragma once

#include "injection/graphics/vulkan/device.hpp"
#include "injection/graphics/vulkan/device_timer.hpp"

namespace prof::vulkan {

struct Buffer {
  DeviceTimer* timer;
  VkCommandPool pool;
  Block* block;       // of the last recording; null: it is not timed
  bool is_submitted;  // the last recording was submitted
  bool in_pass;       // a render pass is being recorded
};

// True if command buffers are timed, not whole submits.
bool times_buffers();

// Forgets the command buffers and pools of a device that is destroyed.
void forget_buffers(const DeviceTimer* timer);

// Returns null if the command buffer is not known.
Buffer* find_buffer(VkCommandBuffer handle);

// The recording was submitted, and nobody reads its results.
void leave_untimed(Buffer& buffer);

// A label in a command buffer begins or ends.
struct LabelFacts {
  std::uint64_t text;
  std::uint32_t color;
  std::uint32_t function;
  bool has_color;
};
void begin_timed_label(VkCommandBuffer handle, const LabelFacts& facts);
void end_timed_label(VkCommandBuffer handle);

void set_in_pass(VkCommandBuffer handle, bool in_pass);

}  // namespace prof::vulkan
