#include "exporters/analysis/query/named_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::query {

namespace {

#define PROF_TEXT(id) "(SELECT value FROM main.StringIds AS s WHERE s.id = " id ")"
#define PROF_PID(id) "(" id " >> 24) & 16777215"
#define PROF_TIMES                                                                          \
  {"id", "t.rowid", "", "", "rowid in the table"}, {"start", "t.start", "start", "ns", ""}, \
      {"end", "t.\"end\"", "end", "ns", ""}, {                                              \
    "dur", "t.\"end\" - t.start", "end", "ns", "end - start"                                \
  }
#define PROF_PLACE                                                       \
  {"pid", PROF_PID("t.globalPid"), "globalPid", "", ""},                 \
      {"device", "t.deviceId", "deviceId", "", "CUDA ordinal"},          \
      {"context", "t.contextId", "contextId", "", ""},                   \
      {"stream", "t.streamId", "streamId", "", ""}, {                    \
    "correlation", "t.correlationId", "correlationId", "", "of the call" \
  }
#define PROF_THREAD                                        \
  {"pid", PROF_PID("t.globalTid"), "globalTid", "", ""}, { \
    "tid", "t.globalTid & 16777215", "globalTid", "", ""   \
  }

constexpr ViewColumn kKernelColumns[] = {
    PROF_TIMES,
    {"name", PROF_TEXT("t.demangledName"), "demangledName", "", ""},
    {"short_name", PROF_TEXT("t.shortName"), "shortName", "", ""},
    PROF_PLACE,
    {"blocks", "t.gridX * t.gridY * t.gridZ", "gridX", "", "of the grid"},
    {"threads", "t.blockX * t.blockY * t.blockZ", "blockX", "", "of a block"},
    {"registers", "t.registersPerThread", "registersPerThread", "", "of a thread"},
    {"shared", "t.staticSharedMemory + t.dynamicSharedMemory", "dynamicSharedMemory", "B", ""},
    {"graph_node", "t.graphNodeId", "graphNodeId", "", "NULL: not of a graph"},
};

constexpr ViewColumn kCopyColumns[] = {
    PROF_TIMES,
    {"bytes", "t.bytes", "bytes", "B", ""},
    {"kind", "(SELECT label FROM main.ENUM_CUDA_MEMCPY_OPER AS e WHERE e.id = t.copyKind)",
     "copyKind", "", "direction"},
    {"source", "(SELECT label FROM main.ENUM_CUDA_MEM_KIND AS e WHERE e.id = t.srcKind)", "srcKind",
     "", "kind of memory"},
    {"target", "(SELECT label FROM main.ENUM_CUDA_MEM_KIND AS e WHERE e.id = t.dstKind)", "dstKind",
     "", "kind of memory"},
    PROF_PLACE,
};

constexpr ViewColumn kCallColumns[] = {
    PROF_TIMES,
    {"name", PROF_TEXT("t.nameId"), "nameId", "", ""},
    {"api", "", "", "", "cuda, osrt, syscall, cublas, cudnn, cusolver, cusparse, nccl"},
    PROF_THREAD,
    {"correlation", "t.correlationId", "correlationId", "", "of the work it launched"},
    {"result", "t.returnValue", "returnValue", "", ""},
};

constexpr ViewColumn kRangeColumns[] = {
    PROF_TIMES,
    {"name", "COALESCE(t.text, " PROF_TEXT("t.textId") ")", "textId", "", ""},
    {"kind", "CASE t.eventType WHEN 59 THEN 'push_pop' WHEN 60 THEN 'start_end' ELSE 'mark' END",
     "eventType", "", "push_pop, start_end, mark"},
    {"domain", "t.domainId", "domainId", "", "0: the default one"},
    PROF_THREAD,
};

constexpr ViewColumn kSampleColumns[] = {
    {"id", "t.id", "id", "", "of the table"},
    {"time", "t.start", "start", "ns", ""},
    {"cpu", "t.cpu", "cpu", "", ""},
    {"function", "", "", "", "the innermost frame"},
    PROF_THREAD,
    {"weight", "t.cpuCycles", "cpuCycles", "", "that the sample stands for"},
};

constexpr ViewColumn kThreadColumns[] = {
    PROF_THREAD,
    {"name", PROF_TEXT("t.nameId"), "nameId", "", ""},
};

constexpr NamedView kViews[] = {
    {"kernels", "kernels on GPUs", kKernelColumns},
    {"copies", "copies by GPUs", kCopyColumns},
    {"calls", "calls of CUDA, the C library and other libraries", kCallColumns},
    {"ranges", "NVTX ranges and marks", kRangeColumns},
    {"samples", "CPU samples", kSampleColumns},
    {"threads", "names of threads", kThreadColumns},
};

// Of a report of prof a sample has its chain in another table.
constexpr const char* kFunctionOfProf =
    "(SELECT value FROM main.StringIds AS s, main.PROF_SAMPLE_FRAMES AS f, main.PROF_SAMPLE_CHAINS "
    "AS c WHERE c.id = t.callchainId AND f.id = iif(json_valid(c.frames), json_extract(c.frames, "
    "'$[0]'), 0) AND s.id = f.symbol)";
constexpr const char* kFunctionOfNsys =
    "(SELECT value FROM main.StringIds AS s, main.SAMPLING_CALLCHAINS AS c WHERE c.id = t.id AND "
    "c.stackDepth = 0 AND s.id = c.symbol)";

// A table of a view. A view of several tables has the rows of all.
struct Source {
  const char* view;
  const char* table;
  const char* api;  // for the view of calls
  std::string condition;
};

std::vector<Source> sources() {
  return {{"kernels", events::kKernelTable, "", ""},
          {"copies", events::kMemcpyTable, "", ""},
          {"calls", events::kApiTable, "cuda", to_sql(events::api_calls())},
          {"calls", events::kOsrtTable, "osrt", to_sql(events::osrt_calls())},
          {"calls", events::kSyscallTable, "syscall", ""},
          {"calls", "CUBLAS_EVENTS", "cublas", ""},
          {"calls", "CUDNN_EVENTS", "cudnn", ""},
          {"calls", "CUSOLVER_EVENTS", "cusolver", ""},
          {"calls", "CUSPARSE_EVENTS", "cusparse", ""},
          {"calls", "NCCL_EVENTS", "nccl", ""},
          {"ranges", events::kNvtxTable, "", "eventType IN (34, 59, 60)"},
          {"samples", events::kCpuSampleTable, "", ""},
          {"threads", "ThreadNames", "", ""}};
}

// Returns a column that is a label of an ENUM table, or its number if the report lacks that table.
std::string label_sql(const report::ReportReader& reader, std::string_view sql,
                      const char* column) {
  const std::size_t at = sql.find("main.ENUM_");
  if (at == sql.npos) return std::string(sql);
  const std::size_t name = at + std::string_view("main.").size();
  const std::string_view table = sql.substr(name, sql.find(' ', name) - name);
  return reader.has_table(table) ? std::string(sql) : fmt::format("t.{}", column);
}

std::string function_sql(const report::ReportReader& reader) {
  if (reader.has_table(events::kSampleChainTable) && reader.has_table(events::kSampleFrameTable))
    return kFunctionOfProf;
  return reader.has_table(events::kSampleCallChainTable) ? kFunctionOfNsys : "NULL";
}

std::string value_sql(const report::ReportReader& reader, const Source& source,
                      const ViewColumn& column) {
  const std::string_view name = column.name;
  if (name == "api") return report::quoted_text(source.api);
  if (name == "function") return function_sql(reader);
  if (*column.needs == '\0') return column.sql;
  if (reader.has_column(source.table, column.needs))
    return label_sql(reader, column.sql, column.needs);
  // Texts of ranges are in one of two columns.
  return name == "name" && reader.has_column(source.table, "text") ? "t.text" : "NULL";
}

std::string select_sql(const report::ReportReader& reader, const NamedView& view,
                       const Source& source) {
  std::string values;
  for (const ViewColumn& column : view.columns)
    values += fmt::format("{}{} AS {}", values.empty() ? "" : ", ",
                          value_sql(reader, source, column), report::quoted(column.name));
  return fmt::format("SELECT {} FROM main.{} AS t{}{}", values, report::quoted(source.table),
                     source.condition.empty() ? "" : " WHERE ", source.condition);
}

}  // namespace

std::span<const NamedView> named_views() { return kViews; }

base::Status make_named_views(const report::ReportReader& reader) {
  std::string create;
  for (const NamedView& view : kViews) {
    if (reader.has_table(view.name)) continue;
    std::string selects;
    for (const Source& source : sources())
      if (std::string_view(view.name) == source.view && reader.has_table(source.table))
        selects += (selects.empty() ? "" : " UNION ALL ") + select_sql(reader, view, source);
    if (!selects.empty()) create += fmt::format("CREATE TEMP VIEW {} AS {};", view.name, selects);
  }
  if (report::execute(reader.database(), create)) return {};
  return tl::make_unexpected(reader.last_error());
}

bool has_named_view(const report::ReportReader& reader, const std::string& view) {
  auto query = reader.prepare("SELECT 1 FROM temp.sqlite_master WHERE name = ?");
  if (!query) return false;
  query->bind(1, view);
  return query->step().value_or(false);
}

}  // namespace prof::query
