// The categories of events that prof diff compares by name.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::diff {

// The sum over all events of one name.
struct Total {
  std::int64_t count = 0;
  std::int64_t time = 0;  // ns
};
using Totals = std::map<std::string, Total>;  // by name

struct Category {
  const char* name;    // in --category and in the table
  const char* events;  // plural, for messages
  const char* table;
  base::Result<Totals> (*read)(const report::ReportReader& reader, bool short_kernel_names);
};

std::span<const Category> categories();

const Category* find_category(std::string_view name);  // null if there is none
std::string category_names();                          // all names, for messages

// Empty if the report does not have the category's table.
base::Result<Totals> read_totals(const report::ReportReader& reader, const Category& category,
                                 bool short_kernel_names);

}  // namespace prof::diff
