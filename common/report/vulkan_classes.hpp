// The numbers of Vulkan's event classes: ids of ENUM_NSYS_EVENT_CLASS.
#pragma once

#include <cstdint>

namespace prof::report {

enum class VulkanEventClass : std::int32_t {
  kCall = 53,
  kWorkload = 54,
  kStart = 55,
  kFinish = 56,
  kObject = 60,
  kLabel = 66,
  kBatch = 93,
};

}  // namespace prof::report
