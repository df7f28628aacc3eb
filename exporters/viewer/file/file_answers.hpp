// Makes the answers that a page of one file needs, as its parts of JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// The number of events of each row in the span. Rows without events are not in the map.
using EventCounts = std::map<timeline::RowId, std::uint64_t>;

// Returns the answer of api/rows without rows that have nothing in the span.
Outcome<std::string> rows_part(const Answers& answers, timeline::Span span,
                               const EventCounts& counts);
// Returns all names.
std::string names_part(const Answers& answers);
// Returns summary, statistics, flame graphs and the comparison, as far as the reports have them.
std::string answers_part(const Answers& answers, timeline::Span span);

// The details of the longest events of the span.
struct Details {
  std::string part;
  std::uint64_t events = 0;
};
Details details_part(const Answers& answers, timeline::Span span);

}  // namespace prof::view
