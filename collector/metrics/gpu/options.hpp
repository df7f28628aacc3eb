// Options for sampling GPUs: which GPUs, which metrics, how often.
#pragma once

#include <cstdint>
#include <string>

namespace prof::metrics {

struct GpuMetricsOptions {
  std::string devices = "none";     // "all", "cuda-visible", or numbers separated by commas
  std::uint32_t frequency = 10000;  // samples per second
  std::string set;                  // a name, or "file:" and a path; empty: the chip's default
  std::string cupti;                // path of libcupti; empty: search

  bool is_on() const { return devices != "none"; }
};

}  // namespace prof::metrics
