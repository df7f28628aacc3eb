#include "exporters/stats/mpi_events.hpp"

#include "collector/report/table_scan.hpp"
#include "exporters/stats/event_tables.hpp"

namespace prof::stats {

namespace {

struct Source {
  MpiSource source;
  const char* table;
  const char* columns;  // tag, peer, root, size, received
};

constexpr Source kSources[] = {
    {MpiSource::kPointToPoint, kPointToPointTable, "tag, remoteRank, NULL, size, NULL"},
    {MpiSource::kCollective, kCollectiveTable, "NULL, NULL, rootRank, size, recvSize"},
    {MpiSource::kStartWait, kStartWaitTable, "NULL, NULL, NULL, NULL, NULL"},
    {MpiSource::kOther, kOtherMpiTable, "NULL, NULL, NULL, NULL, NULL"},
};

std::optional<std::int64_t> integer(const report::Row& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

}  // namespace

base::Status for_each_mpi_event(const report::ReportReader& reader,
                                const std::function<void(const MpiEvent&)>& visit) {
  for (const auto& [source, table, columns] : kSources) {
    if (!reader.has_table(table)) continue;
    base::Status read =
        report::scan(reader, std::string("start, end, globalTid, textId, ") + columns,
                     std::string(table) + " WHERE end IS NOT NULL",
                     [&, source = source](const report::Row& row) {
                       visit({source, row.integer(0), row.integer(1), row.integer(2),
                              row.integer(3), integer(row, 4), integer(row, 5), integer(row, 6),
                              integer(row, 7), integer(row, 8)});
                     });
    if (!read) return read;
  }
  return {};
}

}  // namespace prof::stats
