#include "cli/output/print_stats.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/pager.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/statistic_selection.hpp"
#include "cli/output/terminal.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/calls/osrt_short_sum.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/defaults.hpp"
#include "exporters/analysis/stats/user_report.hpp"
#include "exporters/analysis/tables/row_selection.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kRowsOnTerminal = 30;
constexpr std::int64_t kRowsOfOverview = 10;  // the limit if the user names no statistic

// Sets malloc to large steps. Statistics keep durations and rows of millions of events. By default
// malloc asks the kernel for each 128 KiB, and returns memory that the next statistic needs again.
void allocate_in_large_steps() {
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

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
      : request_(request), view_(request.view), settings_(request.tables) {
    check_view_options(view_);
    const bool on_terminal = is_terminal(STDOUT_FILENO) || view_.color == Color::kAlways;
    for_terminal_ = on_terminal && is_for_person(settings_.output(request.report, 0));
    if (!view_.sort.empty()) order_ = tables::parse_sort_order(view_.sort);
    selected_ = selected_statistics(request.names, request.folders, for_terminal_,
                                    {request.lines, view_.range_of});
    if (request.lines) check_lines(selected_);
  }

  void print() {
    const auto reader = open_report(request_.report, settings_.quiet());
    settings_.prepare(reader, thread_filter(view_, reader));
    const CodeLines lines = lines_of(reader);
    const Pager pager(for_terminal_ && !view_.no_pager);
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const TableOutput output = settings_.output(request_.report, i);
      print_table(selected_[i], take(selected_[i].run(reader, lines)), output);
      warn_of_few_samples(reader, selected_[i].name);
      if (selected_[i].name == "osrt_sum" && for_terminal_ && is_for_person(output))
        print_short_calls(reader, output);
    }
    check_sorted();
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

  static bool is_for_person(const TableOutput& output) {
    return output.target == "-" && output.format == tables::TableFormat::kColumn;
  }

  void print_table(const SelectedStatistic& statistic, tables::Table table, TableOutput output) {
    if (table.rows.empty()) {
      if (statistic.asked_for && !settings_.quiet()) print_missing(statistic);
      return;
    }
    tables::keep_matching_rows(table, view_.names);
    if (table.rows.empty()) return;
    // A tree stays in its order.
    if (order_ && !statistic.name.starts_with("cpu_sample_tree")) sort(table);
    output.most_rows = most_rows(output);
    if (for_terminal_ && is_for_person(output)) output.terminal = style();
    put_table(output, std::move(table), statistic.title, statistic.name);
    ++printed_;
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

  void sort(tables::Table& table) {
    if (tables::sort_rows(table, *order_)) {
      is_sorted_ = true;
      return;
    }
    if (columns_.empty())
      for (const tables::ColumnSpec& column : table.columns)
        columns_ += (columns_.empty() ? "" : ", ") + column.header;
  }

  void check_sorted() const {
    if (!is_sorted_ && !columns_.empty())
      throw Failure("no column starts with " + view_.sort + " (there are: " + columns_ + ")",
                    kBadUsage);
    if (printed_ == 0 && !view_.names.empty())
      print_message("prof: {}: no row matches --name {}\n", request_.report,
                    fmt::join(view_.names, ", "));
  }

  std::size_t most_rows(const TableOutput& output) const {
    const bool is_cut = for_terminal_ && is_for_person(output);
    const std::int64_t usual = request_.names.empty() ? kRowsOfOverview : kRowsOnTerminal;
    return static_cast<std::size_t>(view_.rows.value_or(is_cut ? usual : 0));
  }

  tables::TerminalStyle style() const {
    const bool has_color =
        view_.color == Color::kAlways || (view_.color == Color::kAuto && allows_color());
    return {terminal_width(STDOUT_FILENO), has_color, settings_.has_usual_time_unit()};
  }

  void print_end(const report::ReportReader& reader) const {
    if (printed_ == 0 && view_.names.empty())
      return print_message("prof: {0}: no statistic has data. What it holds: prof info {0}\n",
                           request_.report);
    if (!for_terminal_) return;
    const std::vector<std::string> more = stats::further_reports(reader);
    std::string text = fmt::format("More rows: --rows 30, --rows 0. One statistic: -r NAME{}{}",
                                   more.empty() ? "" : ", also for: ", fmt::join(more, ", "));
    put(TableOutput{request_.report}, "",
        '\n' + tables::wrap_lines(text, terminal_width(STDOUT_FILENO), "") + '\n');
  }

  const StatsRequest& request_;
  const ViewOptions& view_;
  TableSettings settings_;
  std::vector<SelectedStatistic> selected_;
  bool for_terminal_ = false;
  std::optional<tables::SortOrder> order_;
  bool is_sorted_ = false;
  std::string columns_;  // of the first table that could not be sorted
  std::size_t printed_ = 0;
};

void print_line(std::string_view name, std::string_view help, std::string_view usage) {
  fmt::print("  {:<22} {}{}{}\n", name, help, usage.empty() ? "" : " ", usage);
}

}  // namespace

void print_stats(const StatsRequest& request) {
  allocate_in_large_steps();
  StatsPrinter(request).print();
}

void print_stats_help(const std::string& name, const std::vector<std::string>& folders) {
  const std::vector<fs::path> queries = queries_in(folders);
  if (!name.empty() && name != "all" && name != "ALL") {
    const stats::Statistic* report = stats::find_statistic(name);
    if (report == nullptr) fail_unknown(name, queries);
    fmt::print("{}{} -- {}\n\n  {}\n", report->name, stats::usage(report->takes), report->title,
               report->help);
    if (report->old_name != nullptr) fmt::print("  Before 2023: {}\n", report->old_name);
    return;
  }
  for (const auto& report : stats::catalog())
    print_line(report.name, report.help, stats::usage(report.takes));
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
