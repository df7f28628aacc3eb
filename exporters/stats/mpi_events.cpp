#include "exporters/stats/mpi_events.hpp"

#include "exporters/stats/events/event_tables.hpp"
#include "exporters/stats/events/rows.hpp"
#include "exporters/stats/events/strings.hpp"

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
    base::Status read = for_each_event(
        reader, table, std::string("globalTid, textId, ") + columns, "WHERE \"end\" IS NOT NULL",
        [&, source = source](const Times& times, const report::Row& row) {
          visit({source, times.start, times.end, row.integer(0), row.integer_or(1, Strings::kNone),
                 integer(row, 2), integer(row, 3), integer(row, 4), integer(row, 5),
                 integer(row, 6)});
        });
    if (!read) return read;
  }
  return {};
}

}  // namespace prof::stats
