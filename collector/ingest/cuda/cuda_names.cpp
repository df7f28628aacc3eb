#include "collector/ingest/cuda/cuda_names.hpp"

#include <set>
#include <string>
#include <utility>

#include "collector/ingest/cuda/cuda_numbers.hpp"

namespace prof::ingest {

void CudaNames::add(std::uint32_t serial, const wire::CudaNameRecord& record) {
  const auto kind = static_cast<wire::CudaObject>(record.header.flags);
  Name& known = names_[{serial, kind, record.context, record.header.aux}];
  if (record.time >= known.time) known = {record.time, record.name};
}

void CudaNames::write(report::ReportWriter& writer, const StringTable& strings,
                      const ProcessTable& processes, const DeviceOf& device_of) const {
  // nsys's table of devices has no column for the process, so each name is written once.
  std::set<std::pair<std::uint32_t, std::uint64_t>> devices;
  for (const auto& [key, name] : names_) {
    const auto& [serial, kind, context, id] = key;
    const std::string_view text = strings.text(name.text);
    const ProcessImage* image = processes.find(serial);
    const std::int64_t pid = image == nullptr ? 0 : image->pid;
    switch (kind) {
      case wire::CudaObject::kDevice:
        if (devices.emplace(id, name.text).second)
          writer.add("TARGET_INFO_NVTX_CUDA_DEVICE",
                     {text, kHardware, kVirtualMachine, std::int64_t{id}});
        break;
      case wire::CudaObject::kContext:
        writer.add("TARGET_INFO_NVTX_CUDA_CONTEXT",
                   {text, kHardware, kVirtualMachine, pid, std::int64_t{device_of(serial, id)},
                    std::int64_t{id}});
        break;
      case wire::CudaObject::kStream:
        writer.add("TARGET_INFO_NVTX_CUDA_STREAM",
                   {text, kHardware, kVirtualMachine, pid, std::int64_t{device_of(serial, context)},
                    std::int64_t{context}, std::int64_t{id}});
        break;
      case wire::CudaObject::kCount:
        break;
    }
  }
}

}  // namespace prof::ingest
