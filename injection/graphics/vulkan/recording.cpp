#include "injection/graphics/vulkan/recording.hpp"

#include <atomic>

#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::vulkan {

namespace {

constinit std::atomic<std::uint32_t> g_correlations{0};

struct Error {
  VkResult result;
  std::atomic<bool> is_reported;
  const char* text;
};
constinit Error g_errors[] = {
    {VK_ERROR_DEVICE_LOST,
     {false},
     "A Vulkan device was lost (VK_ERROR_DEVICE_LOST). What it did after the last results that the "
     "program waited for has no rows."},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY,
     {false},
     "A call of Vulkan found too little memory on the device (VK_ERROR_OUT_OF_DEVICE_MEMORY). "
     "prof stats -r vulkan_memory shows what was in use."}};

}  // namespace

void report_error(VkResult result) {
  for (Error& each : g_errors)
    if (each.result == result && !each.is_reported.exchange(true, std::memory_order_relaxed))
      core::report_each(wire::DiagnosticCode::kRemark,
                        core::intern(each.text, std::strlen(each.text)));
}

std::uint32_t next_correlation() {
  return g_correlations.fetch_add(1, std::memory_order_relaxed) + 1;
}

void send_name(std::uint32_t function) {
  core::send_name({wire::kVulkanFunctions + function, name_of(function)});
}

}  // namespace prof::vulkan
