#include "collector/ingest/graphics/vulkan_builder.hpp"

#include <algorithm>

#include "collector/ingest/records/enum_values.hpp"

namespace prof::ingest {

namespace {

using report::VulkanEventClass;
using wire::VulkanClass;

constexpr EnumValue kPipelineFlags[] = {
    {"ENUM_VULKAN_PIPELINE_CREATION_FLAGS", 1, "VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT",
     "Valid flag"},
    {"ENUM_VULKAN_PIPELINE_CREATION_FLAGS", 2,
     "VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT", "Cache hit flag"},
    {"ENUM_VULKAN_PIPELINE_CREATION_FLAGS", 4,
     "VK_PIPELINE_CREATION_FEEDBACK_BASE_PIPELINE_ACCELERATION_BIT", "Pipeline acceleration flag"}};

constexpr char kFinished[] = "Vulkan profiling finished";

VulkanEventClass class_of(VulkanClass kind) {
  switch (kind) {
    case VulkanClass::kStarted:
      return VulkanEventClass::kStart;
    case VulkanClass::kQueue:
      return VulkanEventClass::kObject;
    case VulkanClass::kCall:
    case VulkanClass::kBeginBuffer:
      break;
  }
  return VulkanEventClass::kCall;
}

}  // namespace

VulkanBuilder::VulkanBuilder(const spool::ClockModel& clock, const StringTable& strings,
                             const ProcessTable& processes, FunctionNames& functions,
                             report::ReportWriter& writer)
    : clock_(clock),
      strings_(strings),
      processes_(processes),
      functions_(functions),
      writer_(writer),
      clocks_(clock, writer.memory()),
      memory_(writer),
      by_serial_(writer.memory()) {}

VulkanBuilder::Process& VulkanBuilder::process_of(std::uint32_t serial) {
  return by_serial_.try_emplace(serial, writer_.memory()).first->second;
}

void VulkanBuilder::define(std::uint32_t serial, const wire::VulkanCallRecord& record) {
  std::int64_t& last = process_of(serial).last_correlation;
  last = std::max<std::int64_t>(last, record.correlation);
}

void VulkanBuilder::define(std::uint32_t serial, const wire::VulkanLabelRecord& record) {
  std::int64_t& last = process_of(serial).last_correlation;
  last = std::max<std::int64_t>(last, record.correlation);
}

void VulkanBuilder::define(std::uint32_t serial, const wire::VulkanNameRecord& record) {
  process_of(serial).names[record.object] = record.name;
}

std::int64_t VulkanBuilder::context_of(Process& process, std::uint64_t object) {
  const auto next = static_cast<std::int64_t>(process.contexts.size()) + 1;
  return process.contexts.try_emplace(object, next).first->second;
}

template <class Record>
report::VulkanRow VulkanBuilder::row_of(Process& process, std::int64_t global_tid,
                                        const Record& record) {
  using Row = report::VulkanRow;
  ++events_;
  Row row;
  row.id = ++last_row_;
  row.start = clock_.to_ns(record.start);
  row.end = std::max(row.start, clock_.to_ns(record.end));
  row.global_tid = global_tid;
  row.name_id = functions_.id_of(record.header.aux);
  last_start_ = record.start;
  process.last_time = std::max(process.last_time, row.end);
  last_time_ = std::max(last_time_, row.end);
  last_context_ = 0;
  if (record.object == 0) return row;
  last_context_ = context_of(process, record.object);
  row.template set<&Row::context>(last_context_);
  row.template set<&Row::address>(static_cast<std::int64_t>(record.object));
  if (const auto name = process.names.find(record.object); name != process.names.end())
    row.template set<&Row::object_name>(writer_.string_id(strings_.text(name->second)));
  return row;
}

void VulkanBuilder::call(std::uint32_t serial, std::int64_t global_tid,
                         const wire::VulkanCallRecord& record) {
  Process& process = process_of(serial);
  const auto kind = static_cast<VulkanClass>(record.header.flags);
  if (kind == VulkanClass::kBeginBuffer) process.labels.erase(record.object);
  auto row = row_of(process, global_tid, record);
  row.event_class = class_of(kind);
  if (kind == VulkanClass::kStarted) {
    process.is_finished = false;
    row.global_tid = processes_.global_pid_of(serial);
  }
  if (record.correlation != 0) {
    row.correlation = record.correlation;
    row.set<&report::VulkanRow::end_correlation>(row.correlation);
  } else if (row.event_class == VulkanEventClass::kCall) {
    row.correlation = ++process.last_correlation;
  }
  writer_.add(row);
}

std::int64_t VulkanBuilder::correlation_of(Process& process,
                                           const wire::VulkanLabelRecord& record) {
  if ((record.header.flags & wire::kVulkanLabelEnds) == 0) {
    if ((record.header.flags & wire::kVulkanLabelBegins) != 0)
      process.labels[record.object].push_back(record.correlation);
    return record.correlation;
  }
  const auto open = process.labels.find(record.object);
  if (open == process.labels.end() || open->second.empty()) return 0;
  const std::int64_t correlation = open->second.back();
  open->second.pop_back();
  return correlation;
}

void VulkanBuilder::label(std::uint32_t serial, std::int64_t global_tid,
                          const wire::VulkanLabelRecord& record) {
  using Row = report::VulkanLabelRow;
  Process& process = process_of(serial);
  auto call = row_of(process, global_tid, record);
  call.event_class = VulkanEventClass::kLabel;
  call.correlation = correlation_of(process, record);
  call.set<&report::VulkanRow::end_correlation>(call.correlation);
  writer_.add(call);
  Row row;
  row.start = call.start;
  row.end = call.end;
  row.global_tid = global_tid;
  row.correlation = call.correlation;
  row.name_id = call.name_id;
  row.context = call.context;
  if ((record.header.flags & wire::kVulkanLabelHasColor) != 0) row.set<&Row::color>(record.color);
  if ((record.header.flags & wire::kVulkanLabelEnds) == 0)
    row.set<&Row::text>(text_id(record.text));
  writer_.add(row);
}

void VulkanBuilder::pipeline(const wire::VulkanPipelineRecord& record) {
  if (record.start != last_start_) return;  // the record of its call was dropped
  const auto duration = static_cast<std::int64_t>(record.duration);
  if ((record.header.flags & wire::kVulkanIsStage) == 0)
    writer_.add(
        report::VulkanPipelineRow{++last_pipeline_, duration, record.header.aux, last_row_});
  else
    writer_.add(report::VulkanStageRow{++last_stage_, duration, record.header.aux, last_pipeline_});
}

void VulkanBuilder::memory(std::uint32_t serial, const wire::VulkanMemoryRecord& record) {
  if (record.start == last_start_) memory_.add(serial, record, {last_row_, last_context_});
}

void VulkanBuilder::workload(std::uint32_t serial, const wire::VulkanWorkloadRecord& record) {
  using Row = report::VulkanWorkRow;
  if (!clocks_.has(serial, record.device)) return;
  ++workloads_;
  Process& process = process_of(serial);
  Row row;
  row.start = clocks_.to_ns(serial, record.device, record.start);
  row.end = std::max(row.start, clocks_.to_ns(serial, record.device, record.end));
  const bool is_batch = (record.header.flags & wire::kVulkanIsBatch) != 0;
  if (is_batch) row.event_class = VulkanEventClass::kBatch;
  row.global_tid = processes_.global_tid_of(serial, record.tid);
  row.correlation = record.correlation;
  row.name_id = functions_.id_of(record.header.aux);
  row.gpu = record.device;
  row.context = context_of(process, record.object);
  if ((record.header.flags & wire::kVulkanWorkHasColor) != 0) row.set<&Row::color>(record.color);
  if ((record.header.flags & wire::kVulkanIsLabel) != 0) row.set<&Row::text>(text_id(record.text));
  last_time_ = std::max(last_time_, row.end);
  writer_.add(row);
}

void VulkanBuilder::finish() {
  if (events_ == 0) return;
  write_enums(writer_, kPipelineFlags);
  memory_.finish();
  for (auto& [serial, process] : by_serial_) {
    if (process.is_finished) continue;
    report::VulkanRow row;
    row.id = ++last_row_;
    row.start = row.end = process.last_time;
    row.event_class = VulkanEventClass::kFinish;
    row.global_tid = processes_.global_pid_of(serial);
    row.name_id = writer_.string_id(kFinished);
    writer_.add(row);
  }
}

}  // namespace prof::ingest
