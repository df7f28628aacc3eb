// Puts the launches of prof kernel together that made one pass each of a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/wire/kernel_records.hpp"

namespace prof::ingest {

// What is needed of a launch.
struct PassOfLaunch {
  std::uint32_t serial;
  const wire::KernelProfileRecord* record;
};

// Returns the profiles, each as indices of its launches by their pass. The launches are in the
// order of time. A launch that makes a pass again replaces the former one.
std::vector<std::vector<std::size_t>> join_passes(std::span<const PassOfLaunch> launches);

}  // namespace prof::ingest
