// The answers that a page of one file needs, as its parts of JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// Number of events of each row in the span. Rows without any are left out of the map.
using EventCounts = std::map<timeline::RowId, std::uint64_t>;

// The answer of api/rows: without rows that have nothing in the span.
Outcome<std::string> rows_part(const Answers& answers, timeline::Span span,
                               const EventCounts& counts);
// All names.
std::string names_part(const Answers& answers);
// Summary, statistics, flame graphs and the comparison, as far as the reports have them.
std::string answers_part(const Answers& answers, timeline::Span span);

// Details of the longest events of the span.
struct Details {
  std::string part;
  std::uint64_t events = 0;
};
Details details_part(const Answers& answers, timeline::Span span);

}  // namespace prof::view
