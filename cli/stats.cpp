// prof stats: statistics reports.
#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/report_steps.hpp"
#include "cli/verbs.hpp"
#include "exporters/stats/catalog.hpp"

namespace prof::cli {

namespace {

class Stats final : public Verb {
 public:
  const char* name() const override { return "stats"; }
  const char* summary() const override { return "Print statistics of a report"; }

  void define(CLI::App& app) override {
    app.add_option("report", report_, "Report: of prof, or SQLite as nsys exports it")
        ->type_name("FILE");
    app.add_option("-r,--report", names_,
                   "Statistics to print, with arguments after colons; six by default")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME[:ARGUMENT…],…");
    app.add_option("-f,--format", format_, "column, table, csv, tsv or json")
        ->type_name("FORMAT")
        ->capture_default_str();
    app.add_option("-o,--output", output_,
                   "- for stdout; . for files named after the report; else the base of their names")
        ->type_name("BASE")
        ->capture_default_str();
    add_bool(app, "--force-overwrite", overwrite_, "Replace existing files");
    app.add_flag("-q,--quiet", quiet_, "Print errors and statistics only");
    app.add_flag("--help-reports", help_reports_, "List the statistics reports");
    app.footer(
        "Examples:\n"
        "  prof stats report1.db\n"
        "  prof stats -r nvtx_sum,osrt_sum -f csv report1.db\n"
        "  prof stats -r cuda_gpu_kern_sum:nvtx-name:base report1.db\n"
        "  prof stats -f csv -o . report1.db      (report1_nvtx_sum.csv, …)");
  }

  int run(const std::vector<std::string>&) override {
    if (help_reports_) {
      for (const auto& report : stats::catalog())
        fmt::print("  {:<22} {} {}\n", report.name, report.help, stats::usage(report.takes));
      fmt::print(
          "\nbase: short names of kernels; mangled: as the linker sees them; nvtx-name: after the\n"
          "innermost NVTX range around the launch. Without -r the first {} are printed.\n",
          stats::default_reports().size());
      return 0;
    }
    if (report_.empty()) throw Failure("no report given (see prof stats --help)", kBadUsage);
    const auto format = stats::table_format(format_);
    if (!format)
      throw Failure("unknown format " + format_ + " (known: column, table, csv, tsv, json)",
                    kBadUsage);
    print_stats({report_, names_, *format, output_, overwrite_, quiet_});
    return 0;
  }

 private:
  std::string report_;
  std::vector<std::string> names_;
  std::string format_ = "column";
  std::string output_ = "-";
  bool overwrite_ = false;
  bool quiet_ = false;
  bool help_reports_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_stats() { return std::make_unique<Stats>(); }

}  // namespace prof::cli
