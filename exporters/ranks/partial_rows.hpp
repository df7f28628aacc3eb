// A partial result as rows, for tables: one for each group of each statistic of each unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::ranks {

struct PartialRow {
  Unit unit;
  std::string statistic;
  bool has_estimates = false;
  // The labels as a JSON list. Nothing: the statistic has no groups.
  std::optional<std::string> labels;
  std::string values;  // the totals and the table, as bytes
};

std::vector<PartialRow> rows_of(const Partial& partial);
// Adds a row to a partial result, in any order of rows. Only after the last one, limit() says which
// tables are sketches.
base::Status add_row(Partial& partial, const PartialRow& row);

}  // namespace prof::ranks
