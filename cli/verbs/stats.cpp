// prof stats: prints statistics of reports.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/export/sqlite_copy.hpp"
#include "cli/messages/failure.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/stats/print_job_stats.hpp"
#include "cli/output/stats/print_rank_stats.hpp"
#include "cli/output/stats/print_stats.hpp"
#include "cli/sessions/live_recordings.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/ranks/collectives/rank_tables.hpp"
#include "exporters/ranks/run_sums.hpp"

namespace prof::cli {

namespace {

class Stats final : public Verb {
 public:
  const char* name() const override { return "stats"; }
  const char* summary() const override { return "Print statistics of a report"; }

  void define(CLI::App& app) override {
    // The name is not "report", because CLI11 from 2.4 on confuses that with --report.
    app.add_option("FILE", reports_,
                   "A report of prof, or an SQLite file that nsys exported. Several, or folders of "
                   "them, are the ranks of a job: their statistics are merged")
        ->type_name("FILE…");
    session_ = app.add_option("--session", recording_,
                              "Instead of a report: what has been recorded so far in this session, "
                              "or of this process; without a name, the only one")
                   ->expected(0, 1)
                   ->type_name("[SESSION|PID]");
    define_what(app);
    define_how(app);
    app.footer(
        "Examples:\n"
        "  prof stats report1.db\n"
        "  prof stats -r nvtx_sum:merge --sort avg --rows 20 report1\n"
        "  prof stats --process python3 --name '*lock*' report1.db\n"
        "  prof stats -r nvtx_sum,osrt_sum -f csv report1.db\n"
        "  prof stats -r cuda_gpu_kern_sum:nvtx-name:base report1.db\n"
        "  prof stats -r cuda_gpu_trace --filter-nvtx step/3 --timeunit ms report1.db\n"
        "  prof stats -r cpu_sample_sum,cpu_sample_tree --lines report1.db\n"
        "  prof stats --session training -r nvtx_sum\n"
        "  prof stats run/                        (the ranks of a job)\n"
        "  prof stats -r cuda_gpu_kern_sum --by-rank -f csv run/\n"
        "  prof stats --filter-time 5s/6s --align=collectives run/\n"
        "  prof stats -r rank_wait_sum,delay_sum run/\n"
        "  prof stats -o . report1.db             (report1_nvtx_sum.csv, …)\n"
        "  prof stats -r nvtx_sum,osrt_sum -f column,json -o -,sums report1.db");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    std::vector<std::string> words = words_of_output_option(name);
    if (name == "--align") return align_words();
    if (name == "--report" || name == "--help-reports") {
      for (const stats::Statistic& each : stats::catalog()) words.emplace_back(each.name);
      for (const ranks::JobStatistic& each : ranks::job_statistics()) words.emplace_back(each.name);
    }
    return words;
  }

  int run(const std::vector<std::string>&) override {
    if (help_->count() > 0) {
      print_stats_help(help_name_, request_.folders);
      return 0;
    }
    if (help_on_formats_.print()) return 0;
    std::optional<base::PrivateFolder> folder;
    if (session_->count() > 0) {
      if (!reports_.empty()) throw Failure("--session and a report exclude one another", kBadUsage);
      const LiveRecording recording = find_live_recording(recording_);
      folder.emplace(make_live_folder());
      request_.report = folder->path() + "/so-far.db";
      write_report_so_far(recording, request_.report);
    }
    check_align(align_, session_->count() == 0 && is_job(reports_),
                !request_.tables.filter_time.empty() || compares_ranks());
    if (session_->count() == 0) {
      if (const auto of_ranks = take_rank_statistics(request_.names); !of_ranks.empty())
        if (const int status = print_of_ranks(of_ranks); request_.names.empty() || status != 0)
          return status;
      if (is_job(reports_)) return print_job();
      if (!reports_.empty()) request_.report = reports_.front();
    }
    if (by_rank_ || by_node_ || exact_)
      throw Failure("--by-rank, --by-node and --exact need a folder, or several reports",
                    kBadUsage);
    if (request_.report.empty())
      throw Failure("no report given (see prof stats --help)", kBadUsage);
    request_.report = report_to_read(request_.report, sqlite_, request_.tables.quiet);
    // -r "" means no statistic. Scripts use it if they only want the SQLite file.
    const bool names_some = std::erase(request_.names, "") == 0 || !request_.names.empty();
    if (names_some)
      print_stats(request_);
    else
      close_report(open_report(request_.report, request_.tables.quiet));
    return 0;
  }

