// The layer of what threads did to files and sockets.
#include <memory>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/viewer/timeline/layers/file_accesses.hpp"
#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

void add_file_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_table(events::kFileEventTable) || !reader.has_table(events::kFileTable)) return;
  Source source;
  source.table = events::kFileEventTable;
  source.start = "startedAt";
  source.end = "endedAt";
  source.columns = "fileAccessId, threadId, apiCallId";
  // The files are held in memory, because each event needs its file.
  const auto files =
      std::make_shared<const std::unordered_map<std::int64_t, FileAccess>>(file_accesses(reader));
  source.read = [files](const report::Row& row, ScanContext& context, Reading& event) {
    const auto file = files->find(row.integer(kFirst));
    const std::int64_t global_pid = file == files->end() ? 0 : file->second.global_pid;
    event.key.ids[0] = events::global_pid_of(global_pid) | events::tid_of(row.integer(kFirst + 1));
    event.name = context.names.string(row.integer_or(kFirst + 2, -1));
  };
  layers.push_back(layer_of(RowKind::kFiles, TreeLevel::kThread, std::move(source)));
}

}  // namespace prof::timeline
