// Names that the program assigns to CUDA's objects. NVTX receives them, and only injection/cuda
// knows the number of a handle on the wire.
#pragma once

#include <cstdint>

#include "common/wire/cuda_records.hpp"

namespace prof::core {

// Names an object. `handle` is CUDA's, `name` a string hash. Contexts and streams are named once
// CUPTI is set up, through the door of injection/cuda. Devices have ordinals and may be named
// before that.
void name_cuda_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);

// Writes the record. `id` and `context` are those of wire::CudaNameRecord.
void write_cuda_name(wire::CudaObject kind, std::uint32_t id, std::uint32_t context,
                     std::uint64_t name);

}  // namespace prof::core
