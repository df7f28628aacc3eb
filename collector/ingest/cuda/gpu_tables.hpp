// TARGET_INFO_GPU and TARGET_INFO_CUDA_*: what a process told of its GPUs, contexts and streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/ingest/string_table.hpp"
#include "collector/report/report_writer.hpp"
#include "injection/wire/cuda_records.hpp"

namespace prof::ingest {

void write_cuda_context(report::ReportWriter& writer, std::int32_t pid,
                        const wire::CudaContextRecord& record);
void write_cuda_stream(report::ReportWriter& writer, std::int32_t pid,
                       const wire::CudaStreamRecord& record);

// Processes number the GPUs they can use; the report has each GPU once, found by its UUID, and
// numbers them by their place on the PCI bus.
class GpuTable {
 public:
  GpuTable(report::ReportWriter& writer, const StringTable& strings)
      : writer_(writer), strings_(strings) {}

  // What a process image was told of a device.
  void add(std::uint32_t serial, std::int32_t pid, const wire::CudaDeviceRecord& record);

  // After the last one. `machine`: PCI locations of all GPUs of the machine, lowest first; a GPU's
  // id is its rank there, or among the GPUs in use if that list lacks one of them.
  void write(const std::vector<std::string>& machine);

 private:
  struct Device {
    std::uint32_t serial;
    std::int32_t pid;
    wire::CudaDeviceRecord record;
  };
  struct Gpu {
    std::string uuid;
    std::string location;
    wire::CudaDeviceRecord record;
  };
  void leave_out_hidden();
  std::vector<Gpu> gpus_in_use() const;
  void write_gpu(std::int64_t id, const Gpu& gpu);

  report::ReportWriter& writer_;
  const StringTable& strings_;
  std::vector<Device> devices_;
};

}  // namespace prof::ingest
