#include "exporters/analysis/operators/code_places.hpp"

#include <fmt/format.h>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::operators {

base::Result<CodePlaces> CodePlaces::read(const report::ReportReader& reader) {
  CodePlaces result;
  if (!reader.has_column(events::kApiCallChainTable, "line")) return result;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT c.id, m.value, s.value FROM {} AS c JOIN StringIds AS m ON m.id = "
                  "c.module LEFT JOIN StringIds AS s ON s.id = c.symbol WHERE c.line IS NOT NULL "
                  "ORDER BY c.id, c.stackDepth",
                  events::kApiCallChainTable),
      [&](const report::Statement& row) {
        const std::string_view file(row.text(1));
        const bool is_in_pytorch = file.find("/torch/") != std::string_view::npos;
        const auto [place, is_new] = result.places_.try_emplace(row.integer(0));
        if (!is_new && (is_in_pytorch || !place->second.is_in_pytorch)) return;
        place->second = {fmt::format("{} ({})", file, std::string_view(row.text(2))),
                         is_in_pytorch};
      });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

}  // namespace prof::operators
