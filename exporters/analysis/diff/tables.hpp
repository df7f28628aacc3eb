// Prints a comparison as tables or as one JSON document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/recording/differences.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::diff {

tables::Table summary_table(const Figures& before, const Figures& after);
tables::Table changes_table(const std::vector<Change>& changes);

// What stands before the tables.
struct Heading {
  std::string before;  // path
  std::string after;
  std::vector<std::string> headline;
  std::vector<recording::Difference> differences;
};

// Returns {"before": PATH, "after": PATH, "headline": [LINE, …], "differences": [{"respect": ID,
// "before": [VALUE, …], "after": [VALUE, …]}, …], "names": {"n1": NAME, …}, "summary": [ROW, …],
// "changes": [ROW, …]}, and with `metrics` also "kernel_metrics": [ROW, …]. Lines have {n1} in
// place of the first name.
std::string json_document(const Heading& heading, const tables::Table& summary,
                          const tables::Table& changes,
                          const std::optional<tables::Table>& metrics = {});

}  // namespace prof::diff