 private:
  // True if a statistic compares what several ranks do at one time.
  bool compares_ranks() const {
    return std::ranges::any_of(request_.names, [](const std::string& name) {
      return ranks::find_job_statistic(name) != nullptr || name.starts_with("critical_path") ||
             name.starts_with("what_if");
    });
  }

  int print_of_ranks(const std::vector<std::string>& names) const {
    if (reports_.empty()) throw Failure("no report given (see prof stats --help)", kBadUsage);
    JobStatsRequest request{reports_, names, request_.tables, request_.view};
    request.align = align_;
    return print_rank_stats(request) ? 0 : kFailed;
  }

  int print_job() const {
    if (by_rank_ && by_node_)
      throw Failure("--by-rank and --by-node exclude one another", kBadUsage);
    if (!sqlite_.path.empty()) throw Failure("--sqlite takes one report", kBadUsage);
    if (request_.lines) throw Failure("--lines takes one report", kBadUsage);
    if (!request_.folders.empty()) throw Failure("--report-dir takes one report", kBadUsage);
    const ranks::By by = by_rank_   ? ranks::By::kRank
                         : by_node_ ? ranks::By::kNode
                                    : ranks::By::kRun;
    return print_job_stats(
               {reports_, request_.names, request_.tables, request_.view, by, exact_, align_})
               ? 0
               : kFailed;
  }

  void define_what(CLI::App& app) {
    app.add_option(
           "-r,--report", request_.names,
           "Statistics to print, with arguments after colons. Default: all that have data, but "
           "for traces and for those that group the rows of another one differently")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME[:ARGUMENT…],…");
    app.add_option("--report-dir", request_.folders,
                   "Folder with your own statistics: an SQL query in each file NAME.sql")
        ->allow_extra_args(false)
        ->type_name("FOLDER");
    app.add_flag("--by-rank", by_rank_, "Of several reports: rows for each rank");
    app.add_flag("--by-node", by_node_, "Of several reports: rows for each node");
    app.add_flag("--exact", exact_,
                 "Of several reports: exact medians also of very different values, by reading the "
                 "reports again");
    add_align_option(app, align_,
                     std::string("Of several reports: the clock that --filter-time counts on, and "
                                 "on which ranks are compared. ") +
                         kAlignHelp);
    add_lines_option(app, request_.lines);
    add_filter_options(app, request_.tables);
    add_view_options(app, request_.view);
  }

  void define_how(CLI::App& app) {
    add_output_options(app, request_.tables);
    add_sqlite_options(app, sqlite_);
    help_on_formats_.add(app);
    help_ = app.add_option("--help-reports", help_name_, "List the statistics, or explain one")
                ->expected(0, 1)
                ->type_name("[NAME]");
  }

  std::vector<std::string> reports_;
  bool by_rank_ = false;
  bool by_node_ = false;
  bool exact_ = false;
  std::string align_;
  StatsRequest request_;
  CLI::Option* session_ = nullptr;
  std::string recording_;
  SqliteCopy sqlite_;
  FormatHelp help_on_formats_;
  CLI::Option* help_ = nullptr;
  std::string help_name_;
};

}  // namespace

std::unique_ptr<Verb> make_stats() { return std::make_unique<Stats>(); }

}  // namespace prof::cli
