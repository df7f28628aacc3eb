// Reads parameters that name rows, spans and events.
#pragma once

#include <vector>

#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/answers/parameters.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// Returns the number of an existing row. Fails with 404 if there is none.
Outcome<timeline::RowId> row_number(const timeline::Snapshot& snapshot,
                                    const Parameters& parameters, std::string_view name);
Outcome<std::vector<timeline::RowId>> row_list(const timeline::Snapshot& snapshot,
                                               const Parameters& parameters, std::string_view name);

// Returns the span of `from` and `to`. A missing value means no limit.
Outcome<timeline::Span> time_span(const Parameters& parameters);

// Adds {"row", "source", "id", "name", "start", "end", "lane"}.
void add_event(Json& json, const timeline::Snapshot& snapshot, const timeline::Event& event);

// Adds the text of the name with this number, or [text, color].
void add_name(Json& json, const timeline::Names& names, std::uint32_t number);

}  // namespace prof::view
