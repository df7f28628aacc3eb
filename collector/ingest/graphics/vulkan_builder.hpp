// Turns records of Vulkan into rows of nsys's tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/ingest/calls/function_names.hpp"
#include "collector/ingest/graphics/gpu_clocks.hpp"
#include "collector/ingest/graphics/vulkan_memory.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/vulkan_records.hpp"

namespace prof::ingest {

class VulkanBuilder {
 public:
  // The references outlive the builder.
  VulkanBuilder(const spool::ClockModel& clock, const StringTable& strings,
                const ProcessTable& processes, FunctionNames& functions,
                report::ReportWriter& writer);

  // Called with all records before the first row is made.
  void define(std::uint32_t serial, const wire::VulkanCallRecord& record);
  void define(std::uint32_t serial, const wire::VulkanLabelRecord& record);
  void define(std::uint32_t serial, const wire::VulkanNameRecord& record);
  void define(std::uint32_t serial, const wire::VulkanClockRecord& record) {
    clocks_.define(serial, record);
  }

  void call(std::uint32_t serial, std::int64_t global_tid, const wire::VulkanCallRecord& record);
  void label(std::uint32_t serial, std::int64_t global_tid, const wire::VulkanLabelRecord& record);
  // What the driver says of the latest call.
  void pipeline(const wire::VulkanPipelineRecord& record);
  // What the latest call does with memory.
  void memory(std::uint32_t serial, const wire::VulkanMemoryRecord& record);
  void workload(std::uint32_t serial, const wire::VulkanWorkloadRecord& record);
  // Adds the rows that end the trace of each process.
  void finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t workloads() const { return workloads_; }
  // Returns when the latest event ended, ns.
  std::int64_t last_time() const { return last_time_; }

 private:
  struct Process {
    explicit Process(std::pmr::memory_resource* memory)
        : contexts(memory), names(memory), labels(memory) {}

    // The correlation ids of submits and labels come from the process. Those of other calls follow.
    std::int64_t last_correlation = 0;
    bool is_finished = true;                                        // false if its trace has begun
    std::int64_t last_time = 0;                                     // ns
    std::pmr::unordered_map<std::uint64_t, std::int64_t> contexts;  // by handle
    std::pmr::unordered_map<std::uint64_t, std::uint64_t> names;    // string hashes by handle
    // Correlation ids of the open labels of command buffers and queues, the innermost one last.
    std::pmr::unordered_map<std::uint64_t, std::pmr::vector<std::int64_t>> labels;
  };
  Process& process_of(std::uint32_t serial);
  std::int64_t context_of(Process& process, std::uint64_t object);
  // Sets what all rows of calls have.
  template <class Record>
  report::VulkanRow row_of(Process& process, std::int64_t global_tid, const Record& record);
  // Returns the correlation id of a record of a label.
  static std::int64_t correlation_of(Process& process, const wire::VulkanLabelRecord& record);
  std::int64_t text_id(std::uint64_t text) { return writer_.string_id(strings_.text(text)); }

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  FunctionNames& functions_;
  report::ReportWriter& writer_;
  GpuClocks clocks_;
  VulkanMemory memory_;
  std::pmr::map<std::uint32_t, Process> by_serial_;
  std::int64_t last_row_ = 0;       // id in VULKAN_API
  std::uint64_t last_start_ = 0;    // of the call of that row
  std::int64_t last_context_ = 0;   // object of that call
  std::int64_t last_pipeline_ = 0;  // id in VULKAN_PIPELINE_CREATION_EVENTS
  std::int64_t last_stage_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t workloads_ = 0;
  std::int64_t last_time_ = 0;
};

}  // namespace prof::ingest
