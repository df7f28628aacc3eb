// The rules of prof analyze by name.
#pragma once

#include <array>
#include <span>
#include <string>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/analyze/arguments.hpp"
#include "exporters/tables/table.hpp"

namespace prof::analyze {

struct Rule {
  const char* name;
  const char* old_name;  // what nsys called it before 2023; still accepted
  const char* title;
  std::array<const char*, 3> tables;  // filled up with null
  bool needs_all_tables;              // else any of them
  const char* question;               // to somebody whose report lacks them
  std::span<const Argument> arguments;
  std::int64_t Arguments::*limit;  // the {} of the next two
  const char* advice;              // above what was found
  const char* all_clear;           // if nothing was
  base::Result<tables::Table> (*run)(const report::ReportReader& reader,
                                     const Arguments& arguments);
  const char* help;
};

std::span<const Rule> catalog();

// By current or old name, with - or _ between its words; null if there is none.
const Rule* find_rule(std::string name);

// Whether the report has what the rule looks at.
bool has_data(const Rule& rule, const report::ReportReader& reader);

// What it found, cut off after as many rows as the arguments ask for.
base::Result<tables::Table> run(const Rule& rule, const report::ReportReader& reader,
                                const Arguments& arguments);

// What to say about a table of its findings: the advice, or that there are none.
std::string message(const Rule& rule, const Arguments& arguments, bool has_findings);

// Sorts by the first column, a duration; equal ones stay in their order.
void longest_first(tables::Table& table);

using Run = base::Result<tables::Table>(const report::ReportReader& reader,
                                        const Arguments& arguments);

Run cuda_memcpy_async, cuda_memcpy_sync, cuda_memset_sync, cuda_api_sync;
Run gpu_gaps, gpu_time_util;

}  // namespace prof::analyze
