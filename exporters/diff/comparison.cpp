#include "exporters/diff/comparison.hpp"

#include <algorithm>
#include <string>

#include "exporters/events/report_views.hpp"

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
  for (const Category* category : options.categories) {
    const auto first = read_totals(before, *category, options.short_kernel_names);
    if (!first) return tl::make_unexpected(first.error());
    const auto second = read_totals(after, *category, options.short_kernel_names);
    if (!second) return tl::make_unexpected(second.error());
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
  const auto first = read_figures(before);
  if (!first) return tl::make_unexpected(first.error());
  const auto second = read_figures(after);
  if (!second) return tl::make_unexpected(second.error());
  Comparison comparison{*first, *second, {}};
  if (base::Status read = add_changes(before, after, options, comparison.changes); !read)
    return tl::make_unexpected(read.error());
  return comparison;
}

}  // namespace prof::diff
