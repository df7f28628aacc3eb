// mpi_event_sum: time in MPI calls by function; mpi_msg_size_sum: the sizes of their messages.
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/mpi_events.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct SourceAndName {
  const char* source;
  std::int64_t name;
  bool operator==(const SourceAndName&) const = default;
  bool operator<(const SourceAndName& other) const {
    return std::pair(name, std::string_view(source)) <
           std::pair(other.name, std::string_view(other.source));
  }
};

struct HashSource {
  std::size_t operator()(const SourceAndName& key) const {
    return std::hash<std::int64_t>()(key.name) ^ std::hash<std::string_view>()(key.source);
  }
};

using MpiGroups = DurationGroups<SourceAndName, HashSource>;

const char* text_of(MpiSource source) {
  switch (source) {
    case MpiSource::kPointToPoint:
      return "p2p";
    case MpiSource::kCollective:
      return "coll";
    case MpiSource::kStartWait:
      return "start_wait";
    case MpiSource::kOther:
      return "other";
  }
  return "";
}

std::vector<tables::ColumnSpec> mpi_size_columns() {
  return {{"Total Message Volume", CellKind::kInteger},
          {"Instances", CellKind::kInteger},
          {"Avg", CellKind::kReal, 1},
          {"Med", CellKind::kReal, 1},
          {"Min", CellKind::kInteger},
          {"Max", CellKind::kInteger},
          {"StdDev", CellKind::kReal, 1},
          {"Source", CellKind::kText},
          {"Name", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> mpi_event_sum(const report::ReportReader& reader, const Arguments&) {
  MpiGroups groups;
  const base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    groups.add({text_of(event.source), event.name}, event.duration());
  });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  return summary_table(groups, "Instances", {"Source", "Name"}, [&](const SourceAndName& key) {
    return std::vector<std::string>{key.source, strings.text(key.name)};
  });
}

base::Result<tables::Table> mpi_msg_size_sum(const report::ReportReader& reader, const Arguments&) {
  MpiGroups groups;  // groups of bytes; sizes are summarized like durations
  const base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    const bool collective = event.source == MpiSource::kCollective;
    if (event.size) groups.add({collective ? "coll_send" : "p2p", event.name}, *event.size);
    if (event.received) groups.add({"coll_recv", event.name}, *event.received);
  });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  tables::Table table{mpi_size_columns(), {}};
  for (const auto& [key, sizes, percent] : groups.summarise())
    table.rows.push_back({sizes.total, sizes.count, sizes.average, sizes.median, sizes.minimum,
                          sizes.maximum, sizes.deviation, key.source, strings.text(key.name)});
  sort_ties(table, 0);
  return table;
}

}  // namespace prof::stats
