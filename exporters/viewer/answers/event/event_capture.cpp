#include "exporters/viewer/answers/event/event_capture.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/graph_captures.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/answers/event/event_links.hpp"

namespace prof::view {

base::Result<std::optional<EventCapture>> capture_of(const report::ReportReader& reader,
                                                     const timeline::Snapshot& snapshot,
                                                     const timeline::Event& event,
                                                     const std::string& table) {
  const bool is_work = table == events::kKernelTable || table == events::kMemcpyTable ||
                       table == events::kMemsetTable;
  if (!is_work || !reader.has_column(table, "graphNodeId")) return std::nullopt;
  std::int64_t process = 0;
  std::int64_t node = 0;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT globalPid, graphNodeId FROM main.{} WHERE rowid = {} AND graphNodeId IS "
                  "NOT NULL",
                  report::quoted(table), event.rowid),
      [&](const report::Statement& row) {
        process = row.integer(0);
        node = row.integer(1);
      });
  if (!read) return tl::make_unexpected(read.error());
  if (node == 0) return std::nullopt;
  auto captures = events::GraphCaptures::read(reader);
  if (!captures) return tl::make_unexpected(captures.error());
  const auto call = launch_of(snapshot, event);
  const events::ClockMap& clock = snapshot.reports()[snapshot.row(event.row)->report].clock;
  const std::int64_t launched = clock.own(call ? call->start : event.start);
  const std::int32_t capture = captures->of(process, node, launched);
  if (capture == events::GraphCaptures::kNone) return std::nullopt;
  return EventCapture{captures->text(capture), captures->chain_of(process, node, launched)};
}

}  // namespace prof::view
