#include "exporters/analysis/analyze/memory_calls.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::analyze {

using report::ScanColumn;
using tables::CellKind;

namespace {

constexpr std::int64_t kNone = -1;    // stands for a kind that fills do not have
constexpr std::int64_t kUnknown = 7;  // ENUM_CUDA_MEM_KIND

base::Status for_each_call(const report::ReportReader& reader, const char* table,
                           const std::array<report::ScanColumn, 3>& kinds, const VisitCall& visit) {
  auto calls = events::ApiCalls::read(reader);
  if (!calls) return tl::make_unexpected(calls.error());
  events::Strings strings(reader);
  return events::for_each_event(
      reader,
      {table,
       {"bytes", kinds[0], kinds[1], kinds[2], "deviceId", "contextId", "greenContextId",
        "streamId", "globalPid", "correlationId"}},
      [&](const events::Times& times, const report::Row& row) {
        const events::ApiCall* call = calls->launching(row.integer(8), row.integer(9));
        if (call == nullptr) return;
        visit({times.start, times.end, row.integer(0), row.integer(1), row.integer(2),
               row.integer(3), events::pid_of(row.integer(8)), row.integer(4), row.integer(5),
               row.integer(6), row.integer(7), strings.text(call->name)});
      });
}

void add_columns(tables::Table& table, CellKind kind, std::initializer_list<const char*> headers) {
  for (const char* header : headers) table.columns.push_back({header, kind, 3});
}

tables::Table memory_table(std::initializer_list<const char*> kinds) {
  tables::Table table;
  add_columns(table, CellKind::kInteger, {"Duration (ns)", "Start (ns)"});
  add_columns(table, CellKind::kText, kinds);
  add_columns(table, CellKind::kReal, {"Bytes (MB)"});
  add_columns(table, CellKind::kInteger,
              {"PID", "Device ID", "Context ID", "Green Context ID", "Stream ID"});
  add_columns(table, CellKind::kText, {"API Name"});
  return table;
}

}  // namespace

base::Status for_each_copy(const report::ReportReader& reader, const VisitCall& visit) {
  return for_each_call(reader, events::kMemcpyTable,
                       {"copyKind", ScanColumn::or_else("srcKind", kUnknown),
                        ScanColumn::or_else("dstKind", kUnknown)},
                       visit);
}

base::Status for_each_fill(const report::ReportReader& reader, const VisitCall& visit) {
  return for_each_call(reader, events::kMemsetTable,
                       {ScanColumn::constant(kNone), ScanColumn::constant(kNone),
                        ScanColumn::or_else("memKind", kUnknown)},
                       visit);
}

bool is_async(std::string_view api_name, std::string_view family) {
  return api_name.starts_with(family) && api_name.find("Async") != std::string_view::npos;
}

bool is_sync(std::string_view api_name, std::string_view family) {
  return api_name.starts_with(family) && !is_async(api_name, family);
}

tables::Table copy_table() { return memory_table({"Src Kind", "Dst Kind"}); }
tables::Table fill_table() { return memory_table({"Memory Kind"}); }

void add_row(tables::Table& copies_or_fills, const MemoryCall& call) {
  std::vector<tables::Cell> row{call.end - call.start, call.start};
  if (call.source_kind != kNone) row.emplace_back(events::memory_kind_name(call.source_kind));
  row.emplace_back(events::memory_kind_name(call.destination_kind));
  row.emplace_back(static_cast<double>(call.bytes) / 1e6);
  for (const std::int64_t id : {call.pid, call.device, call.context}) row.emplace_back(id);
  row.push_back(call.green_context == 0 ? tables::Cell{} : tables::Cell{call.green_context});
  row.emplace_back(call.stream);
  row.emplace_back(call.api_name);
  copies_or_fills.rows.push_back(std::move(row));
}

}  // namespace prof::analyze
