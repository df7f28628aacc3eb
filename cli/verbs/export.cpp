// prof export: converts reports, or their samples, to another format.
#include <fmt/format.h>

#include <filesystem>

#include "cli/export/export_file.hpp"
#include "cli/export/export_options.hpp"
#include "cli/export/export_report.hpp"
#include "cli/export/rank_export.hpp"
#include "cli/export/run_export.hpp"
#include "cli/messages/failure.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

constexpr const char* kJson = "json";
constexpr const char* kSqlite = "sqlite";

std::vector<std::string> all_types() {
  std::vector<std::string> types = export_type_names();
  types.emplace_back(kRunType);
  return types;
}

class Export final : public Verb {
 public:
  const char* name() const override { return "export"; }
  const char* summary() const override {
    return "Convert a report to another format, or its samples to a profile";
  }

  void define(CLI::App& app) override {
    app.add_option(
           "reports", reports_,
           "Reports of prof, or SQLite files that nsys exported; with --type=run also folders")
        ->type_name("FILE…");
    app.add_flag("--json", json_, "Write one JSON document (same as --type=json)");
    app.add_option("-t,--type", options_.type,
                   fmt::format("Format: {}. Default: sqlite", fmt::join(all_types(), ", ")))
        ->type_name("TYPE");
    add_export_options(app, options_);
    app.footer(
        "Examples:\n"
        "  prof export --json report1.db | jq '.tables.NVTX_EVENTS[].text'\n"
        "  prof export --json --tables OSRT_API,ThreadNames report1.db\n"
        "  prof export --type=jsonlines --times=1s/1.5s -o - report1.db | grep OSRT_API\n"
        "  prof export --type=sqlite --tables='CUPTI.*,StringIds' -o gpu.sqlite report1.db\n"
        "  prof export --type=collapsed report1.db | flamegraph.pl > report1.svg\n"
        "  prof export --type=speedscope -o report1.speedscope.json report1.db\n"
        "  prof export --type=pprof --samples=osrt -o waits.pb.gz report1.db\n"
        "  prof export --type=pprof --lines -o report1.pb.gz report1.db\n"
        "  prof export --type=firefox --filter-nvtx step/3 -o step3.json report1.db\n"
        "  prof export --type=parquetdir report1.db             (report1_pqtdir)\n"
        "  prof export --type=run -o parquet run/               (a job, for DuckDB and others)\n"
        "  prof export --type=perfetto report1.db               (report1.pftrace)\n"
        "  prof export --type=perfetto -o traces rank0.db rank1.db\n"
        "  prof export --type=perfetto --align=collectives -o traces rank0.db rank1.db\n"
        "  prof export --type=chrome -o traces rank0.db rank1.db      (for HTA)\n"
        "  prof export --type=chrome --ranks --step=step torchrun.db  (a file for each rank)");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--type") return all_types();
    if (name == "--align") return align_words();
    if (name == "--samples") return {"cpu", "python", "osrt", "cuda"};
    return {};
  }

  int run(const std::vector<std::string>&) override {
    if (reports_.empty()) throw Failure("no report given (see prof export --help)", kBadUsage);
    if (options_.type == kRunType) export_run(reports_, options_);
    if (json_ && options_.type.empty()) options_.type = kJson;
    if (options_.type.empty()) options_.type = kSqlite;  // the default of nsys
    check_export_options(options_);
    if (json_ && options_.type != kJson)
      throw Failure("--json and --type=" + options_.type + " contradict each other", kBadUsage);
    if (options_.ranks) {
      export_ranks(reports_, options_);
      return 0;
    }
    check_several();
    report_closed_pipes();
    const bool has_rank = options_.rank != 0 || options_.world_size != 1;
    const std::vector<ExportOptions> all = options_of(reports_, options_);
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      ExportOptions options = all[i];
      options.several = reports_.size() > 1;
      if (!has_rank && reports_.size() > 1) {
        options.rank = static_cast<std::int64_t>(i);
        options.world_size = static_cast<std::int64_t>(reports_.size());
      }
      export_report(reports_[i], options);
    }
    return 0;
  }

 private:
  void check_several() const {
    std::error_code error;
    if (reports_.size() < 2 || options_.output.empty() || options_.output == kStdout) return;
    if (!std::filesystem::is_directory(options_.output, error))
      throw Failure("with several reports, -o has to be a folder that exists, or -", kBadUsage);
  }

  std::vector<std::string> reports_;
  bool json_ = false;
  ExportOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_export() { return std::make_unique<Export>(); }

}  // namespace prof::cli
