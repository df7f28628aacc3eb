#include "exporters/analysis/diff/comparison.hpp"

#include <algorithm>
#include <string>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/report_views.hpp"

namespace prof::diff {

namespace {

base::Status prepare(const report::ReportReader& reader, const Options& options) {
  const auto& categories = options.categories;
  if (std::none_of(categories.begin(), categories.end(),
                   [&](const Category* each) { return reader.has_table(each->table); })) {
    std::string tables;
    for (const Category* each : categories)
      tables += std::string(tables.empty() ? "" : ", ") + each->table;
    return base::fail(reader.path() + " has nothing to compare: it has none of the tables " +
                      tables);
  }
  return events::make_views(reader);
}

base::Status add_changes(const report::ReportReader& before, const report::ReportReader& after,
                         const Options& options, std::vector<Change>& changes) {
  const auto both_have = [&](const char* table) {
    return before.has_table(table) && after.has_table(table);
  };
  const ReadOptions how{options.short_kernel_names, both_have(events::kPythonSampleTable)};
  for (const Category* category : options.categories) {
    if (category->needs_table && !both_have(category->table)) continue;
    auto first = read_totals(before, *category, how);
    if (!first) return tl::make_unexpected(first.error());
    auto second = read_totals(after, *category, how);
    if (!second) return tl::make_unexpected(second.error());
    if (options.merge_numbers && category->has_numbered_names) merge_numbers(*first, *second);
    join(*category, *first, *second, changes);
  }
  sort_largest_first(changes);
  return {};
}

}  // namespace

base::Result<Comparison> compare(const report::ReportReader& before,
                                 const report::ReportReader& after, const Options& options) {
  for (const report::ReportReader* reader : {&before, &after})
    if (base::Status ready = prepare(*reader, options); !ready)
      return tl::make_unexpected(ready.error());
  const CpuTime source = common_cpu_time(before, after);
  const auto first = read_figures(before, source);
  if (!first) return tl::make_unexpected(first.error());
  const auto second = read_figures(after, source);
  if (!second) return tl::make_unexpected(second.error());
  Comparison comparison{*first, *second, {}};
  if (base::Status read = add_changes(before, after, options, comparison.changes); !read)
    return tl::make_unexpected(read.error());
  return comparison;
}

}  // namespace prof::diff
