// The replacements of functions that are only recorded, and the list of all.
#include "injection/graphics/vulkan/calls.hpp"

#include <type_traits>

#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/graphics/vulkan/buffers.hpp"
#include "injection/graphics/vulkan/queues.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

// Returns the shortest binding that is recorded: 1 us. The count of all would be that of draws.
std::uint64_t short_binding() {
  constexpr std::uint64_t kPerPeriod = 10'000;  // a thinning period has 10 ms
  return core::g_process.config.thinning_period / kPerPeriod;
}

enum class Length : std::uint8_t { kAny, kLong };

template <Index index, Length length, class Function>
struct Recorded;

template <Index index, Length length, class Result, class Handle, class... Rest>
struct Recorded<index, length, Result(VKAPI_PTR*)(Handle, Rest...)> {
  static VKAPI_ATTR Result VKAPI_CALL call(Handle handle, Rest... rest) {
    const auto next = real<Result(VKAPI_PTR*)(Handle, Rest...)>(device_of(handle), index);
    const std::uint64_t start = begin_call();
    if (start == 0) return next(handle, rest...);
    if constexpr (std::is_void_v<Result>) {
      next(handle, rest...);
      end(start, handle);
    } else {
      const Result result = next(handle, rest...);
      end(start, handle);
      if constexpr (std::is_same_v<Result, VkResult>) check(result);
      return result;
    }
  }

 private:
  static void end(std::uint64_t start, Handle handle) {
    const std::uint64_t time = core::now();
    if (length == Length::kLong && time - start < short_binding()) return;
    write_call(index, {.start = start, .object = number_of(handle)}, time);
  }
};

// A call after which work of the GPU may be done.
template <Index index, class Function>
struct Waiting;

template <Index index, class Handle, class... Rest>
struct Waiting<index, VkResult(VKAPI_PTR*)(Handle, Rest...)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(Handle handle, Rest... rest) {
    using Plain = Recorded<index, Length::kAny, VkResult(VKAPI_PTR*)(Handle, Rest...)>;
    const Device& device = device_of(handle);
    const VkResult result = Plain::call(handle, rest...);
    if (device.timer != nullptr) read_results(device);
    if constexpr (index == kQueuePresentKHR) core::end_frame();
    return result;
  }
};

// A command that begins or ends a render pass.
template <Index index, bool begins, class Function>
struct Pass;

template <Index index, bool begins, class... Rest>
struct Pass<index, begins, void(VKAPI_PTR*)(VkCommandBuffer, Rest...)> {
  static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer buffer, Rest... rest) {
    set_in_pass(buffer, begins);
    real<void(VKAPI_PTR*)(VkCommandBuffer, Rest...)>(device_of(buffer), index)(buffer, rest...);
  }
};

// Returns prof's function if it is written by hand, else null.
PFN_vkVoidFunction own_replacement(Index index) {
  switch (index) {
    case kAllocateCommandBuffers:
      return plain(allocate_command_buffers);
    case kBeginCommandBuffer:
      return plain(begin_command_buffer);
    case kEndCommandBuffer:
      return plain(end_command_buffer);
    case kFreeCommandBuffers:
      return plain(free_command_buffers);
    case kCreateCommandPool:
      return plain(create_command_pool);
    case kDestroyCommandPool:
      return plain(destroy_command_pool);
    case kCmdBeginDebugUtilsLabelEXT:
      return plain(begin_label);
    case kCmdEndDebugUtilsLabelEXT:
      return plain(end_label);
    case kCmdInsertDebugUtilsLabelEXT:
      return plain(insert_label);
    case kQueueBeginDebugUtilsLabelEXT:
      return plain(begin_queue_label);
    case kQueueEndDebugUtilsLabelEXT:
      return plain(end_queue_label);
    case kQueueInsertDebugUtilsLabelEXT:
      return plain(insert_queue_label);
    case kCmdDebugMarkerBeginEXT:
      return plain(begin_marker);
    case kCmdDebugMarkerEndEXT:
      return plain(end_marker);
    case kCmdDebugMarkerInsertEXT:
      return plain(insert_marker);
    case kSetDebugUtilsObjectNameEXT:
      return plain(set_object_name);
    case kDebugMarkerSetObjectNameEXT:
      return plain(set_marker_name);
    case kCreateComputePipelines:
      return plain(create_compute_pipelines);
    case kCreateGraphicsPipelines:
      return plain(create_graphics_pipelines);
    case kCreateDevice:
      return plain(create_device);
    case kDestroyDevice:
      return plain(destroy_device);
    case kGetDeviceQueue:
      return plain(get_device_queue);
    case kGetDeviceQueue2:
      return plain(get_device_queue2);
    case kQueueSubmit:
      return plain(queue_submit);
    case kQueueSubmit2:
      return plain(queue_submit2);
    case kQueueSubmit2KHR:
      return plain(queue_submit2_khr);
    default:
      return memory_replacement(index);
  }
}

}  // namespace

#define VULKAN_CALL(name) \
  case k##name:           \
    return plain(Recorded<k##name, Length::kAny, PFN_vk##name>::call);
#define VULKAN_BIND(name) \
  case k##name:           \
    return plain(Recorded<k##name, Length::kLong, PFN_vk##name>::call);
#define VULKAN_WAIT(name) \
  case k##name:           \
    return plain(Waiting<k##name, PFN_vk##name>::call);
#define VULKAN_PASS(name, begins) \
  case k##name:                   \
    return times_buffers() ? plain(Pass<k##name, begins, PFN_vk##name>::call) : nullptr;
#define VULKAN_OWN(name)

PFN_vkVoidFunction replacement(Index index) {
  switch (index) {
#include "injection/graphics/vulkan/vulkan.def"
    default:
      return own_replacement(index);
  }
}

}  // namespace prof::vulkan
