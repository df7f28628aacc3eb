// Layers of the work on GPUs.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

namespace {

// Returns the source for a table of events of streams. `name` is the SQL for the value that
// `name_of` turns into a name.
template <class NameOf>
Layer stream_layer(const report::ReportReader& reader, RowKind kind, const std::string& table,
                   const std::string& name, NameOf name_of) {
  Source source;
  source.table = table;
  for (const char* each : {"globalPid", "deviceId", "contextId", "streamId", "correlationId"})
    source.columns += column(reader, table, each) + ", ";
  source.columns += name;
  source.read = [name_of](const report::Row& row, ScanContext& context, Reading& event) {
    for (int i = 0; i < 4; ++i)
      event.key.ids[static_cast<std::size_t>(i)] = row.integer(kFirst + i);
    event.correlation = correlation_of(row, kFirst + 4);
    event.name = name_of(row.integer(kFirst + 5), context.names);
    event.layout = Layout::kFirstFit;
  };
  Layer layer = layer_of(kind, TreeLevel::kStream, std::move(source));
  layer.side = Layer::Side::kWork;
  return layer;
}

// Returns the source for a table of events of a GPU or, without a deviceId, of a process. `name` is
// a column, whose label is in `labels`; if it is empty, the name is `title`.
Source memory_source(const report::ReportReader& reader, const std::string& table,
                     const std::string& name, const std::string& labels, const char* title) {
  Source source;
  source.table = table;
  const bool has_end = reader.has_column(table, "end");
  if (!has_end) source.end = source.start;
  source.columns = fmt::format("{}, {}, {}", column(reader, table, "globalPid"),
                               column(reader, table, "deviceId"), column(reader, table, name));
  source.read = [labels, has_end, title = std::string(title)](
                    const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids = {row.integer(kFirst), row.integer(kFirst + 1), 0, 0};
    event.name = row.is_null(kFirst + 2) ? context.names.text(title)
                                         : context.names.label(labels, row.integer(kFirst + 2));
    event.layout = Layout::kFirstFit;
    if (!has_end) make_instant(event);
  };
  return source;
}

void add_memory_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (reader.has_table(events::kGpuFaultTable))
    layers.push_back(layer_of(RowKind::kFaults, TreeLevel::kDevice,
                              memory_source(reader, events::kGpuFaultTable, "faultAccessType",
                                            "ENUM_CUDA_UNIF_MEM_ACCESS_TYPE", "page fault")));
  if (reader.has_table(events::kCpuFaultTable))
    layers.push_back(layer_of(RowKind::kFaults, TreeLevel::kProcess,
                              memory_source(reader, events::kCpuFaultTable, "", "", "page fault")));
  const char* pools = "CUDA_GPU_MEMORY_POOL_EVENTS";
  if (reader.has_table(pools))
    layers.push_back(layer_of(
        RowKind::kOther, TreeLevel::kDevice,
        memory_source(reader, pools, "operationType", "ENUM_CUDA_MEMPOOL_OPER", "memory pool"),
        "Memory pools"));
}

// The times in which GPUs work for contexts. Reports of nsys have only the switches.
void add_context_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_column(events::kContextSwitchTable, "end")) return;
  Source source;
  source.table = events::kContextSwitchTable;
  source.start = "timestamp";
  source.open_ends = true;
  source.columns = "globalPid, contextId, gpuId";
  source.condition = "tag = 9";  // ENUM_GPU_CTX_SWITCH: CONTEXT_START
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer_or(kFirst, 0);
    event.name = context.names.text(fmt::format("context {} on GPU {}", row.integer(kFirst + 1),
                                                row.integer_or(kFirst + 2, 0)));
    event.layout = Layout::kFirstFit;
  };
  layers.push_back(
      layer_of(RowKind::kOther, TreeLevel::kProcess, std::move(source), "GPU works for contexts"));
}

// What GPUs do for Vulkan: labels by their text, and command buffers or submits around them.
void add_vulkan_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_table(events::kVulkanWorkTable)) return;
  Source source;
  source.table = events::kVulkanWorkTable;
  source.columns = "globalTid, textId, nameId";
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = events::global_pid_of(row.integer(kFirst));
    event.name = context.names.string(row.integer_or(kFirst + 1, row.integer(kFirst + 2)));
    event.layout = Layout::kFirstFit;
  };
  layers.push_back(
      layer_of(RowKind::kOther, TreeLevel::kProcess, std::move(source), "GPU works for Vulkan"));
}

}  // namespace

void add_gpu_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  const auto add = [&](RowKind kind, const char* table, const std::string& name, auto name_of) {
    if (reader.has_table(table)) layers.push_back(stream_layer(reader, kind, table, name, name_of));
  };
  add(RowKind::kKernels, events::kKernelTable, "shortName",
      [](std::int64_t id, NameReader& names) { return names.string(id); });
  add(RowKind::kCopies, events::kMemcpyTable, "copyKind", [](std::int64_t kind, NameReader& names) {
    return names.text(events::memory_operation_name(std::max<std::int64_t>(kind, 0)));
  });
  add(RowKind::kFills, events::kMemsetTable, "0", [](std::int64_t, NameReader& names) {
    return names.text(events::memory_operation_name(events::kMemset));
  });
  add(RowKind::kGraphs, events::kGraphTable, column(reader, events::kGraphTable, "graphId", "0"),
      [](std::int64_t id, NameReader& names) { return names.text(fmt::format("graph {}", id)); });
  add(RowKind::kWaits, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType",
      [](std::int64_t type, NameReader& names) {
        return names.label("ENUM_CUPTI_SYNC_TYPE", type);
      });
  add_memory_layers(reader, layers);
  add_context_layer(reader, layers);
  add_vulkan_layer(reader, layers);
}

}  // namespace prof::timeline
