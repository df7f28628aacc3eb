// Finds communication kernels that wait for the same kernel of another process.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

// A device's wait for another device. A communication kernel needs all its peers: it waits until
// the last of them has started.
struct PeerWait {
  std::uint32_t device;  // index into GpuWork::devices()
  std::uint32_t peer;    // the device whose kernel started last
  Interval time;         // from the start of the device's kernel to the start of the peer's kernel
};

// Returns the waits of all devices, without times in which the waiting device computes. Kernels of
// two devices belong together if they overlap and have the same name.
std::vector<PeerWait> peer_waits(const GpuWork& work);

}  // namespace prof::insight
