// What may follow a report's name after a colon: cuda_gpu_kern_sum:nvtx-name:base.
#pragma once

#include <string_view>

#include "collector/base/result.hpp"

namespace prof::stats {

enum class KernelName { kDemangled, kBase, kMangled };

struct Arguments {
  KernelName kernel_name = KernelName::kDemangled;
  bool nvtx_name = false;  // put the NVTX range of the launch before the kernel's name
};

// Takes "base:nvtx-name", or nothing. Only reports that name kernels take any.
base::Result<Arguments> parse_arguments(std::string_view words, bool names_kernels);

}  // namespace prof::stats
