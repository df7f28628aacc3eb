// ucx_sum, oshmem_sum: time in calls of UCX and OpenSHMEM by function, and of UCX's transfers.
// ucx_msg_size_sum, oshmem_msg_size_sum: how much they move.
#include <span>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/source_groups.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::Table;

namespace {

struct CallTable {
  const char* source;
  const char* table;
  const char* size;  // its column; null: none
};
constexpr CallTable kUcx[] = {{"submit", events::kUcpSubmitTable, "packedSize"},
                              {"progress", events::kUcpProgressTable, "packedSize"},
                              {"other", events::kUcpTable, nullptr}};
constexpr CallTable kShmem[] = {{"oshmem", events::kShmemTable, "size"}};

// Calls `visit(name, times, row)`, where column 1 of the row is the size.
template <class Visit>
base::Status for_each_call(const report::ReportReader& reader, const CallTable& table,
                           Visit visit) {
  if (!reader.has_table(table.table)) return {};
  const auto size =
      table.size == nullptr ? report::ScanColumn::null() : report::ScanColumn(table.size);
  return events::for_each_event(
      reader, {table.table, {"textId", size}, {}, "WHERE \"end\" IS NOT NULL"},
      [&](const events::Times& times, const report::Row& row) {
        visit(SourceAndName{table.source, row.integer_or(0, events::Strings::kNone)}, times, row);
      });
}

base::Result<Table> times_of(const report::ReportReader& reader,
                             std::span<const CallTable> tables) {
  SourceGroups groups;
  for (const CallTable& table : tables) {
    const base::Status read =
        for_each_call(reader, table,
                      [&](const SourceAndName& key, const events::Times& times,
                          const report::Row&) { groups.add(key, times.duration()); });
    if (!read) return tl::make_unexpected(read.error());
  }
  return time_table(reader, groups);
}

base::Result<Table> sizes_of(const report::ReportReader& reader,
                             std::span<const CallTable> tables) {
  SourceGroups groups;
  for (const CallTable& table : tables) {
    const base::Status read = for_each_call(
        reader, table, [&](const SourceAndName& key, const events::Times&, const report::Row& row) {
          if (!row.is_null(1)) groups.add(key, row.integer(1));
        });
    if (!read) return tl::make_unexpected(read.error());
  }
  return size_table(reader, groups);
}

}  // namespace

base::Result<Table> ucx_sum(const report::ReportReader& reader, const Arguments&) {
  return times_of(reader, kUcx);
}

base::Result<Table> ucx_msg_size_sum(const report::ReportReader& reader, const Arguments&) {
  return sizes_of(reader, kUcx);
}

base::Result<Table> oshmem_sum(const report::ReportReader& reader, const Arguments&) {
  return times_of(reader, kShmem);
}

base::Result<Table> oshmem_msg_size_sum(const report::ReportReader& reader, const Arguments&) {
  return sizes_of(reader, kShmem);
}

}  // namespace prof::stats
