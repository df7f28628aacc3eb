// The functions of Vulkan that prof replaces (vulkan.def): their numbers and names.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstring>

#include "common/wire/vulkan_records.hpp"

namespace prof::vulkan {

#define VULKAN_CALL(name) k##name,
enum Index : std::uint32_t {
#include "injection/graphics/vulkan/vulkan.def"
  kCalls
};

#define VULKAN_CALL(name) "vk" #name,
inline constexpr const char* kNames[kCalls] = {
#include "injection/graphics/vulkan/vulkan.def"
};

// Names of events that are not calls. Their numbers follow those of the functions.
inline constexpr std::uint32_t kStarted = kCalls;
inline constexpr std::uint32_t kQueueCreated = kCalls + 1;
static_assert(kQueueCreated < wire::kMaxVulkanFunctions);

constexpr const char* name_of(std::uint32_t index) {
  if (index == kStarted) return "Vulkan profiling started";
  return index == kQueueCreated ? "Create Vulkan Queue" : kNames[index];
}

// Returns kCalls if it is none of the functions.
inline std::uint32_t find_function(const char* name) {
  for (std::uint32_t i = 0; i < kCalls; ++i)
    if (std::strcmp(name, kNames[i]) == 0) return i;
  return kCalls;
}

}  // namespace prof::vulkan
