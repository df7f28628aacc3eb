// mpi_event_sum: time in MPI calls by function; mpi_msg_size_sum: the sizes of their messages.
#include "exporters/analysis/stats/calls/mpi_events.hpp"
#include "exporters/analysis/stats/calls/source_groups.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

namespace {

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

}  // namespace

base::Result<tables::Table> mpi_event_sum(const report::ReportReader& reader, const Arguments&) {
  SourceGroups groups;
  const base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    groups.add({text_of(event.source), event.name}, event.duration());
  });
  if (!read) return tl::make_unexpected(read.error());
  return time_table(reader, groups);
}

base::Result<tables::Table> mpi_msg_size_sum(const report::ReportReader& reader, const Arguments&) {
  SourceGroups groups;
  const base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    const bool collective = event.source == MpiSource::kCollective;
    if (event.size) groups.add({collective ? "coll_send" : "p2p", event.name}, *event.size);
    if (event.received) groups.add({"coll_recv", event.name}, *event.received);
  });
  if (!read) return tl::make_unexpected(read.error());
  return size_table(reader, groups);
}

}  // namespace prof::stats
