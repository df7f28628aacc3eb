// TARGET_INFO_GPU and TARGET_INFO_CUDA_*: what a process told of its GPUs, contexts and streams.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "collector/ingest/string_table.hpp"
#include "collector/report/report_writer.hpp"
#include "injection/wire/cuda_records.hpp"

namespace prof::ingest {

void write_cuda_context(report::ReportWriter& writer, std::int32_t pid,
                        const wire::CudaContextRecord& record);
void write_cuda_stream(report::ReportWriter& writer, std::int32_t pid,
                       const wire::CudaStreamRecord& record);

// Processes number the GPUs they can see; the report has each GPU once, found by its UUID.
class GpuTable {
 public:
  GpuTable(report::ReportWriter& writer, const StringTable& strings)
      : writer_(writer), strings_(strings) {}

  void add(std::int32_t pid, const wire::CudaDeviceRecord& record);

 private:
  void write_gpu(std::int64_t id, const std::string& uuid, const wire::CudaDeviceRecord& record);

  report::ReportWriter& writer_;
  const StringTable& strings_;
  std::map<std::string, std::int64_t> ids_;  // by UUID
};

}  // namespace prof::ingest
