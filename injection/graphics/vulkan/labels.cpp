// Debug labels, and the names of objects. There are two extensions for them: VK_EXT_debug_utils and
// the older VK_EXT_debug_marker.
#include "injection/core/clock.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/graphics/vulkan/buffers.hpp"
#include "injection/graphics/vulkan/calls.hpp"
#include "injection/graphics/vulkan/recording.hpp"

namespace prof::vulkan {

namespace {

// Rounds down, as nsys does.
std::uint32_t byte_of(float part) {
  constexpr float kMost = 255;
  // The comparison is false for a part that is not a number.
  if (!(part > 0)) return 0;
  return part < 1 ? static_cast<std::uint32_t>(part * kMost) : 255;
}

// Returns 0xRRGGBB. nsys leaves out how opaque the colour is.
std::uint32_t color_of(const float (&parts)[4]) {
  return byte_of(parts[0]) << 16 | byte_of(parts[1]) << 8 | byte_of(parts[2]);
}

// A label that is all zeros has no colour.
bool has_color(const float (&parts)[4]) {
  return parts[0] != 0 || parts[1] != 0 || parts[2] != 0 || parts[3] != 0;
}

std::uint64_t begin_labelled_call() {
  return traces(wire::kGraphicsVulkanLabels) ? begin_call() : 0;
}

template <class Object>
wire::VulkanLabelRecord label_at(Object object, std::uint64_t start, std::uint8_t flags) {
  const auto header =
      core::header_of<wire::VulkanLabelRecord>(wire::RecordType::kVulkanLabel, 0, flags);
  return {header, start, core::now(), number_of(object), 0, 0, 0};
}

// Labels of queues are not timed on the GPU.
void begin_timed(VkQueue, const LabelFacts&) {}
void begin_timed(VkCommandBuffer buffer, const LabelFacts& facts) {
  begin_timed_label(buffer, facts);
}
void end_timed(VkQueue) {}
void end_timed(VkCommandBuffer buffer) { end_timed_label(buffer); }

// Records a call with a label. `flags`: kVulkanLabelBegins, or 0.
template <class Object>
void write_label(Index index, std::uint64_t start, Object object, std::uint8_t flags,
                 const char* text, const float (&color)[4]) {
  wire::VulkanLabelRecord record = label_at(object, start, flags);
  record.text = core::intern(text);
  record.correlation = next_correlation();
  if (has_color(color)) {
    record.color = color_of(color);
    record.header.flags |= wire::kVulkanLabelHasColor;
  }
  write_record(index, record);
  if (flags != 0) begin_timed(object, {record.text, record.color, index, has_color(color)});
}

template <Index index, class Object, class Label>
void call_with_label(Object object, const Label* label, std::uint8_t flags, const char* text,
                     const float (&color)[4]) {
  const auto next = real<void(VKAPI_PTR*)(Object, const Label*)>(device_of(object), index);
  const std::uint64_t start = begin_labelled_call();
  next(object, label);
  if (start != 0) write_label(index, start, object, flags, text, color);
}

template <Index index, class Object>
void call_end(Object object) {
  const auto next = real<void(VKAPI_PTR*)(Object)>(device_of(object), index);
  const std::uint64_t start = begin_labelled_call();
  if (start != 0) end_timed(object);
  next(object);
  if (start != 0) write_record(index, label_at(object, start, wire::kVulkanLabelEnds));
}

// Records that the object has the name from now on.
void write_name(std::uint64_t object, const char* name) {
  if (name == nullptr) return;
  core::append(
      wire::VulkanNameRecord{core::header_of<wire::VulkanNameRecord>(wire::RecordType::kVulkanName),
                             object, core::intern(name)});
}

template <Index index, class Info>
VkResult call_with_name(VkDevice device, const Info* info, std::uint64_t object) {
  const auto next = real<VkResult(VKAPI_PTR*)(VkDevice, const Info*)>(device_of(device), index);
  const std::uint64_t start = begin_call();
  if (start == 0) return next(device, info);
  const VkResult result = next(device, info);
  write_name(object, info->pObjectName);
  end_call(index, start, number_of(device));
  return result;
}

}  // namespace

void begin_label(VkCommandBuffer buffer, const VkDebugUtilsLabelEXT* label) {
  call_with_label<kCmdBeginDebugUtilsLabelEXT>(buffer, label, wire::kVulkanLabelBegins,
                                               label->pLabelName, label->color);
}
void end_label(VkCommandBuffer buffer) { call_end<kCmdEndDebugUtilsLabelEXT>(buffer); }
void insert_label(VkCommandBuffer buffer, const VkDebugUtilsLabelEXT* label) {
  call_with_label<kCmdInsertDebugUtilsLabelEXT>(buffer, label, 0, label->pLabelName, label->color);
}

void begin_queue_label(VkQueue queue, const VkDebugUtilsLabelEXT* label) {
  call_with_label<kQueueBeginDebugUtilsLabelEXT>(queue, label, wire::kVulkanLabelBegins,
                                                 label->pLabelName, label->color);
}
void end_queue_label(VkQueue queue) { call_end<kQueueEndDebugUtilsLabelEXT>(queue); }
void insert_queue_label(VkQueue queue, const VkDebugUtilsLabelEXT* label) {
  call_with_label<kQueueInsertDebugUtilsLabelEXT>(queue, label, 0, label->pLabelName, label->color);
}

void begin_marker(VkCommandBuffer buffer, const VkDebugMarkerMarkerInfoEXT* marker) {
  call_with_label<kCmdDebugMarkerBeginEXT>(buffer, marker, wire::kVulkanLabelBegins,
                                           marker->pMarkerName, marker->color);
}
void end_marker(VkCommandBuffer buffer) { call_end<kCmdDebugMarkerEndEXT>(buffer); }
void insert_marker(VkCommandBuffer buffer, const VkDebugMarkerMarkerInfoEXT* marker) {
  call_with_label<kCmdDebugMarkerInsertEXT>(buffer, marker, 0, marker->pMarkerName, marker->color);
}

VkResult set_object_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
  return call_with_name<kSetDebugUtilsObjectNameEXT>(device, info, info->objectHandle);
}
VkResult set_marker_name(VkDevice device, const VkDebugMarkerObjectNameInfoEXT* info) {
  return call_with_name<kDebugMarkerSetObjectNameEXT>(device, info, info->object);
}

}  // namespace prof::vulkan
