// The categories of events that prof diff compares by name.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::diff {

// The sum over all events with one name.
struct Total {
  std::int64_t count = 0;
  std::int64_t time = 0;  // ns
  // The part of the time in ns that does not count as work of the program: waits of idle threads,
  // or code of the Python interpreter where Python samples say which function it runs.
  std::int64_t aside = 0;

  std::int64_t work() const { return time - aside; }
};
using Totals = std::map<std::string, Total>;  // by name

void add(Totals& totals, std::string_view name, const Total& more);

struct ReadOptions {
  bool short_kernel_names = false;
  events::RangeOf range_of = events::RangeOf::kBoth;
  bool has_python_samples = false;  // true if both reports have Python samples
};

struct Category {
  const char* name;    // name in --category and in the table
  const char* events;  // plural, for messages
  const char* table;
  // True if a report without the table says nothing about such events. False if it means that there
  // were none.
  bool needs_table;
  bool has_numbered_names;  // numbers in its names may be merged
  bool by_default;          // compared unless the user chooses categories
  base::Result<Totals> (*read)(const report::ReportReader& reader, const ReadOptions& options);
};

std::span<const Category> categories();
// Returns those that are compared unless the user chooses some.
std::vector<const Category*> usual_categories();

const Category* find_category(std::string_view name);  // null if the name is unknown
std::string category_names();                          // all names, for messages

// Reads the sums of a category. The result is empty if the report lacks the category's table.
base::Result<Totals> read_totals(const report::ReportReader& reader, const Category& category,
                                 const ReadOptions& options);

}  // namespace prof::diff
