// Durations of events by a text of theirs, such as their names.
#pragma once

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "common/report/table_query.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/value_groups.hpp"

namespace prof::stats {

using TextGroups = DurationGroups<std::int64_t>;  // by StringIds.id

// Adds the durations of events by the text whose id is the only column of the query.
base::Status add_events(const report::ReportReader& reader, report::TableQuery query,
                        TextGroups& groups);

// Returns the groups with their texts, and `missing` for ids without a text.
ValueGroups named(const report::ReportReader& reader, TextGroups& groups,
                  const char* missing = "[Unknown]");

// Sums the durations of the events that a query with one column selects.
base::Result<tables::Table> sum_by_text(const report::ReportReader& reader, const SumLayout& layout,
                                        report::TableQuery query);

}  // namespace prof::stats
