// mpi_calls: each MPI call once, by function; mpi_ranks: the calls of each process. nsys's tables
// have a row for each request that a call waits for, and for each half of MPI_Sendrecv.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/stats/calls/mpi_events.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

// A row of one of the tables.
struct MpiRow {
  std::int64_t global_tid, name, start, end;
  std::optional<std::int64_t> bytes;  // of a message
  auto call() const { return std::tuple(global_tid, name, start); }
};

// A call: its first and its last row, which is the same one if the call has one row.
struct MpiCall {
  const MpiRow& first;
  const MpiRow& last;
};

base::Result<std::vector<MpiRow>> read_mpi_rows(const report::ReportReader& reader) {
  std::vector<MpiRow> rows;
  base::Status read = for_each_mpi_event(reader, [&](const MpiEvent& event) {
    const bool is_message = event.source == MpiSource::kPointToPoint;
    rows.push_back({event.global_tid, event.name, event.start, event.end,
                    is_message ? event.size : std::nullopt});
  });
  if (read && reader.has_table(events::kOwnMpiTable))
    read = events::for_each_event(
        reader, {events::kOwnMpiTable, {"globalTid", "textId"}, {}, "WHERE \"end\" IS NOT NULL"},
        [&](const events::Times& times, const report::Row& row) {
          rows.push_back({row.integer(0), row.integer_or(1, events::Strings::kNone), times.start,
                          times.end, std::nullopt});
        });
  if (!read) return tl::make_unexpected(read.error());
  std::ranges::sort(rows, {}, [](const MpiRow& row) { return std::tuple(row.call(), row.end); });
  return rows;
}

// Calls `visit` for each call.
template <class Visit>
void for_each_mpi_call(const std::vector<MpiRow>& rows, Visit visit) {
  for (auto first = rows.begin(); first != rows.end();) {
    const auto next = std::find_if(first, rows.end(),
                                   [&](const MpiRow& row) { return row.call() != first->call(); });
    visit(MpiCall{*first, *std::prev(next)});
    first = next;
  }
}

// Which way a function moves messages.
struct MpiDirections {
  bool sends = false, receives = false;
};

MpiDirections mpi_directions_of(std::string_view function) {
  const auto has = [&](std::string_view word) { return function.find(word) != function.npos; };
  if (has("_init")) return {};  // the message is that of MPI_Start
  return {has("send") || has("Send"), has("recv") || has("Recv")};
}

struct MpiBytes {
  std::optional<std::int64_t> sent, received;
};

void add_mpi_bytes(std::optional<std::int64_t>& sum, std::optional<std::int64_t> bytes) {
  if (bytes) sum = events::sum(sum.value_or(0), *bytes);
}

// The half of an exchange that sends has the first row. If there is one row, it stands for both.
void add_mpi_bytes(MpiBytes& sum, const MpiDirections& moves, const MpiCall& call) {
  if (moves.sends) add_mpi_bytes(sum.sent, call.first.bytes);
  if (moves.receives) add_mpi_bytes(sum.received, call.last.bytes);
}

tables::Cell mpi_cell_of(std::optional<std::int64_t> bytes) {
  return bytes ? tables::Cell(*bytes) : tables::Cell();
}

// What the calls of a process are in all.
struct MpiProcess {
  std::int64_t pid = 0;
  std::int64_t calls = 0;
  std::vector<insight::Interval> in_mpi, waiting;
  MpiBytes bytes;
};

// True for functions that return when something has happened elsewhere: a message, the end of a
// request, the arrival of other ranks. A call that sends may wait, too, but mostly copies.
bool mpi_waits_in(std::string_view function) {
  static constexpr std::string_view kNames[] = {
      "MPI_Recv",    "MPI_Mrecv", "MPI_Sendrecv", "MPI_Probe",   "MPI_Mprobe",
      "MPI_Barrier", "MPI_Wait",  "MPI_Waitall",  "MPI_Waitany", "MPI_Waitsome"};
  return std::ranges::find(kNames, function) != std::end(kNames);
}

double mpi_percent_of(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

base::Result<tables::Table> mpi_calls(const report::ReportReader& reader, const Arguments&) {
  const auto rows = read_mpi_rows(reader);
  if (!rows) return tl::make_unexpected(rows.error());
  events::Strings names(reader);
  DurationGroups<std::int64_t> groups;
  std::map<std::int64_t, MpiBytes> bytes;
  for_each_mpi_call(*rows, [&](const MpiCall& call) {
    const std::int64_t name = call.first.name;
    groups.add(name, call.last.end - call.first.start);
    add_mpi_bytes(bytes[name], mpi_directions_of(names.text(name)), call);
  });
  tables::Table table{summary_columns("Instances"), {}};
  table.columns.insert(table.columns.end(), {{"Sent (bytes)", tables::CellKind::kInteger},
                                             {"Received (bytes)", tables::CellKind::kInteger},
                                             {"Name", tables::CellKind::kText}});
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    cells.push_back(mpi_cell_of(bytes[group.key].sent));
    cells.push_back(mpi_cell_of(bytes[group.key].received));
    cells.emplace_back(names.text(group.key));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

base::Result<tables::Table> mpi_ranks(const report::ReportReader& reader, const Arguments&) {
  const auto rows = read_mpi_rows(reader);
  if (!rows) return tl::make_unexpected(rows.error());
  const auto numbers = mpi_ranks_of(reader);
  if (!numbers) return tl::make_unexpected(numbers.error());
  events::Strings names(reader);
  std::map<std::int64_t, MpiProcess> processes;
  for_each_mpi_call(*rows, [&](const MpiCall& call) {
    MpiProcess& process = processes[events::process_of(call.first.global_tid)];
    const std::string_view name = names.text(call.first.name);
    const insight::Interval time{call.first.start, call.last.end};
    process.pid = events::pid_of(call.first.global_tid);
    ++process.calls;
    process.in_mpi.push_back(time);
    if (mpi_waits_in(name)) process.waiting.push_back(time);
    add_mpi_bytes(process.bytes, mpi_directions_of(name), call);
  });
  tables::Table table{{{"Rank", tables::CellKind::kInteger},
                       {"In MPI (%)", tables::CellKind::kReal, 1},
                       {"Time (ns)", tables::CellKind::kInteger},
                       {"Outside of MPI (ns)", tables::CellKind::kInteger},
                       {"In MPI (ns)", tables::CellKind::kInteger},
                       {"Waiting (ns)", tables::CellKind::kInteger},
                       {"Calls", tables::CellKind::kInteger},
                       {"Sent (bytes)", tables::CellKind::kInteger},
                       {"Received (bytes)", tables::CellKind::kInteger},
                       {"PID", tables::CellKind::kInteger}},
                      {}};
  for (auto& [key, process] : processes) {
    const insight::Intervals in_mpi = insight::merged(std::move(process.in_mpi));
    const std::int64_t time = in_mpi.empty() ? 0 : in_mpi.back().end - in_mpi.front().start;
    const std::int64_t calling = insight::total(in_mpi);
    const auto rank = numbers->find(key);
    table.rows.push_back({rank == numbers->end() ? tables::Cell() : tables::Cell(rank->second),
                          mpi_percent_of(calling, time), time, time - calling, calling,
                          insight::total(insight::merged(std::move(process.waiting))),
                          process.calls, mpi_cell_of(process.bytes.sent),
                          mpi_cell_of(process.bytes.received), process.pid});
  }
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
