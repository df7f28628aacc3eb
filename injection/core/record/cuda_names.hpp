// Names of CUDA's objects: they come in through NVTX, and only injection/cuda knows what a handle
// is called on the wire.
#pragma once

#include <cstdint>

#include "injection/wire/cuda_records.hpp"

namespace prof::core {

// `handle` is CUDA's; `name` a string hash.
using CudaNamer = void (*)(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);

// One namer, for contexts and streams, once CUPTI is set up. It may be called in a fork child, and
// must see to that itself.
void set_cuda_namer(CudaNamer namer);

// Devices are named by ordinal and need no namer: they may be named before CUDA is initialised.
void name_cuda_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);

// Writes the record. `id` and `context` as in wire::CudaNameRecord.
void write_cuda_name(wire::CudaObject kind, std::uint32_t id, std::uint32_t context,
                     std::uint64_t name);

}  // namespace prof::core
