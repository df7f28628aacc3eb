#include "injection/graphics/vulkan/recording.hpp"

#include <atomic>

namespace prof::vulkan {

namespace {

constinit std::atomic<std::uint32_t> g_correlations{0};

}  // namespace

std::uint32_t next_correlation() {
  return g_correlations.fetch_add(1, std::memory_order_relaxed) + 1;
}

void send_name(std::uint32_t function) {
  core::send_name({wire::kVulkanFunctions + function, name_of(function)});
}

}  // namespace prof::vulkan
