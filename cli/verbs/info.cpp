// prof info: shows what a report is about, what it contains, and which commands to use on it.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/messages/failure.hpp"
#include "cli/output/pager.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/table_output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "common/base/text/printable.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/info/run_table.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/clocks/clock_table.hpp"

namespace prof::cli {

namespace {

class Info final : public Verb {
 public:
  const char* name() const override { return "info"; }
  const char* summary() const override { return "Say what a report is about and what it holds"; }

  void define(CLI::App& app) override {
    app.add_option("report", reports_,
                   "Reports of prof, SQLite files that nsys exported, or folders of them. Several "
                   "are listed")
        ->type_name("FILE…");
    app.add_flag("--json", json_, "Write JSON: an object, or a list of them for several reports");
    app.add_flag("--output", output_,
                 "Print what the program wrote to its standard streams, as far as the report keeps "
                 "it, and nothing else");
    app.add_flag("--no-pager", no_pager_, "Do not show the output in a pager");
    app.footer(
        "Examples:\n"
        "  prof info report1.db\n"
        "  prof report1                         (the same)\n"
        "  prof info run/                       (the ranks of a job, a line each)\n"
        "  prof info --json report1.db | jq .contents\n"
        "  prof info --output report1.db");
  }

  int run(const std::vector<std::string>&) override {
    if (reports_.empty()) throw Failure("no report given (see prof info --help)", kBadUsage);
    if (json_ && output_) throw Failure("--json and --output exclude each other", kBadUsage);
    const FoundReports found = find_reports(reports_);
    if (found.has_folder || found.paths.size() > 1) return list(found);
    const auto reader = open_report(find_report_file(found.paths[0]), json_ || output_);
    const info::ReportInfo info = take(info::read_info(reader));
    close_report(reader);
    if (output_) {
      // A terminal obeys control characters, and the report can come from anybody.
      const bool is_shown = is_terminal(STDOUT_FILENO);
      for (const info::KeptFile& file : info.files) {
        const std::string content = take(info::content_of(reader, file));
        print(is_shown ? base::printable_lines(content) : content);
      }
      return 0;
    }
    const Pager pager(!json_ && !no_pager_);
    print(json_ ? info::info_json(info) : info::info_text(info));
    return 0;
  }

 private:
  static void print(const std::string& text) { put(TableOutput{}, "", text); }

  int list(const FoundReports& found) const {
    if (output_) throw Failure("--output takes one report", kBadUsage);
    std::vector<info::ReportInfo> reports;
    for (const std::string& path : found.paths) {
      const auto reader = open_report(find_report_file(path), true);
      reports.push_back(take(info::read_info(reader)));
      close_report(reader);
    }
    if (json_) {
      const ranks::AlignedReports aligned = align(found.paths);
      std::string list;
      for (std::size_t i = 0; i < reports.size(); ++i)
        list +=
            (i == 0 ? "[\n" : ",\n") + info::info_json(reports[i], ranks::clock_json(aligned, i));
      print(list + "]\n");
    } else {
      const Pager pager(!no_pager_);
      std::string remarks;
      for (const std::string& each : info::run_remarks(reports)) remarks += each + '\n';
      put_table(TableOutput{}, info::run_table(reports), "Reports of a Run", "run", remarks);
      print_clocks(found.paths);
    }
    return found.has_left_out ? kFailed : 0;
  }

  static ranks::AlignedReports align(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(find_report_file(name));
    return take(ranks::align_reports(paths, {}));
  }

  // Says how the clocks of several machines compare.
  static void print_clocks(const std::vector<std::string>& names) {
    const auto machines = align(names).machines;
    if (machines.size() < 2) return;
    std::string remarks;
    for (const std::string& each : ranks::clock_remarks(machines)) remarks += each + '\n';
    put_table(TableOutput{}, ranks::clock_table(machines), "Clocks of the Machines", "clocks",
              remarks);
  }

  std::vector<std::string> reports_;
  bool json_ = false;
  bool output_ = false;
  bool no_pager_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_info() { return std::make_unique<Info>(); }

}  // namespace prof::cli
