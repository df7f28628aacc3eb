#include "exporters/analysis/diff/categories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <variant>

#include "exporters/analysis/diff/idle_threads.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/openmp_regions.hpp"
#include "exporters/analysis/operators/operator_model.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::diff {

namespace {

void add(Total& total, const Total& more) {
  total.count += more.count;
  total.time = events::sum(total.time, more.time);
  total.aside = events::sum(total.aside, more.aside);
}

// Sums the events by the query's only column, the key. `name` returns the text of a key. Two keys
// may have the same name; their sums are added.
base::Result<Totals> sum_by(const report::ReportReader& reader, const report::TableQuery& query,
                            const std::function<std::string(std::int64_t)>& name) {
  std::unordered_map<std::int64_t, Total> by_key;
  const base::Status read = events::for_each_event(
      reader, query, [&](const events::Times& times, const report::Row& row) {
        add(by_key[row.integer_or(0, events::Strings::kNone)], {1, times.duration(), 0});
      });
  if (!read) return tl::make_unexpected(read.error());
  Totals totals;
  for (const auto& [each, total] : by_key) add(totals, name(each), total);
  return totals;
}

base::Result<Totals> kernels(const report::ReportReader& reader, const ReadOptions& options) {
  events::Strings strings(reader);
  return sum_by(
      reader, {events::kKernelTable, {options.short_kernel_names ? "shortName" : "demangledName"}},
      [&](std::int64_t id) { return strings.text(id); });
}

base::Result<Totals> copies(const report::ReportReader& reader, const ReadOptions&) {
  return sum_by(reader, {events::kMemcpyTable, {"copyKind"}}, events::memory_operation_name);
}

base::Result<Totals> fills(const report::ReportReader& reader, const ReadOptions&) {
  return sum_by(reader, {events::kMemsetTable, {report::ScanColumn::constant(events::kMemset)}},
                events::memory_operation_name);
}

base::Result<Totals> api_calls(const report::ReportReader& reader, const ReadOptions&) {
  events::Strings strings(reader);
  return sum_by(reader, {events::kApiTable, {"nameId"}, events::api_calls()}, [&](std::int64_t id) {
    return std::string(events::without_version(strings.text(id)));
  });
}

base::Result<Totals> nvtx_ranges(const report::ReportReader& reader, const ReadOptions&) {
  Totals totals;
  events::RangeNames names(reader);
  const base::Status read = events::for_each_range_time(
      reader, names, [&](std::int64_t, std::int32_t name, std::int64_t duration) {
        add(totals, names.text(name), {1, duration});
      });
  if (!read) return tl::make_unexpected(read.error());
  return totals;
}

base::Result<Totals> os_runtime_calls(const report::ReportReader& reader, const ReadOptions&) {
  const auto idle = idle_threads(reader);
  if (!idle) return tl::make_unexpected(idle.error());
  report::ScanColumns columns{"nameId"};
  if (!idle->empty()) columns.emplace_back("globalTid");
  std::unordered_map<std::int64_t, Total> by_name;
  const base::Status read = events::for_each_event(
      reader, {events::kOsrtTable, columns, events::osrt_calls()},
      [&](const events::Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(0, events::Strings::kNone);
        const bool is_idle = !idle->empty() && idle->contains(row.integer(1));
        add(by_name[name], {1, times.duration(), is_idle ? times.duration() : 0});
      });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  Totals totals;
  for (auto& [id, total] : by_name) {
    const std::string& name = strings.text(id);
    if (!is_waiting_function(name)) total.aside = 0;
    add(totals, name, total);
  }
  return totals;
}

// The columns of a statistic that are read, by their headings.
struct StatisticColumns {
  const char* count;
  const char* time;
  const char* name;
};

template <class Describe>
base::Result<Totals> sum_of_statistic(const report::ReportReader& reader, const char* statistic,
                                      const StatisticColumns& columns, Describe describe,
                                      const stats::Arguments& arguments = {}) {
  const auto table = stats::run(*stats::find_statistic(statistic), reader, arguments);
  if (!table) return tl::make_unexpected(table.error());
  const auto column = [&](const char* header) {
    const auto at = std::ranges::find(table->columns, header, &tables::ColumnSpec::header);
    return static_cast<std::size_t>(at - table->columns.begin());
  };
  const std::size_t count = column(columns.count);
  const std::size_t time = column(columns.time);
  const std::size_t name = column(columns.name);
  Totals totals;
  for (const auto& row : table->rows) {
    const auto number = [&](std::size_t at) {
      const auto* value = std::get_if<std::int64_t>(&row[at]);
      return value == nullptr ? 0 : *value;
    };
    Total total{number(count), number(time)};
    const auto* location = std::get_if<tables::Text>(&row.back());
    const std::string text =
        describe(std::get<tables::Text>(row[name]).view(),
                 location == nullptr ? std::string_view() : location->view(), total);
    if (total.count > 0) add(totals, text, total);
  }
  return totals;
}

bool is_interpreter(std::string_view location) {
  const std::string_view file = events::file_name(location);
  return file.starts_with("python") || file.starts_with("libpython");
}

base::Result<Totals> cpu_samples(const report::ReportReader& reader, const ReadOptions& options) {
  return sum_of_statistic(reader, "cpu_sample_sum", {"Self Samples", "Self Time (ns)", "Function"},
                          [&](std::string_view function, std::string_view location, Total& total) {
                            if (options.has_python_samples && is_interpreter(location))
                              total.aside = total.time;
                            return std::string(function);
                          });
}

// Names include the file, because different files have functions with the same name, such as
// __init__.
base::Result<Totals> python_samples(const report::ReportReader& reader, const ReadOptions&) {
  return sum_of_statistic(reader, "python_sample_sum",
                          {"Self Samples", "Self Time (ns)", "Function"},
                          [](std::string_view function, std::string_view location, Total&) {
                            return fmt::format("{} ({})", function, events::file_name(location));
                          });
}

base::Result<Totals> short_calls(const report::ReportReader& reader, const ReadOptions&) {
  return sum_of_statistic(
      reader, "osrt_short_sum", {"Num Calls", "Total Time (ns)", "Name"},
      [](std::string_view function, std::string_view, Total&) { return std::string(function); });
}

// The work that was launched or captured in each range.
base::Result<Totals> ranges_on_gpus(const report::ReportReader& reader,
                                    const ReadOptions& options) {
  stats::Arguments arguments;
  arguments.kernels.range_of = options.range_of;
  return sum_of_statistic(
      reader, "nvtx_gpu_proj_sum", {"Range Instances", "Total Proj Time (ns)", "Range"},
      [](std::string_view range, std::string_view, Total&) { return std::string(range); },
      arguments);
}

// Names include the shapes and the direction. Kernels without an operator are left out: they are in
// the category of kernels.
base::Result<Totals> operator_times(const report::ReportReader& reader,
                                    const ReadOptions& options) {
  const auto model = operators::OperatorModel::read(reader, options.range_of);
  if (!model) return tl::make_unexpected(model.error());
  std::vector<Total> by_operator(model->operators().size());
  for (const operators::OperatorCall& call : model->calls())
    add(by_operator[static_cast<std::size_t>(call.of)], {1, call.gpu_time});
  Totals totals;
  for (std::size_t i = 0; i < by_operator.size(); ++i) {
    const operators::Operator& each = model->operators()[i];
    if (!each.is_known()) continue;
    std::string name = each.name;
    if (!each.shapes.empty()) name += ' ' + each.shapes;
    if (each.direction != operators::Direction::kForward)
      name += fmt::format(" ({})", name_of(each.direction));
    add(totals, name, by_operator[i]);
  }
  return totals;
}

// By function, because lines move when a program is changed.
base::Result<Totals> openmp_regions(const report::ReportReader& reader, const ReadOptions&) {
  const auto found = insight::read_openmp_regions(reader);
  if (!found) return tl::make_unexpected(found.error());
  Totals totals;
  for (const insight::OpenMpRegion& region : found->regions) {
    const insight::OpenMpSite site = found->site(region.site);
    const std::string file(events::file_name(site.file.empty() ? site.module : site.file));
    const bool is_known = !site.function.empty() && !file.empty();
    add(totals, is_known ? fmt::format("{} ({})", site.function, file) : site.text(),
        {1, region.duration()});
  }
  return totals;
}

constexpr Category kCategories[] = {
    {"kernel", "kernels", events::kKernelTable, false, false, true, kernels},
    {"copy", "copies", events::kMemcpyTable, false, false, true, copies},
    {"fill", "fills", events::kMemsetTable, false, false, true, fills},
    {"python", "Python samples", events::kPythonSampleTable, true, false, true, python_samples},
    {"cpu", "CPU samples", events::kCpuSampleTable, true, false, true, cpu_samples},
    {"api", "CUDA API calls", events::kApiTable, false, false, true, api_calls},
    {"nvtx", "NVTX ranges", events::kNvtxTable, false, true, true, nvtx_ranges},
    {"nvtx-gpu", "NVTX ranges with GPU work", events::kNvtxTable, false, true, false,
     ranges_on_gpus},
    {"operator", "operators", events::kKernelTable, true, false, false, operator_times},
    {"openmp", "parallel regions of OpenMP", events::kOpenMpParallelTable, false, false, true,
     openmp_regions},
    {"osrt", "OS-runtime calls", events::kOsrtTable, false, false, true, os_runtime_calls},
    {"short", "short OS-runtime calls", events::kShortCallTable, true, false, true, short_calls},
};

}  // namespace

void add(Totals& totals, std::string_view name, const Total& more) {
  add(totals[std::string(name)], more);
}

std::span<const Category> categories() { return kCategories; }

std::vector<const Category*> usual_categories() {
  std::vector<const Category*> usual;
  for (const Category& each : kCategories)
    if (each.by_default) usual.push_back(&each);
  return usual;
}

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
                                 const ReadOptions& options) {
  if (!reader.has_table(category.table)) return Totals{};
  return category.read(reader, options);
}

}  // namespace prof::diff
