// What the kernels of a late rank take beyond those of the median rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "exporters/ranks/delays/job_delays.hpp"

namespace prof::ranks {

struct SlowKernels {
  enum class Kind : std::uint8_t {
    kNone,
    kAll,   // all kernels take longer: the GPU is slower
    kOne,   // one kernel takes longer
    kMore,  // a kernel is launched more often
  };
  Kind kind = Kind::kNone;
  std::string name;           // of the kernel with the most time beyond the median rank's
  double factor = 1;          // the duration / that of the median rank
  std::int64_t launches = 0;  // beyond those of the median rank
  std::string range;          // NVTX range of most of its launches; may be empty
  std::string throttling;     // why the GPU is slower, if its clock was recorded
};

base::Result<SlowKernels> slow_kernels(const JobCollectives& job, const JobDelays& delays,
                                       std::size_t rank);

// "layer_3 takes 1.15 times that of the median rank". Empty for kNone.
std::string text_of(const SlowKernels& kernels);

}  // namespace prof::ranks
