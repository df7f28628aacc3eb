#include "exporters/arrow/report_streams.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/text/suggestion.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_text.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/thread_selection.hpp"
#include "exporters/analysis/insight/iterations.hpp"
#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/arrow/launched_kernels.hpp"
#include "exporters/arrow/result_rows.hpp"
#include "exporters/arrow/table_columns.hpp"

namespace prof::arrow {

using base::fail;
using base::Result;
using base::Status;
using events::EventFilter;
using report::ReportReader;
using tables::CellKind;

namespace {

// An open report whose views filter, with the filter.
struct Opened {
  SharedReader shared;
  EventFilter filter;

  const ReportReader& reader() const { return *shared; }
};
Result<Opened> open(const std::string& path, const StreamOptions& options) {
  auto shared = open_report(path);
  if (!shared) return tl::make_unexpected(shared.error());
  const ReportReader& reader = **shared;
  const auto filter = filter_of(reader, options);
  if (!filter) return tl::make_unexpected(filter.error());
  if (options.filters())
    if (const Status made = events::make_views(reader, *filter); !made)
      return tl::make_unexpected(made.error());
  return Opened{std::move(*shared), *filter};
}

Status check_table(const ReportReader& reader, const std::string& table) {
  const std::vector<std::string> known = reader.tables();
  if (std::find(known.begin(), known.end(), table) != known.end()) return {};
  return fail(reader.path() + " has no table " + table + base::suggestion(table, known));
}

Source result_of(const ReportReader& reader, Result<tables::Table> table, const std::string& name,
                 const std::string& title) {
  if (!table) return tl::make_unexpected(table.error());
  if (const Status finished = reader.finish(); !finished)
    return tl::make_unexpected(finished.error());
  return result_rows(std::move(*table), name, title);
}

std::string description_of(const TableColumns& columns) {
  for (const auto& [key, value] : columns.schema.metadata)
    if (key == "table_desc") return value;
  return "";
}

Result<tables::Table> iterations_of(const ReportReader& reader, const std::string& range) {
  const auto timeline = insight::ReportActivity::read(reader);
  if (!timeline) return tl::make_unexpected(timeline.error());
  tables::Table table{{{"PID", CellKind::kInteger},
                       {"Device", CellKind::kInteger},
                       {"Iteration", CellKind::kInteger},
                       {"Start (ns)", CellKind::kInteger},
                       {"Duration (ns)", CellKind::kInteger},
                       {"Found By", CellKind::kText}},
                      {}};
  const auto& work = timeline->work;
  insight::IterationFinder iterations(work, timeline->ranges);
  for (std::size_t device = 0; device < work.devices().size(); ++device) {
    const auto found = range.empty() ? iterations.find(device) : iterations.by_range(device, range);
    if (!found) continue;
    const insight::Device& at = work.devices()[device];
    for (std::size_t i = 0; i < found->times.size(); ++i)
      table.rows.push_back({events::pid_of(at.global_pid), at.number, static_cast<std::int64_t>(i),
                            found->times[i].start, found->times[i].length(), found->found_by});
  }
  return table;
}

}  // namespace

Result<EventFilter> filter_of(const ReportReader& reader, const StreamOptions& options,
                              const events::ClockMap& clock) {
  EventFilter filter = options.time;
  filter.start = clock.own(filter.start);
  filter.end = clock.own(filter.end);
  if (!options.processes.empty()) {
    const auto found =
        events::find_process_filter(reader, options.processes, tables::matches_pattern);
    if (!found) return found;
    filter = events::both(filter, *found);
  }
  if (!options.nvtx.empty()) {
    const auto found = events::find_nvtx_filter(reader, options.nvtx);
    if (!found) return found;
    filter = events::both(filter, *found);
  }
  return filter;
}

Result<SharedReader> open_report(const std::string& path) {
  auto reader = ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  if (const Status made = events::make_views(*reader); !made)
    return tl::make_unexpected(made.error());
  return std::make_shared<const ReportReader>(std::move(*reader));
}

Source stream_table(const SharedReader& report, const std::string& table,
                    const StreamOptions& options) {
  if (const Status known = check_table(*report, table); !known)
    return tl::make_unexpected(known.error());
  auto columns = columns_of(*report, table, options.columns, options.wide, options.names);
  if (!columns) return tl::make_unexpected(columns.error());
  return options.filters() ? filtered_rows(report, std::move(*columns))
                           : all_rows(report, std::move(*columns));
}

Source stream_tables(const std::string& path) {
  const auto reader = ReportReader::open(path);
  if (!reader) return tl::make_unexpected(reader.error());
  tables::Table result{
      {{"name", CellKind::kText}, {"rows", CellKind::kInteger}, {"description", CellKind::kText}},
      {}};
  for (const std::string& table : reader->tables()) {
    const auto columns = columns_of(*reader, table, {}, {});
    auto query = reader->prepare("SELECT 1 FROM main." + report::quoted(table) + " LIMIT 1");
    if (!columns || !query) return tl::make_unexpected(reader->last_error());
    const auto row = query->step();
    if (!row) return tl::make_unexpected(reader->last_error());
    result.rows.push_back(
        {tables::Text(table), std::int64_t{*row ? 1 : 0}, tables::Text(description_of(*columns))});
  }
  return result_of(*reader, std::move(result), "tables", "");
}

Source stream_table(const std::string& path, const std::string& table,
                    const StreamOptions& options) {
  const auto opened = open(path, options);
  if (!opened) return tl::make_unexpected(opened.error());
  return stream_table(opened->shared, table, options);
}

Source stream_kernels(const std::string& path, const std::string& launched_in,
                      const StreamOptions& options) {
  if (launched_in.empty()) return stream_table(path, events::kKernelTable, options);
  const auto opened = open(path, options);
  if (!opened) return tl::make_unexpected(opened.error());
  const ReportReader& reader = opened->reader();
  if (const Status known = check_table(reader, events::kKernelTable); !known)
    return tl::make_unexpected(known.error());
  auto columns =
      columns_of(reader, events::kKernelTable, options.columns, options.wide, options.names);
  if (!columns) return tl::make_unexpected(columns.error());
  const auto condition = launched_inside(reader, launched_in, options.range_of);
  if (!condition) return tl::make_unexpected(condition.error());
  return filtered_rows(opened->shared, std::move(*columns), *condition);
}

Source stream_statistic(const std::string& path, const std::string& request,
                        const StreamOptions& options) {
  const auto opened = open(path, options);
  if (!opened) return tl::make_unexpected(opened.error());
  const std::size_t colon = std::min(request.find(':'), request.size());
  const std::string name = request.substr(0, colon);
  const stats::Statistic* report = stats::find_statistic(name);
  if (report == nullptr) {
    std::vector<std::string> known;
    for (const stats::Statistic& each : stats::catalog()) known.emplace_back(each.name);
    return fail("unknown report " + name + base::suggestion(name, known));
  }
  const std::string words = request.substr(std::min(colon + 1, request.size()));
  auto arguments = stats::parse_arguments(words, report->takes);
  if (!arguments) return fail(request + ": " + arguments.error().message);
  arguments->kernels.range_of = options.range_of;
  return result_of(opened->reader(), stats::run(*report, opened->reader(), *arguments),
                   report->name, report->title);
}

Source stream_statistics(const std::string& path) {
  const auto opened = open(path, {});
  if (!opened) return tl::make_unexpected(opened.error());
  tables::Table result{{{"name", CellKind::kText},
                        {"arguments", CellKind::kText},
                        {"has_data", CellKind::kInteger},
                        {"title", CellKind::kText}},
                       {}};
  for (const stats::Statistic& each : stats::catalog())
    result.rows.push_back({tables::Text(each.name), tables::Text(stats::usage(each.takes)),
                           std::int64_t{has_table(each, opened->reader()) ? 1 : 0},
                           tables::Text(each.title)});
  return result_of(opened->reader(), std::move(result), "statistics", "");
}

Source stream_findings(const std::string& path, const StreamOptions& options) {
  const auto opened = open(path, options);
  if (!opened) return tl::make_unexpected(opened.error());
  const ReportReader& reader = opened->reader();
  // There are no source lines of native code, because elfutils cannot be part of a shared library.
  const auto diagnosis =
      analyze::diagnose_report(reader, {opened->filter, options.range_of}, [] { return nullptr; });
  if (!diagnosis) return tl::make_unexpected(diagnosis.error());
  return result_of(reader, analyze::diagnosis_table(*diagnosis), analyze::kFindings, "Findings");
}

Source stream_iterations(const std::string& path, const std::string& range,
                         const StreamOptions& options) {
  const auto opened = open(path, options);
  if (!opened) return tl::make_unexpected(opened.error());
  return result_of(opened->reader(), iterations_of(opened->reader(), range), "iterations",
                   "Iterations");
}

}  // namespace prof::arrow
