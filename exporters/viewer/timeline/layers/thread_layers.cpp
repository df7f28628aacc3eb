// Layers of calls and samples of threads.
#include <fmt/format.h>

#include <array>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

namespace {

// Returns the source for a table of calls: globalTid, and a name in StringIds.
Source calls(const report::ReportReader& reader, const std::string& table) {
  Source source;
  source.table = table;
  source.columns =
      fmt::format("globalTid, {}",
                  reader.has_column(table, "nameId") ? "nameId" : column(reader, table, "textId"));
  source.open_ends = true;
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    event.name = context.names.string(row.integer_or(kFirst + 1, -1));
  };
  return source;
}

// Adds one layer for several tables.
void add_calls(const report::ReportReader& reader, RowKind kind, const std::string& name,
               const std::vector<std::string>& tables, std::vector<Layer>& layers) {
  Layer layer;
  layer.kind = kind;
  layer.name = name;
  for (const std::string& table : tables)
    if (reader.has_column(table, "globalTid") && reader.has_column(table, "end"))
      layer.sources.push_back(calls(reader, table));
  if (!layer.sources.empty()) layers.push_back(std::move(layer));
}

void add_api_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_table(events::kApiTable)) return;
  Source source;
  source.table = events::kApiTable;
  source.columns = "globalTid, nameId, " + column(reader, source.table, "correlationId");
  if (reader.has_column(source.table, "eventClass")) source.condition = "eventClass <> 67";
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    event.name = context.names.call(row.integer_or(kFirst + 1, -1));
    event.correlation = correlation_of(row, kFirst + 2);
  };
  layers.push_back(layer_of(RowKind::kCudaApi, TreeLevel::kThread, std::move(source)));
  layers.back().side = Layer::Side::kCall;
}

void add_os_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  const std::size_t before = layers.size();
  add_calls(reader, RowKind::kOsrt, "", {events::kOsrtTable}, layers);
  if (layers.size() > before && reader.has_column(events::kOsrtTable, "eventClass"))
    layers.back().sources[0].condition = "eventClass = 27";
}

void add_library_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  constexpr std::array<std::array<const char*, 2>, 5> kLibraries = {
      {{"cuBLAS", "CUBLAS_EVENTS"},
       {"cuDNN", "CUDNN_EVENTS"},
       {"cuSOLVER", "CUSOLVER_EVENTS"},
       {"cuSPARSE", "CUSPARSE_EVENTS"},
       {"NCCL", "NCCL_EVENTS"}}};
  for (const auto& [name, table] : kLibraries)
    add_calls(reader, RowKind::kLibrary, name, {table}, layers);
  add_calls(reader, RowKind::kLibrary, "UCX", {events::kUcpSubmitTable, events::kUcpTable}, layers);
  add_calls(reader, RowKind::kLibrary, "UCX transfers", {events::kUcpProgressTable}, layers);
  add_calls(reader, RowKind::kLibrary, "OpenSHMEM", {events::kShmemTable}, layers);
}

void add_opengl_groups(const report::ReportReader& reader, const char* name,
                       const report::RowCondition& groups, std::vector<Layer>& layers) {
  const std::size_t before = layers.size();
  add_calls(reader, RowKind::kLibrary, name, {events::kOpenGlGroupTable}, layers);
  if (layers.size() > before) layers.back().sources[0].condition = to_sql(groups);
}

void add_opengl_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  add_calls(reader, RowKind::kLibrary, "OpenGL", {events::kOpenGlTable}, layers);
  add_opengl_groups(reader, "OpenGL groups", events::opengl_groups(), layers);
  add_calls(reader, RowKind::kLibrary, "OpenGL on the GPU", {events::kOpenGlWorkTable}, layers);
  add_opengl_groups(reader, "OpenGL groups on the GPU", events::opengl_gpu_groups(), layers);
}

// Adds samples of threads. `chain` is the column with the id of the call chain.
void add_samples(const report::ReportReader& reader, RowKind kind, const char* table,
                 const char* chain, const char* chains, std::vector<Layer>& layers) {
  if (!reader.has_column(table, "globalTid")) return;
  Source source;
  source.table = table;
  source.end = source.start;
  source.columns = fmt::format("globalTid, {}", chain);
  source.read = [has_chains = reader.has_table(chains), chains = std::string(chains)](
                    const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    if (has_chains) event.name = context.names.leaf(chains, row.integer(kFirst + 1));
    make_instant(event);
  };
  layers.push_back(layer_of(kind, TreeLevel::kThread, std::move(source)));
  layers.back().style = RowStyle::kInstants;
}

}  // namespace

void add_thread_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  add_api_layer(reader, layers);
  add_os_layer(reader, layers);
  add_library_layers(reader, layers);
  add_opengl_layers(reader, layers);
  add_calls(reader, RowKind::kSyscall, "", {events::kSyscallTable}, layers);
  add_calls(reader, RowKind::kMpi, "",
            {events::kPointToPointTable, events::kCollectiveTable, events::kStartWaitTable,
             events::kOtherMpiTable, events::kOwnMpiTable},
            layers);
  add_calls(reader, RowKind::kOpenMp, "", events::tables_like(reader, events::kOpenMpTables),
            layers);
  add_calls(reader, RowKind::kOpenAcc, "", events::tables_like(reader, events::kOpenAccTables),
            layers);
  add_calls(reader, RowKind::kLibrary, "Vulkan", {events::kVulkanTable}, layers);
  add_calls(reader, RowKind::kOverhead, "", {"PROFILER_OVERHEAD"}, layers);
  add_calls(reader, RowKind::kOverhead, "CUPTI overhead", {"CUPTI_ACTIVITY_KIND_OVERHEAD"}, layers);
  add_calls(reader, RowKind::kOther, "CUDA graphs", {"CUDA_GRAPH_EVENTS", "CUDA_GRAPH_NODE_EVENTS"},
            layers);
  const bool is_shared = events::has_shared_sample_chains(reader);
  add_samples(reader, RowKind::kSamples, events::kCpuSampleTable, is_shared ? "callchainId" : "id",
              is_shared ? events::kSampleChainTable : events::kSampleCallChainTable, layers);
  add_samples(reader, RowKind::kPythonSamples, events::kPythonSampleTable, "callchainId",
              "PROF_PYTHON_CALLCHAINS", layers);
  add_samples(reader, RowKind::kOther, "PROF_PYTHON_WAITS", "callchainId", "PROF_PYTHON_CALLCHAINS",
              layers);
  if (reader.has_column("PROF_PYTHON_WAITS", "globalTid")) layers.back().name = "Python waits";
}

}  // namespace prof::timeline
