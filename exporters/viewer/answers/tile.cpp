// api/tile: tiles of several rows, one after another.
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

Outcome<Answer> answer_tile(const Sources& sources, const Parameters& parameters) {
  const auto snapshot = sources.timeline->snapshot();
  const auto rows = row_list(*snapshot, parameters, "rows");
  if (!rows) return tl::make_unexpected(rows.error());
  const auto level = parameters.integer_in("level", 0, timeline::Snapshot::kMaxLevel);
  if (!level) return tl::make_unexpected(level.error());
  const auto index = parameters.integer("index");
  if (!index) return tl::make_unexpected(index.error());
  Answer answer{"", "application/octet-stream", parameters.has("v")};
  for (const timeline::RowId row : *rows) {
    const std::string tile = snapshot->tile(row, static_cast<int>(*level), *index);
    if (tile.empty()) return fault(400, "there is no tile of this level and index");
    answer.body += tile;
  }
  return answer;
}

}  // namespace prof::view
