// What threads did to files and sockets.
#include <fmt/format.h>

#include <memory>
#include <unordered_map>

#include "exporters/events/event_tables.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

namespace {

using Processes = std::unordered_map<std::int64_t, std::int64_t>;

// The globalPid of each descriptor's process.
Processes processes_of_files(const report::ReportReader& reader) {
  Processes by_pid;
  Processes by_file;
  if (reader.has_column("PROCESSES", "pid"))
    (void)events::for_each_row(
        reader, "SELECT pid, globalPid FROM PROCESSES",
        [&](const report::Statement& row) { by_pid[row.integer(0)] = row.integer(1); });
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT fileAccessId, processId FROM {}", events::kFileTable),
      [&](const report::Statement& row) {
        const std::int64_t pid = row.integer(1);
        const auto known = by_pid.find(pid);
        by_file[row.integer(0)] = known == by_pid.end() ? pid << 24 : known->second;
      });
  if (!read) reader.note(read.error());
  return by_file;
}

}  // namespace

void add_file_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_table(events::kFileEventTable) || !reader.has_table(events::kFileTable)) return;
  Source source;
  source.table = events::kFileEventTable;
  source.start = "startedAt";
  source.end = "endedAt";
  source.columns = "fileAccessId, threadId, apiCallId";
  const auto processes = std::make_shared<const Processes>(processes_of_files(reader));
  source.read = [processes](const report::Row& row, ScanContext& context, Reading& event) {
    constexpr std::int64_t kThreadBits = 0xffffff;
    const auto process = processes->find(row.integer(kFirst));
    const std::int64_t global_pid = process == processes->end() ? 0 : process->second;
    event.key.ids[0] = (global_pid & ~kThreadBits) | (row.integer(kFirst + 1) & kThreadBits);
    event.name = context.names.string(row.integer_or(kFirst + 2, -1));
  };
  layers.push_back(layer_of(RowKind::kFiles, Place::kThread, std::move(source)));
}

}  // namespace prof::timeline
