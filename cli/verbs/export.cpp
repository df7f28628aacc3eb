// prof export: converts a report, or its samples, to another format.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/export_file.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/formats/json_export.hpp"
#include "exporters/formats/sample_formats.hpp"
#include "exporters/formats/trace/perfetto.hpp"

namespace prof::cli {

namespace {

constexpr const char* kJson = "json";
constexpr const char* kPerfetto = "perfetto";

std::vector<std::string> type_names() {
  std::vector<std::string> names = {kJson, kPerfetto};
  for (const auto& format : formats::sample_formats()) names.emplace_back(format.name);
  return names;
}

class Export final : public Verb {
 public:
  const char* name() const override { return "export"; }
  const char* summary() const override {
    return "Convert a report to another format, or its samples to a profile";
  }

  void define(CLI::App& app) override {
    app.add_option("report", report_, "A report of prof, or an SQLite file that nsys exported")
        ->type_name("FILE");
    app.add_flag("--json", json_, "Write one JSON document (same as --type=json)");
    app.add_option("-t,--type", type_,
                   fmt::format("Format: {}. All except json and perfetto contain samples only",
                               fmt::join(type_names(), ", ")))
        ->type_name("TYPE");
    app.add_option("-o,--output", output_,
                   "File to write; compressed with gzip if its name ends with .gz (-: stdout, the "
                   "default but of perfetto)")
        ->type_name("FILE");
    add_choice(
        app, "--gpu-tracks", gpu_tracks_,
        {{"plain", formats::GpuTracks::kPlain}, {"native", formats::GpuTracks::kNative}},
        "How --type=perfetto shows GPU work: plain, as rows with links from its calls; native, "
        "as Perfetto's GPU tracks")
        ->type_name("plain|native");
    app.add_option(
           "--samples", samples_,
           "What to export: samples (cpu, python), or calls with their call chains, weighted by "
           "their time (osrt, cuda)")
        ->type_name("KIND");
    add_lines_option(app, lines_);
    add_filter_options(app, filters_);
    app.add_option("--tables", tables_, "Export only these tables (--type=json)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,…");
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing file");
    app.footer(
        "Examples:\n"
        "  prof export --json report1.db | jq '.tables.NVTX_EVENTS[].text'\n"
        "  prof export --json -o report1.json report1.db\n"
        "  prof export --json --tables OSRT_API,ThreadNames report1.db\n"
        "  prof export --type=collapsed report1.db | flamegraph.pl > report1.svg\n"
        "  prof export --type=speedscope -o report1.speedscope.json report1.db\n"
        "  prof export --type=pprof --samples=osrt -o waits.pb.gz report1.db\n"
        "  prof export --type=pprof --lines -o report1.pb.gz report1.db\n"
        "  prof export --type=firefox --filter-nvtx step/3 -o step3.json report1.db\n"
        "  prof export --type=perfetto report1.db               (for ui.perfetto.dev: "
        "report1.pftrace)");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--type") return type_names();
    if (name == "--samples") return {"cpu", "python", "osrt", "cuda"};
    return {};
  }

  int run(const std::vector<std::string>&) override {
    if (report_.empty()) throw Failure("no report given (see prof export --help)", kBadUsage);
    report_ = find_report_file(report_);
    if (json_ && type_.empty()) type_ = kJson;
    check_options();
    const TableSettings settings(filters_);
    const auto reader = open_report(report_, false);
    if (type_ != kJson) settings.prepare(reader);
    if (lines_) code_lines_ = find_source_lines(reader, false);
    report_closed_pipes();
    const std::string path = output();
    const bool packs_itself = format_ != nullptr && format_->is_binary;
    write_export({path, overwrite_, path.ends_with(".gz") && !packs_itself},
                 [&](const formats::Output& out) { return write(reader, out); });
    close_report(reader);
    return 0;
  }

 private:
  void check_options() {
    const auto known = type_names();
    if (type_.empty())
      throw Failure(
          fmt::format("no format given (known: --json, --type={})", fmt::join(known, ", --type=")),
          kBadUsage);
    if (std::find(known.begin(), known.end(), type_) == known.end())
      throw Failure(fmt::format("unknown type {} (known: {})", type_, fmt::join(known, ", ")),
                    kBadUsage);
    for (const auto& format : formats::sample_formats())
      if (type_ == format.name) format_ = &format;
    if (json_ && format_ != nullptr)
      throw Failure("--json and --type=" + type_ + " contradict each other", kBadUsage);
    format_ == nullptr ? check_whole() : check_samples();
  }
  void check_whole() const {
    if (!samples_.empty() || lines_)
      throw Failure("--samples and --lines need a format of samples", kBadUsage);
    if (type_ == kJson && !(filters_.filter_time.empty() && filters_.filter_nvtx.empty()))
      throw Failure("--filter-time and --filter-nvtx need another format than json", kBadUsage);
    if (type_ != kJson && !tables_.empty()) throw Failure("--tables needs --type=json", kBadUsage);
    if (type_ != kJson) check_terminal();
  }
  void check_samples() {
    if (!tables_.empty()) throw Failure("--tables needs --type=json", kBadUsage);
    const auto kind = formats::sample_kind(samples_.empty() ? "cpu" : samples_);
    if (!kind)
      throw Failure("unknown kind of samples " + samples_ + " (known: cpu, python, osrt, cuda)",
                    kBadUsage);
    kind_ = *kind;
    if (format_->is_binary) check_terminal();
  }
  void check_terminal() const {
    if (output() == kStdout && is_terminal(STDOUT_FILENO))
      throw Failure(type_ + " is a binary format: give a file with -o", kBadUsage);
  }

  base::Status write(const report::ReportReader& reader, const formats::Output& output) const {
    if (type_ == kPerfetto) return formats::export_perfetto(reader, gpu_tracks_, output);
    if (format_ == nullptr) return formats::export_json(reader, tables_, output);
    return formats::export_samples(reader, *format_, kind_, code_lines_.get(), output);
  }

  // Traces are files, named after their report. The other formats are made for pipes.
  std::string output() const {
    if (!output_.empty()) return output_;
    if (type_ != kPerfetto) return kStdout;
    return std::filesystem::path(report_).replace_extension(".pftrace").string();
  }

  std::string report_;
  bool json_ = false;
  std::string type_;
  const formats::SampleFormat* format_ = nullptr;  // null: JSON
  std::string output_;                             // empty: the default of the type
  formats::GpuTracks gpu_tracks_ = formats::GpuTracks::kPlain;
  std::string samples_;
  events::SampleKind kind_ = events::SampleKind::kCpu;
  TableOptions filters_;
  bool lines_ = false;
  std::shared_ptr<const events::CodeLines> code_lines_;  // null: without them
  std::vector<std::string> tables_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_export() { return std::make_unique<Export>(); }

}  // namespace prof::cli
