// The facts about GPUs in TARGET_INFO_SYSTEM_ENV.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

// A GPU in use.
struct Gpu {
  wire::CudaDeviceRecord record{};
  std::string uuid;
  std::string location;  // on the PCI bus
  std::int64_t id = 0;
  std::string name = {};
  std::string chip = {};  // empty: unknown
  std::int64_t revision = 0;
};

// Returns the instructions per cycle, or 0 if CUPTI does not know.
inline std::uint32_t max_ipc(const wire::CudaDeviceRecord& device) {
  constexpr std::uint32_t kUnknown = 0xffffffff;
  return device.max_ipc == kUnknown ? 0 : device.max_ipc;
}

// Writes CudaDriverVersion, and GpuInfo: a JSON object with nsys's names, without the facts that
// neither CUPTI nor the driver knows. Writes nothing if no GPU is in use.
void write_gpu_info(report::ReportWriter& writer, std::span<const Gpu> gpus);

}  // namespace prof::ingest
