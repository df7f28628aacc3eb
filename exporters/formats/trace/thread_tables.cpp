#include "exporters/formats/trace/thread_tables.hpp"

#include <algorithm>

#include "common/base/letters.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::formats {

namespace {

struct Known {
  std::string_view pattern;  // GLOB pattern
  const char* row;           // a * stands for the text that the pattern's * matched
  const char* category;
  std::optional<report::RowCondition> condition = {};
};

const std::vector<Known>& known_tables() {
  static const std::vector<Known> tables = {
      {events::kApiTable, "CUDA API", "cuda_api", events::api_calls()},
      {"CUBLAS_EVENTS", "cuBLAS", "cublas"},
      {"CUDNN_EVENTS", "cuDNN", "cudnn"},
      {"CUSOLVER_EVENTS", "cuSOLVER", "cusolver"},
      {"CUSPARSE_EVENTS", "cuSPARSE", "cusparse"},
      {"NCCL_EVENTS", "NCCL", "nccl"},
      {events::kCollectiveTable, "MPI collectives", "mpi"},
      {events::kPointToPointTable, "MPI point-to-point", "mpi"},
      {events::kStartWaitTable, "MPI start and wait", "mpi"},
      {events::kOtherMpiTable, "MPI", "mpi"},
      {events::kOwnMpiTable, "MPI probes and communicators", "mpi"},
      {events::kUcpSubmitTable, "UCX submit", "ucx"},
      {events::kUcpProgressTable, "UCX progress", "ucx"},
      {events::kUcpTable, "UCX", "ucx"},
      {events::kShmemTable, "OpenSHMEM", "oshmem"},
      {events::kOpenMpTables, "OpenMP *", "openmp"},
      {events::kOpenAccTables, "OpenACC *", "openacc"},
      {events::kVulkanTable, "Vulkan", "vulkan", events::vulkan_calls()},
      {events::kOpenGlTable, "OpenGL", "opengl"},
      {events::kOpenGlGroupTable, "OpenGL groups", "opengl", events::opengl_groups()},
      {events::kOpenGlWorkTable, "OpenGL on the GPU", "opengl"},
      {"CUDA_GRAPH_EVENTS", "CUDA graphs", "cuda_graph"},
      {"CUDA_GRAPH_NODE_EVENTS", "CUDA graph nodes", "cuda_graph"},
      {events::kOsrtTable, "OS runtime", "osrt", events::osrt_calls()},
      {events::kSyscallTable, "System calls", "syscall"},
      {"PROFILER_OVERHEAD", "Profiler overhead", "profiler"},
  };
  return tables;
}

// Returns "OpenMP task create" for "OpenMP *" and OPENMP_EVENT_KIND_TASK_CREATE.
std::string row_name(const Known& known, std::string_view table) {
  std::string name = known.row;
  const std::size_t star = name.find('*');
  if (star == std::string::npos) return name;
  std::string rest = base::to_lower(table.substr(known.pattern.find('*')));
  std::replace(rest.begin(), rest.end(), '_', ' ');
  return name.replace(star, 1, rest);
}

}  // namespace

std::vector<ThreadTable> thread_tables(const report::ReportReader& reader) {
  std::vector<ThreadTable> found;
  for (const Known& known : known_tables())
    for (const std::string& table : events::tables_like(reader, known.pattern)) {
      const bool has_name = reader.has_column(table, "nameId");
      if (!has_name && !reader.has_column(table, "textId")) continue;
      if (!reader.has_column(table, "globalTid") || !reader.has_column(table, "end")) continue;
      found.push_back({table, row_name(known, table), known.category,
                       has_name ? "nameId" : "textId", known.condition,
                       table == events::kApiTable});
    }
  return found;
}

}  // namespace prof::formats
