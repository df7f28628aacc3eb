// What changed between two reports, as typed facts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::facts {

// The SQL that gives a time before and after; empty: no SQL gives it.
struct ChangeQueries {
  std::string before;
  std::string after;
};

struct ChangeSheet {
  Subject before;
  Subject after;
  diff::Comparison comparison;
  std::vector<ChangeQueries> queries = {};  // of the first changes
};

// Adds the SQL of the largest changes between two reports.
void add_queries(const report::ReportReader& before, const report::ReportReader& after,
                 ChangeSheet& sheet);

// Returns the changes with at most `bytes` bytes, the largest first. 0: no limit. Names of the
// reports are in "names" only.
std::string changes_json(const ChangeSheet& sheet, std::size_t bytes);

// Returns the same for people. Names are in a list at the end.
std::string changes_text(const ChangeSheet& sheet, std::size_t bytes);

}  // namespace prof::facts
