#include "cli/output/stats/print_job_stats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/options/job_window.hpp"
#include "cli/output/pager.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/stats/print_stats.hpp"
#include "cli/output/stats/statistic_selection.hpp"
#include "cli/output/stats/statistic_tables.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/ranks/partial_file.hpp"
#include "exporters/ranks/path/job_execution.hpp"
#include "exporters/ranks/path/job_path.hpp"
#include "exporters/ranks/replay/job_gains.hpp"
#include "exporters/ranks/run_statistics.hpp"

namespace prof::cli {

namespace {

struct MergedStatistics {
  std::vector<ranks::Request> merged;
  std::vector<std::string> not_merged;
  std::vector<std::string> paths;  // the critical path and what_if, with arguments
};

MergedStatistics merged_statistics(const JobStatsRequest& request, bool for_terminal) {
  MergedStatistics selection;
  const StatisticOptions options{false, request.view.range_of};
  for (const SelectedStatistic& each :
       selected_statistics(request.names, {}, for_terminal, options)) {
    const std::string name = each.name.substr(0, each.name.find(':'));
    if (name == "critical_path" || name == "what_if") {
      selection.paths.push_back(each.name);
      continue;
    }
    if (stats::find_mergeable_sum(name) == nullptr) {
      selection.not_merged.push_back(name);
      continue;
    }
    selection.merged.push_back(take(ranks::request_of(each.name)));
    selection.merged.back().arguments.kernels.range_of = request.view.range_of;
  }
  return selection;
}

class JobStatsPrinter {
 public:
  explicit JobStatsPrinter(const JobStatsRequest& request)
      : request_(request),
        name_(name_of_job(request.reports)),
        settings_(request.tables),
        tables_(request.view, settings_, request.names.empty(), name_),
        selection_(merged_statistics(request, tables_.for_terminal())),
        sums_(request.by) {}

  // Returns whether nothing was left out.
  bool print() {
    read();
    print_not_merged();
    const Pager pager(tables_.for_terminal() && !request_.view.no_pager);
    for (std::size_t i = 0; i < selection_.merged.size(); ++i) print_statistic(i);
    if (!selection_.paths.empty()) print_paths();
    tables_.check_sorted(name_);
    if (tables_.printed() == 0 && request_.names.empty())
      print_message("prof: {}: no statistic has data\n", name_);
    return !has_left_out_;
  }

 private:
  void read() {
    found_ = find_job_reports(request_.reports, settings_.quiet());
    const JobReports& found = found_;
    window_.emplace(found.reports, settings_, request_.align);
    ranks::ReadOptions options;
    options.requests = selection_.merged;
    options.exact = request_.exact;
    options.filter_of = [this](const report::ReportReader& reader) {
      return window_->prepare(reader, thread_filter(request_.view, reader));
    };
    options.on_read = [this](const report::ReportReader& reader) {
      find_data(reader);
      if (!settings_.quiet()) print_remarks(reader);
    };
    std::vector<std::string> unfit;
    options.on_unfit = [&unfit](const std::string& path, const std::string& why) {
      unfit.push_back(fmt::format("{}: {}", ranks::partial_path(path), why));
    };
    std::vector<std::string> unreadable;
    ranks::read_reports(found.reports, options, sums_, unreadable);
    print_unfit(std::move(unfit));
    for (const std::string& text : unreadable) print_message("prof: left out: {}\n", text);
    has_left_out_ = found.has_left_out || !unreadable.empty();
    if (unreadable.size() == found.reports.size()) throw Failure(name_ + ": no report can be read");
  }

  // Names one of the files. The others mostly have the same reason.
  void print_unfit(std::vector<std::string> unfit) const {
    if (unfit.empty() || settings_.quiet()) return;
    std::sort(unfit.begin(), unfit.end());
    print_message("prof: {} of the partial results not used, the reports are read: {}\n",
                  unfit.size(), unfit.front());
  }

  // Finds which of the statistics that are not merged have data in a report.
  void find_data(const report::ReportReader& reader) {
    for (const std::string& name : selection_.not_merged) {
      const stats::Statistic* statistic = stats::find_statistic(name);
      if (statistic != nullptr && stats::has_table(*statistic, reader)) have_data_.insert(name);
    }
  }

  void print_not_merged() const {
    if (settings_.quiet()) return;
    std::vector<std::string> names;
    for (const std::string& name : selection_.not_merged)
      if (!request_.names.empty() || have_data_.contains(name)) names.push_back(name);
    if (!names.empty())
      print_message("SKIPPED: prof cannot merge these over ranks: {} (prof stats REPORT -r NAME)\n",
                    fmt::join(names, ", "));
  }

  void print_statistic(std::size_t index) {
    const ranks::Request& request = selection_.merged[index];
    const std::vector<std::string> estimated = sums_.estimated(request.name);
    if (!estimated.empty() && !settings_.quiet())
      print_message(
          "SKIPPED: {} of {}: estimates of --max-overhead cannot be merged with other reports\n",
          request.name, fmt::join(estimated, ", "));
    tables::Table table = sums_.table(request);
    const stats::Statistic& statistic = *stats::find_statistic(request.sum->name);
    if (table.rows.empty()) {
      if (!request_.names.empty() && estimated.empty() && !settings_.quiet())
        print_message("SKIPPED: {} does not contain {}\n", name_, statistic.source.data);
      return;
    }
    tables_.print(std::move(table), settings_.output(name_, index), statistic.title, request.name);
  }

  // The path and replays go over all reports, so they are not sums of their results.
  void print_paths() {
    const ranks::JobCollectives job =
        take(ranks::read_collectives(found_.reports, window_->clock()));
    for (std::size_t i = 0; i < selection_.paths.size(); ++i)
      print_path(job, selection_.paths[i], selection_.merged.size() + i);
  }

  void print_path(const ranks::JobCollectives& job, const std::string& words, std::size_t index) {
    const std::size_t colon = std::min(words.find(':'), words.size());
    const stats::Statistic& statistic = *stats::find_statistic(words.substr(0, colon));
    const stats::Arguments arguments = take(stats::parse_arguments(
        std::string_view(words).substr(std::min(colon + 1, words.size())), statistic.takes));
    const ranks::FilterOf filter_of = [this](const report::ReportReader& reader) {
      return window_->prepare(reader, thread_filter(request_.view, reader));
    };
    tables::Table table =
        statistic.takes == stats::Takes::kPath
            ? ranks::table_of(
                  take(ranks::find_job_path(found_.reports, job, arguments.path_by, filter_of)))
            : take(ranks::what_if_of_job(found_.reports, job, changes_of(arguments), filter_of));
    if (table.rows.empty()) {
      if (!settings_.quiet())
        print_message("SKIPPED: {} does not contain {}\n", name_, statistic.source.data);
      return;
    }
    tables_.print(std::move(table), settings_.output(name_, index), statistic.title, words);
  }

  static std::vector<replay::WhatIf> changes_of(const stats::Arguments& arguments) {
    if (arguments.what_if.empty()) return {};
    return take(replay::parse_what_ifs(arguments.what_if));
  }

  const JobStatsRequest& request_;
  std::string name_;
  TableSettings settings_;
  StatisticTables tables_;
  MergedStatistics selection_;
  ranks::RunSums sums_;
  std::set<std::string> have_data_;
  JobReports found_;
  std::optional<JobWindow> window_;  // of `found_`
  bool has_left_out_ = false;
};

}  // namespace

bool print_job_stats(const JobStatsRequest& request) {
  allocate_in_large_steps();
  return JobStatsPrinter(request).print();
}

}  // namespace prof::cli
