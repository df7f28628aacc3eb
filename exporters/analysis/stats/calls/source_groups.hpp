// Groups calls by the kind of their table and their name, and summarizes each group.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

struct SourceAndName {
  std::string_view source;
  std::int64_t name;  // StringIds.id
  bool operator==(const SourceAndName&) const = default;
  bool operator<(const SourceAndName& other) const {
    return std::pair(name, source) < std::pair(other.name, other.source);
  }
};

struct HashSource {
  std::size_t operator()(const SourceAndName& key) const {
    return std::hash<std::int64_t>()(key.name) ^ std::hash<std::string_view>()(key.source);
  }
};

using SourceGroups = DurationGroups<SourceAndName, HashSource>;

// Returns the table of groups of durations.
tables::Table time_table(const report::ReportReader& reader, SourceGroups& groups);

// Returns the table of groups of bytes, which are summarized like durations.
tables::Table size_table(const report::ReportReader& reader, SourceGroups& groups);

}  // namespace prof::stats
