// Names of Vulkan's tables.
#pragma once

#include "common/report/table_query.hpp"
#include "common/report/vulkan_classes.hpp"

namespace prof::events {

inline constexpr const char* kVulkanTable = "VULKAN_API";
inline constexpr const char* kVulkanLabelTable = "VULKAN_DEBUG_API";
inline constexpr const char* kVulkanWorkTable = "VULKAN_WORKLOAD";
inline constexpr const char* kVulkanMemoryTable = "VULKAN_MEMORY_OPERATION";
inline constexpr const char* kVulkanMemoryTypeTable = "VULKAN_MEMORY_TYPES";
// Selects calls. Rows of other event classes are labels and moments.
inline report::RowCondition vulkan_calls() { return {"eventClass", {53}}; }
static_assert(static_cast<int>(report::VulkanEventClass::kCall) == 53);

}  // namespace prof::events
