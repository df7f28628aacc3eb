// mpi_event_trace: every MPI call.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/calls/mpi_events.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::Cell;

namespace {

std::vector<tables::ColumnSpec> mpi_trace_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header : {"Start (ns)", "End (ns)", "Duration (ns)"})
    result.push_back({header, tables::CellKind::kInteger});
  result.push_back({"Event", tables::CellKind::kText});
  for (const char* header : {"Pid", "Tid", "Tag", "Rank", "PeerRank", "RootRank", "Size",
                             "CollSendSize", "CollRecvSize"})
    result.push_back({header, tables::CellKind::kInteger});
  return result;
}

Cell cell(const std::optional<std::int64_t>& value) { return value ? Cell{*value} : Cell{}; }

}  // namespace

base::Result<tables::Table> mpi_event_trace(const report::ReportReader& reader, const Arguments&) {
  const auto ranks = mpi_ranks_of(reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  events::Strings strings(reader);
  tables::SharedTexts shared;
  tables::Table table{mpi_trace_columns(), {}};
  const base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    const bool collective = event.source == MpiSource::kCollective;
    const auto rank = ranks->find(events::process_of(event.global_tid));
    table.rows.push_back({event.start, event.end, event.duration(),
                          shared(strings.text(event.name)), events::pid_of(event.global_tid),
                          events::tid_of(event.global_tid), cell(event.tag),
                          rank == ranks->end() ? Cell{} : Cell{rank->second}, cell(event.peer),
                          cell(event.root), collective ? Cell{} : cell(event.size),
                          collective ? cell(event.size) : Cell{}, cell(event.received)});
  });
  if (!read) return tl::make_unexpected(read.error());
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
