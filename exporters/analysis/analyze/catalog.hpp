// The rules of prof analyze by name.
#pragma once

#include <array>
#include <span>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/arguments.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::analyze {

struct Rule {
  const char* name;
  const char* old_name;  // nsys's name before 2023; still accepted
  const char* title;
  std::array<const char*, 3> tables;  // unused elements are null
  bool needs_all_tables;              // false: one of the tables is enough
  const char* question;               // printed if the report lacks the tables
  std::span<const Argument> arguments;
  std::int64_t Arguments::*limit;  // replaces the {} in the next two texts
  const char* advice;              // printed above the rows
  const char* all_clear;           // printed if there are no rows
  base::Result<tables::Table> (*run)(const report::ReportReader& reader,
                                     const Arguments& arguments);
  const char* help;
};

std::span<const Rule> catalog();

// Finds a rule by its current or old name, with - or _ between the words. Null if there is none.
const Rule* find_rule(std::string name);

// True if the report has the tables that the rule needs.
bool has_data(const Rule& rule, const report::ReportReader& reader);

// Runs the rule. The table has at most `arguments.rows` rows.
base::Result<tables::Table> run(const Rule& rule, const report::ReportReader& reader,
                                const Arguments& arguments);

// Returns the text for the rule's result: the advice if there are rows, else the all-clear.
std::string message(const Rule& rule, const Arguments& arguments, bool has_findings);

// Sorts by the first column, a duration. The sort is stable.
void sort_longest_first(tables::Table& table);

using Run = base::Result<tables::Table>(const report::ReportReader& reader,
                                        const Arguments& arguments);

Run cuda_memcpy_async, cuda_memcpy_sync, cuda_memset_sync, cuda_api_sync;
Run gpu_gaps, gpu_time_util;

}  // namespace prof::analyze
