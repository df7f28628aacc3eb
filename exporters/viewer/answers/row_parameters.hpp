// Parameters that name rows, spans and events.
#pragma once

#include <vector>

#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/answers/parameters.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// A row that exists. 404 if it does not.
Outcome<timeline::RowId> row_number(const timeline::Snapshot& snapshot,
                                    const Parameters& parameters, std::string_view name);
Outcome<std::vector<timeline::RowId>> row_list(const timeline::Snapshot& snapshot,
                                               const Parameters& parameters, std::string_view name);

// `from` and `to`. What is missing has no limit.
Outcome<timeline::Span> time_span(const Parameters& parameters);

// {"row", "source", "id", "name", "start", "end", "lane"}
void add_event(Json& json, const timeline::Snapshot& snapshot, const timeline::Event& event);

// The text of the name with this number, or [text, color].
void add_name(Json& json, const timeline::Names& names, std::uint32_t number);

}  // namespace prof::view
