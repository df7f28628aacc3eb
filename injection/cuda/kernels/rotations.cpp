#include "injection/cuda/kernels/rotations.hpp"

#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/lazy_array.hpp"

namespace prof::cuda::kernels {

namespace {

constexpr std::size_t kMaxRotations = 1024;
constinit core::LazyArray<Rotation, kMaxRotations> g_rotations;
std::uint32_t g_profiles;

// Returns a number for the kernel, the size of the launch and the context; not 0.
std::uint64_t rotation_key(const Launch& launch) {
  const std::uint64_t words[] = {wire::hash_text(launch.name, std::strlen(launch.name)),
                                 key_of(launch), launch.context};
  return wire::hash_text(reinterpret_cast<const char*>(words), sizeof words) | 1;
}

}  // namespace

Rotation* rotation_of(const Launch& launch) {
  Rotation* const rotations = g_rotations.get();
  if (rotations == nullptr) return nullptr;
  const std::uint64_t key = rotation_key(launch);
  for (std::size_t i = 0; i < kMaxRotations; ++i) {
    Rotation& each = rotations[(key + i) % kMaxRotations];
    if (each.key == 0) each.key = key;
    if (each.key == key) return &each;
  }
  return nullptr;
}

Part next_part(const ChipPlan& made, Rotation& rotation) {
  if (rotation.number == 0) rotation.number = ++g_profiles;
  const PassGroup& group = made.groups[rotation.group];
  const bool is_short = group.config.passes == 1;
  return {&group, rotation.pass, rotation.pass + 1 == group.config.passes, false,
          is_short ? nullptr : &rotation.image};
}

std::uint32_t passes_made(const ChipPlan& made, const Rotation& rotation) {
  std::size_t passes = rotation.pass;
  for (std::size_t i = 0; i < rotation.group; ++i) passes += made.groups[i].config.passes;
  return static_cast<std::uint32_t>(passes);
}

void advance(const ChipPlan& made, Rotation& rotation) {
  if (++rotation.pass != made.groups[rotation.group].config.passes) return;
  rotation.pass = 0;
  free_image(rotation.image);
  if (++rotation.group != made.num_groups) return;
  rotation.group = 0;
  rotation.number = 0;
}

void repeat_group(Rotation& rotation) { rotation.pass = 0; }

}  // namespace prof::cuda::kernels
