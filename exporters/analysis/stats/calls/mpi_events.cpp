#include "exporters/analysis/stats/calls/mpi_events.hpp"

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::stats {

namespace {

struct MpiTable {
  MpiSource source;
  const char* table;
  std::array<report::ScanColumn, 5> columns;  // tag, peer, root, size, received
};

constexpr report::ScanColumn kNull = report::ScanColumn::null();
constexpr MpiTable kMpiSources[] = {
    {MpiSource::kPointToPoint,
     events::kPointToPointTable,
     {"tag", "remoteRank", kNull, "size", kNull}},
    {MpiSource::kCollective,
     events::kCollectiveTable,
     {kNull, kNull, "rootRank", "size", "recvSize"}},
    {MpiSource::kStartWait, events::kStartWaitTable, {kNull, kNull, kNull, kNull, kNull}},
    {MpiSource::kOther, events::kOtherMpiTable, {kNull, kNull, kNull, kNull, kNull}},
};

std::optional<std::int64_t> optional_integer(const report::Row& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

}  // namespace

base::Status for_each_mpi_event(const report::ReportReader& reader,
                                const std::function<void(const MpiEvent&)>& visit) {
  for (const auto& [source, table, columns] : kMpiSources) {
    if (!reader.has_table(table)) continue;
    base::Status read = events::for_each_event(
        reader,
        {table,
         report::ScanColumns{"globalTid", "textId"} + columns,
         {},
         "WHERE \"end\" IS NOT NULL"},
        [&, source = source](const events::Times& times, const report::Row& row) {
          visit({source, times.start, times.end, row.integer(0),
                 row.integer_or(1, events::Strings::kNone), optional_integer(row, 2),
                 optional_integer(row, 3), optional_integer(row, 4), optional_integer(row, 5),
                 optional_integer(row, 6)});
        });
    if (!read) return read;
  }
  return {};
}

base::Result<MpiRanks> mpi_ranks_of(const report::ReportReader& reader) {
  MpiRanks ranks;
  if (!reader.has_table("MPI_RANKS")) return ranks;
  const base::Status read = events::for_each_row(
      reader, "SELECT globalTid, rank FROM MPI_RANKS", [&](const report::Statement& row) {
        ranks.try_emplace(events::process_of(row.integer(0)), row.integer(1));
      });
  if (!read) return tl::make_unexpected(read.error());
  return ranks;
}

}  // namespace prof::stats
