#include "exporters/diff/categories.hpp"

#include <functional>
#include <unordered_map>

#include "exporters/events/api_calls.hpp"
#include "exporters/events/event_tables.hpp"
#include "exporters/events/kernels.hpp"
#include "exporters/events/memory_operations.hpp"
#include "exporters/events/nvtx_ranges.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"
#include "exporters/stats/duration_summary.hpp"

namespace prof::diff {

namespace {

void add(Totals& totals, std::string_view name, const Total& more) {
  Total& total = totals[std::string(name)];
  total.count += more.count;
  total.time = events::sum(total.time, more.time);
}

// Sums the events by `key`, a column or a value. `name` returns the text of a key. Two keys may
// have the same name; their sums are added.
base::Result<Totals> sum_by(const report::ReportReader& reader, const char* table, const char* key,
                            const char* condition,
                            const std::function<std::string(std::int64_t)>& name) {
  std::unordered_map<std::int64_t, Total> by_key;
  const base::Status read = events::for_each_event(
      reader, table, key, condition, [&](const events::Times& times, const report::Row& row) {
        Total& total = by_key[row.integer_or(0, events::Strings::kNone)];
        ++total.count;
        total.time = events::sum(total.time, times.duration());
      });
  if (!read) return tl::make_unexpected(read.error());
  Totals totals;
  for (const auto& [each, total] : by_key) add(totals, name(each), total);
  return totals;
}

base::Result<Totals> kernels(const report::ReportReader& reader, bool short_kernel_names) {
  events::Strings strings(reader);
  return sum_by(reader, events::kKernelTable, short_kernel_names ? "shortName" : "demangledName",
                "", [&](std::int64_t id) { return strings.text(id); });
}

base::Result<Totals> copies(const report::ReportReader& reader, bool) {
  return sum_by(reader, events::kMemcpyTable, "copyKind", "", events::memory_operation_name);
}

base::Result<Totals> fills(const report::ReportReader& reader, bool) {
  return sum_by(reader, events::kMemsetTable, std::to_string(events::kMemset).c_str(), "",
                events::memory_operation_name);
}

base::Result<Totals> api_calls(const report::ReportReader& reader, bool) {
  events::Strings strings(reader);
  return sum_by(reader, events::kApiTable, "nameId", events::kWhereApiCall, [&](std::int64_t id) {
    return std::string(events::without_version(strings.text(id)));
  });
}

base::Result<Totals> nvtx_ranges(const report::ReportReader& reader, bool) {
  Totals totals;
  events::RangeNames names(reader);
  const base::Status read = events::for_each_range_time(
      reader, names, [&](std::int64_t, std::int32_t name, std::int64_t duration) {
        add(totals, names.text(name), {1, duration});
      });
  if (!read) return tl::make_unexpected(read.error());
  return totals;
}

base::Result<Totals> os_runtime_calls(const report::ReportReader& reader, bool) {
  events::Strings strings(reader);
  return sum_by(reader, events::kOsrtTable, "nameId", events::kWhereOsrtCall,
                [&](std::int64_t id) { return strings.text(id); });
}

constexpr Category kCategories[] = {
    {"kernel", "kernels", events::kKernelTable, kernels},
    {"copy", "copies", events::kMemcpyTable, copies},
    {"fill", "fills", events::kMemsetTable, fills},
    {"api", "CUDA API calls", events::kApiTable, api_calls},
    {"nvtx", "NVTX ranges", events::kNvtxTable, nvtx_ranges},
    {"osrt", "OS-runtime calls", events::kOsrtTable, os_runtime_calls},
};

}  // namespace

std::span<const Category> categories() { return kCategories; }

const Category* find_category(std::string_view name) {
  for (const Category& category : kCategories)
    if (name == category.name) return &category;
  return nullptr;
}

std::string category_names() {
  std::string names;
  for (const Category& category : kCategories)
    names += std::string(names.empty() ? "" : ", ") + category.name;
  return names;
}

base::Result<Totals> read_totals(const report::ReportReader& reader, const Category& category,
                                 bool short_kernel_names) {
  if (!reader.has_table(category.table)) return Totals{};
  return category.read(reader, short_kernel_names);
}

}  // namespace prof::diff
