#include "exporters/analysis/diff/comparison.hpp"

#include <algorithm>
#include <string>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/report_views.hpp"

namespace prof::diff {

namespace {

using Parts = std::span<const Part>;

base::Status prepare(const Part& part, const Options& options) {
  const report::ReportReader& reader = *part.reader;
  const auto& categories = options.categories;
  if (std::none_of(categories.begin(), categories.end(),
                   [&](const Category* each) { return reader.has_table(each->table); })) {
    std::string tables;
    for (const Category* each : categories)
      tables += std::string(tables.empty() ? "" : ", ") + each->table;
    return base::fail(reader.path() + " has nothing to compare: it has none of the tables " +
                      tables);
  }
  return events::make_views(reader, part.filter);
}

bool all_have(Parts before, Parts after, const char* table) {
  const auto has = [&](const Part& part) { return part.reader->has_table(table); };
  return std::ranges::all_of(before, has) && std::ranges::all_of(after, has);
}

// Returns the source that all reports have.
CpuTime cpu_time_of_all(Parts before, Parts after) {
  const CpuTime source = common_cpu_time(*before.front().reader, *after.front().reader);
  for (const Parts& parts : {before, after})
    for (const Part& part : parts)
      if (common_cpu_time(*before.front().reader, *part.reader) != source) return CpuTime::kUnknown;
  return source;
}

base::Result<Figures> sum_figures(Parts parts, CpuTime source) {
  Figures sum;
  for (const Part& part : parts) {
    const auto figures = read_figures(*part.reader, source);
    if (!figures) return figures;
    add(sum, *figures);
  }
  return sum;
}

base::Result<Totals> sum_totals(Parts parts, const Category& category, const ReadOptions& how) {
  Totals sum;
  for (const Part& part : parts) {
    const auto totals = read_totals(*part.reader, category, how);
    if (!totals) return totals;
    for (const auto& [name, total] : *totals) add(sum, name, total);
  }
  return sum;
}

base::Status add_changes(Parts before, Parts after, const Options& options,
                         std::vector<Change>& changes) {
  const ReadOptions how{options.short_kernel_names, options.range_of,
                        all_have(before, after, events::kPythonSampleTable)};
  for (const Category* category : options.categories) {
    if (category->needs_table && !all_have(before, after, category->table)) continue;
    auto first = sum_totals(before, *category, how);
    if (!first) return tl::make_unexpected(first.error());
    auto second = sum_totals(after, *category, how);
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
  const Part first{&before}, second{&after};
  return compare(Parts(&first, 1), Parts(&second, 1), options);
}

base::Result<Comparison> compare(Parts before, Parts after, const Options& options) {
  for (const Parts& parts : {before, after})
    for (const Part& part : parts)
      if (base::Status ready = prepare(part, options); !ready)
        return tl::make_unexpected(ready.error());
  const CpuTime source = cpu_time_of_all(before, after);
  const auto first = sum_figures(before, source);
  if (!first) return tl::make_unexpected(first.error());
  const auto second = sum_figures(after, source);
  if (!second) return tl::make_unexpected(second.error());
  Comparison comparison{*first, *second, {}};
  if (base::Status read = add_changes(before, after, options, comparison.changes); !read)
    return tl::make_unexpected(read.error());
  return comparison;
}

}  // namespace prof::diff
