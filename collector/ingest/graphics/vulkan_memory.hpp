// Turns records of what calls of Vulkan do with memory into rows of nsys's tables.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "common/report/report_writer.hpp"
#include "common/wire/vulkan_records.hpp"

namespace prof::ingest {

class VulkanMemory {
 public:
  // The call that a record belongs to.
  struct Call {
    std::int64_t row;      // id in VULKAN_API
    std::int64_t context;  // number of its object
  };

  // The writer outlives the object.
  explicit VulkanMemory(report::ReportWriter& writer) : writer_(writer), sizes_(writer.memory()) {}

  void add(std::uint32_t serial, const wire::VulkanMemoryRecord& record, const Call& call);
  // Adds the rows that name flags, if there are any operations.
  void finish();

 private:
  void allocate(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
                report::VulkanMemoryRow& row);
  void release(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
               report::VulkanMemoryRow& row);
  void map(std::uint32_t serial, const wire::VulkanMemoryRecord& record,
           report::VulkanMemoryRow& row) const;

  report::ReportWriter& writer_;
  // Bytes of the memory that is allocated, by process and handle.
  std::pmr::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> sizes_;
  std::int64_t last_row_ = 0;   // id in VULKAN_MEMORY_OPERATION
  std::int64_t last_type_ = 0;  // id in VULKAN_MEMORY_TYPES
};

}  // namespace prof::ingest
