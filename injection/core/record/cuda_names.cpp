#include "injection/core/record/cuda_names.hpp"

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

void name_cuda_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name) {
  if (kind == wire::CudaObject::kDevice)
    write_cuda_name(kind, static_cast<std::uint32_t>(handle), 0, name);
  else
    g_doors.name_cuda_object(kind, handle, name);
}

// Names are also recorded outside of a capture range, because the object may be used inside of one.
void write_cuda_name(wire::CudaObject kind, std::uint32_t id, std::uint32_t context,
                     std::uint64_t name) {
  append(wire::CudaNameRecord{header_of<wire::CudaNameRecord>(wire::RecordType::kCudaName, id,
                                                              static_cast<std::uint8_t>(kind)),
                              now(), name, context, 0});
}

}  // namespace prof::core
