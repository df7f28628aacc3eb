// Writes TARGET_INFO_NVTX_CUDA_*: names that programs gave to devices, contexts and streams.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <tuple>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

class CudaNames {
 public:
  explicit CudaNames(std::pmr::memory_resource* memory) : names_(memory) {}

  // Adds a name. Records can come in any order; if an object has several names, the latest wins.
  // `serial`: of the process image.
  void add(std::uint32_t serial, const wire::CudaNameRecord& record);

  // Returns the ordinal of the device of a context in a process image.
  using DeviceOf = std::function<std::uint32_t(std::uint32_t serial, std::uint32_t context)>;
  void write(report::ReportWriter& writer, const StringTable& strings,
             const ProcessTable& processes, const DeviceOf& device_of) const;

 private:
  // serial, kind, context of a stream, id
  using Key = std::tuple<std::uint32_t, wire::CudaObject, std::uint32_t, std::uint32_t>;
  struct Name {
    std::uint64_t time = 0;
    std::uint64_t text = 0;  // string hash
  };
  std::pmr::map<Key, Name> names_;
};

}  // namespace prof::ingest
