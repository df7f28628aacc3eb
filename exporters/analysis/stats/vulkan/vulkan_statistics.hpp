// Statistics of Vulkan.
#pragma once

#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

Run vulkan_api_sum, vulkan_api_trace, vulkan_marker_sum, vulkan_gpu_marker_sum, vulkan_memory;

}  // namespace prof::stats
