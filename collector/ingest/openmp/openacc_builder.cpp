#include "collector/ingest/openmp/openacc_builder.hpp"

#include <algorithm>

#include "collector/ingest/records/enum_values.hpp"

namespace prof::ingest {

namespace {

using wire::OpenAccEvent;

constexpr EnumValue kOpenAccValues[] = {
    {"ENUM_OPENACC_DEVICE", 0, "acc_device_none", "None"},
    {"ENUM_OPENACC_DEVICE", 1, "acc_device_default", "Default"},
    {"ENUM_OPENACC_DEVICE", 2, "acc_device_host", "Host"},
    {"ENUM_OPENACC_DEVICE", 3, "acc_device_not_host", "Not host"},
    {"ENUM_OPENACC_DEVICE", 4, "acc_device_nvidia", "NVIDIA"},
    {"ENUM_OPENACC_DEVICE", 5, "acc_device_radeon", "Radeon"},
    {"ENUM_OPENACC_DEVICE", 6, "acc_device_xeonphi", "Xeon Phi"},
    {"ENUM_OPENACC_DEVICE", 7, "acc_device_pgi_opencl", "PGI OpenCL"},
    {"ENUM_OPENACC_DEVICE", 8, "acc_device_nvidia_opencl", "NVIDIA OpenCL"},
    {"ENUM_OPENACC_DEVICE", 9, "acc_device_opencl", "OpenCL"},
    {"ENUM_OPENACC_EVENT_KIND", 0, "CUPTI_OPENACC_EVENT_KIND_INVALID", "Invalid"},
    {"ENUM_OPENACC_EVENT_KIND", 1, "CUPTI_OPENACC_EVENT_KIND_DEVICE_INIT", "Device init"},
    {"ENUM_OPENACC_EVENT_KIND", 2, "CUPTI_OPENACC_EVENT_KIND_DEVICE_SHUTDOWN", "Device shutdown"},
    {"ENUM_OPENACC_EVENT_KIND", 3, "CUPTI_OPENACC_EVENT_KIND_RUNTIME_SHUTDOWN", "Runtime shutdown"},
    {"ENUM_OPENACC_EVENT_KIND", 4, "CUPTI_OPENACC_EVENT_KIND_ENQUEUE_LAUNCH", "Enqueue launch"},
    {"ENUM_OPENACC_EVENT_KIND", 5, "CUPTI_OPENACC_EVENT_KIND_ENQUEUE_UPLOAD", "Enqueue upload"},
    {"ENUM_OPENACC_EVENT_KIND", 6, "CUPTI_OPENACC_EVENT_KIND_ENQUEUE_DOWNLOAD", "Enqueue download"},
    {"ENUM_OPENACC_EVENT_KIND", 7, "CUPTI_OPENACC_EVENT_KIND_WAIT", "Wait"},
    {"ENUM_OPENACC_EVENT_KIND", 8, "CUPTI_OPENACC_EVENT_KIND_IMPLICIT_WAIT", "Implicit wait"},
    {"ENUM_OPENACC_EVENT_KIND", 9, "CUPTI_OPENACC_EVENT_KIND_COMPUTE_CONSTRUCT",
     "Compute construct"},
    {"ENUM_OPENACC_EVENT_KIND", 10, "CUPTI_OPENACC_EVENT_KIND_UPDATE", "UPDATE"},
    {"ENUM_OPENACC_EVENT_KIND", 11, "CUPTI_OPENACC_EVENT_KIND_ENTER_DATA", "Enter data"},
    {"ENUM_OPENACC_EVENT_KIND", 12, "CUPTI_OPENACC_EVENT_KIND_EXIT_DATA", "Exit data"},
    {"ENUM_OPENACC_EVENT_KIND", 13, "CUPTI_OPENACC_EVENT_KIND_CREATE", "Create"},
    {"ENUM_OPENACC_EVENT_KIND", 14, "CUPTI_OPENACC_EVENT_KIND_DELETE", "Delete"},
    {"ENUM_OPENACC_EVENT_KIND", 15, "CUPTI_OPENACC_EVENT_KIND_ALLOC", "Alloc"},
    {"ENUM_OPENACC_EVENT_KIND", 16, "CUPTI_OPENACC_EVENT_KIND_FREE", "Free"},
};

const char* name_of_event(OpenAccEvent event) {
  for (const EnumValue& each : kOpenAccValues)
    if (each.id == static_cast<std::int64_t>(event) &&
        std::string_view(each.table) == "ENUM_OPENACC_EVENT_KIND")
      return each.label;
  return "OpenACC event";
}

bool is_about_data(OpenAccEvent event) {
  switch (event) {
    case OpenAccEvent::kUpload:
    case OpenAccEvent::kDownload:
    case OpenAccEvent::kCreate:
    case OpenAccEvent::kDelete:
    case OpenAccEvent::kAlloc:
    case OpenAccEvent::kFree:
      return true;
    default:
      return false;
  }
}

std::int64_t size_column(std::uint64_t size) { return static_cast<std::int64_t>(size); }

}  // namespace

std::int64_t OpenAccBuilder::text(std::uint64_t hash) {
  return writer_.string_id(hash == 0 ? std::string_view() : strings_.text(hash));
}

// What the runtime says comes first.
void OpenAccBuilder::set_place(report::OpenAccRow& row, std::uint32_t serial,
                               const wire::OpenAccRecord& record) {
  row.line = std::max(record.line, 0);
  row.file = text(record.file);
  row.function = text(record.function);
  if (row.line > 0) return;
  const ConstructPlace* const place = places_.find(serial, record.code);
  if (place == nullptr) return;
  row.line = place->source.line;
  row.file = writer_.string_id(place->source.file);
  row.function = writer_.string_id(place->source.function);
}

void OpenAccBuilder::add(std::uint32_t serial, std::int64_t global_tid,
                         const wire::OpenAccRecord& record) {
  const auto event = static_cast<OpenAccEvent>(record.header.flags);
  report::OpenAccRow row{};
  row.end = clock_.to_ns(record.end);
  row.start = record.start == 0 ? row.end : std::min(clock_.to_ns(record.start), row.end);
  row.global_tid = global_tid;
  row.kind = record.header.flags;
  row.device_type = record.header.aux;
  row.device = record.device;
  row.name_id = writer_.string_id(name_of_event(event));
  set_place(row, serial, record);
  ++events_;
  last_time_ = std::max(last_time_, row.end);
  if (event == OpenAccEvent::kLaunch)
    writer_.add(report::OpenAccLaunchRow{row, size_column(record.sizes[0]),
                                         size_column(record.sizes[1]), size_column(record.sizes[2]),
                                         text(record.name)});
  else if (is_about_data(event))
    writer_.add(report::OpenAccDataRow{row, size_column(record.sizes[0]), text(record.name)});
  else
    writer_.add(report::OpenAccOtherRow{row});
}

void OpenAccBuilder::finish() {
  if (events_ == 0) return;
  write_enums(writer_, kOpenAccValues);
}

}  // namespace prof::ingest
