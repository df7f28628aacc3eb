// Writes TARGET_INFO_GPU and TARGET_INFO_CUDA_*: the GPUs, contexts and streams of processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/ingest/cuda/gpu_info.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

void write_cuda_context(report::ReportWriter& writer, std::int32_t pid,
                        const wire::CudaContextRecord& record);
void write_cuda_stream(report::ReportWriter& writer, std::int32_t pid,
                       const wire::CudaStreamRecord& record);

// Each process numbers the GPUs that it can use. The report has each GPU once, by its UUID, and
// numbers GPUs by their place on the PCI bus.
class GpuTable {
 public:
  GpuTable(report::ReportWriter& writer, const StringTable& strings)
      : writer_(writer), strings_(strings) {}

  // Adds a device as a process image sees it.
  void add(std::uint32_t serial, std::int32_t pid, const wire::CudaDeviceRecord& record);

  // Writes the tables, after the last device. `machine`: PCI locations of the machine's GPUs,
  // lowest first. The id of a GPU is its rank in that list. If a GPU is not in the list, ids are
  // ranks among the GPUs in use.
  void write(const std::vector<std::string>& machine);

  // Returns TARGET_INFO_GPU.id of a device of a process image, after write().
  std::optional<std::int64_t> id_of(std::uint32_t serial, std::uint32_t ordinal) const;

 private:
  struct Device {
    std::uint32_t serial;
    std::int32_t pid;
    wire::CudaDeviceRecord record;
  };
  void leave_out_hidden();
  std::vector<Gpu> gpus_in_use() const;
  void write_gpu(const Gpu& gpu);

  report::ReportWriter& writer_;
  const StringTable& strings_;
  std::vector<Device> devices_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> id_of_device_;  // serial, ordinal
};

}  // namespace prof::ingest
