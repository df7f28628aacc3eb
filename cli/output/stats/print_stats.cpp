#include "cli/output/stats/print_stats.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/pager.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/stats/statistic_selection.hpp"
#include "cli/output/stats/statistic_tables.hpp"
#include "cli/output/terminal.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/calls/osrt_short_sum.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/defaults.hpp"
#include "exporters/analysis/stats/user_report.hpp"
#include "exporters/analysis/tables/visible_text.hpp"
#include "exporters/ranks/collectives/rank_tables.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

void check_lines(const std::vector<SelectedStatistic>& selected) {
  if (std::ranges::any_of(selected, &SelectedStatistic::shows_code)) return;
  throw Failure(
      "--lines needs -r cpu_sample_sum, cpu_sample_tree, osrt_callers, cuda_api_callers or "
      "thread_state_sum:osrt",
      kBadUsage);
}

class StatsPrinter {
 public:
  explicit StatsPrinter(const StatsRequest& request)
      : request_(request),
        view_(request.view),
        settings_(request.tables),
        tables_(view_, settings_, request.names.empty(), request.report) {
    selected_ = selected_statistics(request.names, request.folders, tables_.for_terminal(),
                                    {request.lines, view_.range_of});
    if (request.lines) check_lines(selected_);
  }

  void print() {
    const auto reader = open_report(request_.report, settings_.quiet());
    settings_.prepare(reader, thread_filter(view_, reader));
    const CodeLines lines = lines_of(reader);
    const Pager pager(tables_.for_terminal() && !view_.no_pager);
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const TableOutput output = settings_.output(request_.report, i);
      print_table(selected_[i], take(selected_[i].run(reader, lines)), output);
      warn_of_few_samples(reader, selected_[i].name);
      if (selected_[i].name == "osrt_sum" && tables_.for_terminal() &&
          StatisticTables::is_for_person(output))
        print_short_calls(reader, output);
    }
    tables_.check_sorted(request_.report);
    if (request_.names.empty() && !settings_.quiet()) print_end(reader);
    close_report(reader);
  }

 private:
  // Returns the source lines if a statistic needs them, otherwise null.
  CodeLines lines_of(const report::ReportReader& reader) const {
    if (request_.lines) return find_source_lines(reader, settings_.quiet());
    const bool needs_lines = std::ranges::any_of(selected_, &SelectedStatistic::shows_samples);
    return needs_lines ? find_source_lines(reader, true) : nullptr;
  }

  void print_table(const SelectedStatistic& statistic, tables::Table table,
                   const TableOutput& output) {
    if (table.rows.empty()) {
      if (statistic.asked_for && !settings_.quiet()) print_missing(statistic);
      return;
    }
    tables_.print(std::move(table), output, statistic.title, statistic.name);
  }

  void print_short_calls(const report::ReportReader& reader, const TableOutput& output) const {
    const std::string note = take(stats::short_calls_note(reader));
    if (note.empty() || !view_.names.empty()) return;
    put(output, "", tables::wrap_lines(' ' + note, terminal_width(STDOUT_FILENO), " ") + '\n');
  }

  // Shares of few samples look exact, but say little.
  void warn_of_few_samples(const report::ReportReader& reader, const std::string& statistic) const {
    constexpr std::int64_t kFew = 20;
    const char* table = statistic.starts_with("cpu_sample_")      ? events::kCpuSampleTable
                        : statistic.starts_with("python_sample_") ? events::kPythonSampleTable
                                                                  : nullptr;
    if (table == nullptr || settings_.quiet() || !reader.has_table(table)) return;
    std::int64_t samples = 0;
    const std::string query =
        fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {})", table, kFew);
    check(events::for_each_row(reader, query,
                               [&](const report::Statement& row) { samples = row.integer(0); }));
    if (samples > 0 && samples < kFew)
      print_message(
          "prof: {}: the shares are of only {}, which says little. A longer run has more samples, "
          "and so has a higher --sampling-frequency.\n",
          statistic, samples == 1 ? "1 sample" : fmt::format("{} samples", samples));
  }

  void print_missing(const SelectedStatistic& statistic) const {
    print_message("SKIPPED: {} does not contain {}\n", request_.report, statistic.missing);
  }

  void print_end(const report::ReportReader& reader) const {
    if (tables_.printed() == 0 && view_.names.empty())
      return print_message("prof: {0}: no statistic has data. What it holds: prof info {0}\n",
                           request_.report);
    if (!tables_.for_terminal()) return;
    const std::vector<std::string> more = stats::further_reports(reader);
    std::string text = fmt::format("More rows: --rows 30, --rows 0. One statistic: -r NAME{}{}",
                                   more.empty() ? "" : ", also for: ", fmt::join(more, ", "));
    put(TableOutput{request_.report}, "",
        '\n' + tables::wrap_lines(text, terminal_width(STDOUT_FILENO), "") + '\n');
  }

  const StatsRequest& request_;
  const ViewOptions& view_;
  TableSettings settings_;
  StatisticTables tables_;
  std::vector<SelectedStatistic> selected_;
};

void print_line(std::string_view name, std::string_view help, std::string_view usage) {
  fmt::print("  {:<22} {}{}{}\n", name, help, usage.empty() ? "" : " ", usage);
}

}  // namespace

void allocate_in_large_steps() {
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

void print_stats(const StatsRequest& request) {
  allocate_in_large_steps();
  StatsPrinter(request).print();
}

void print_stats_help(const std::string& name, const std::vector<std::string>& folders) {
  const std::vector<fs::path> queries = queries_in(folders);
  if (!name.empty() && name != "all" && name != "ALL") {
    if (const ranks::JobStatistic* of_job = ranks::find_job_statistic(name)) {
      fmt::print("{} -- {}\n\n  {}\n", of_job->name, of_job->title, of_job->help);
      return;
    }
    const stats::Statistic* report = stats::find_statistic(name);
    if (report == nullptr) fail_unknown(name, queries);
    fmt::print("{}{} -- {}\n\n  {}\n", report->name, stats::usage(report->takes), report->title,
               report->help);
    if (report->old_name != nullptr) fmt::print("  Before 2023: {}\n", report->old_name);
    return;
  }
  for (const auto& report : stats::catalog())
    print_line(report.name, report.help, stats::usage(report.takes));
  for (const ranks::JobStatistic& each : ranks::job_statistics())
    print_line(each.name, each.help, "");
  for (const fs::path& query : queries)
    print_line(query.stem().string(), take(stats::UserReport::read(query.string())).title, "");
  fmt::print(
      "\nbase: kernel names without parameters. mangled: names as the linker sees them. "
      "nvtx-name:\n"
      "names prefixed with the innermost NVTX range around the launch. rows: maximum number of "
      "rows\n"
      "(-1: all). merge: names that differ only in numbers are one. Without -r, those with data "
      "are\n"
      "printed, but for traces and for those that group the rows of another one differently.\n");
}

}  // namespace prof::cli
