#include "cli/export/export_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/export/export_file.hpp"
#include "cli/export/package_export.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/arguments.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"
#include "cli/output/terminal.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/thread_selection.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/tables/pattern.hpp"
#include "exporters/formats/chrome/chrome.hpp"
#include "exporters/formats/json_export.hpp"
#include "exporters/formats/rows/row_formats.hpp"
#include "exporters/formats/rows/sqlite_export.hpp"
#include "exporters/formats/rows/table_selection.hpp"
#include "exporters/formats/sample_formats.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

enum class ExportKind {
  kJson,
  kPerfetto,
  kChrome,
  kJsonLines,
  kText,
  kSqlite,
  kInfo,
  kSamples,
  kPackage
};

struct ExportType {
  std::string name;
  const char* ending;  // of the file's name; "": write to stdout
  ExportKind kind;
  bool is_binary;
};

const std::vector<ExportType>& export_types() {
  static const std::vector<ExportType> types = [] {
    std::vector<ExportType> all = {
        {"sqlite", ".sqlite", ExportKind::kSqlite, true},
        {"jsonlines", ".jsonl", ExportKind::kJsonLines, false},
        {"json", "", ExportKind::kJson, false},
        {"text", ".txt", ExportKind::kText, false},
        {"hdf", ".h5", ExportKind::kPackage, true},
        {"arrow", ".arrows", ExportKind::kPackage, true},
        {"arrowdir", "_arwdir", ExportKind::kPackage, true},
        {"parquetdir", "_pqtdir", ExportKind::kPackage, true},
        {"info", ".info", ExportKind::kInfo, false},
        {"perfetto", ".pftrace", ExportKind::kPerfetto, true},
        {"chrome", ".pt.trace.json", ExportKind::kChrome, false},
    };
    for (const auto& format : formats::sample_formats())
      all.push_back({format.name, "", ExportKind::kSamples, format.is_binary});
    return all;
  }();
  return types;
}

const ExportType& export_type(const std::string& name) {
  for (const ExportType& type : export_types())
    if (type.name == name) return type;
  throw Failure(
      fmt::format("unknown type {} (known: {}){}", name, fmt::join(export_type_names(), ", "),
                  suggestion(name, export_type_names())),
      kBadUsage);
}

const formats::SampleFormat& sample_format(const std::string& name) {
  const auto all = formats::sample_formats();
  return *std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
}

bool has_tables(ExportKind kind) {
  return kind != ExportKind::kSamples && kind != ExportKind::kInfo;
}

bool is_folder(const ExportType& type) {
  return type.kind == ExportKind::kPackage && type.ending[0] == '_';
}

// Returns "report.h5" for "report.db" and ".h5", and "report_pqtdir" for "report.db" and "_pqtdir".
std::string named_after(const fs::path& report, const std::string& ending) {
  return fs::path(report).replace_extension().string() + ending;
}

bool selects_rows(const ExportOptions& options) {
  return !options.times.empty() || options.normalize || options.shift != 0 ||
         options.clock != events::ClockMap() || !options.filters.filter_time.empty() ||
         !options.filters.filter_nvtx.empty() || !options.processes.empty();
}

// The export of one report.
class Exporting {
 public:
  Exporting(const std::string& report, const ExportOptions& options)
      : options_(options),
        type_(export_type(options.type)),
        report_(find_report_file(report)),
        path_(options.output.empty() ? default_export_name(report_, options.type) : options.output),
        settings_(options.filters),
        reader_(open_report(report_, options.quiet)) {}

  void run() {
    if (fs::is_directory(path_) && (options_.several || !is_folder(type_)))
      path_ = named_after(fs::path(path_) / fs::path(report_).filename(),
                          *type_.ending == '\0' ? "." + type_.name : type_.ending);
    if (type_.kind != ExportKind::kPackage)  // the package opens the report itself
      check_new(path_, options_.overwrite || options_.append);
    std::error_code error;
    if (path_ != kStdout && fs::equivalent(path_, report_, error))
      throw Failure(path_ + " is the report itself; give another file with -o");
    prepare();
    if (options_.lines)
      lines_ = find_source_lines(reader_, options_.quiet);
    else if (type_.kind == ExportKind::kSamples)  // for the inlined functions
      lines_ = find_source_lines(reader_, true);
    if (type_.kind == ExportKind::kSqlite)
      write_export_to({path_, options_.overwrite},
                      [&](const std::string& path) { return write_sqlite(path); });
    else if (type_.kind == ExportKind::kPackage)
      write_with_package();
    else
      write_document();
    close_report(reader_);
    if (!options_.quiet && options_.output.empty() && path_ != kStdout)
      print_message("prof: wrote {}\n", path_);
  }

 private:
  // Makes the views of the report that are exported.
  void prepare() {
    const auto selected = formats::select_tables(reader_, options_.tables);
    if (!selected)
      throw Failure(selected.error().message +
                    suggestion(options_.tables.back(), reader_.tables()));
    tables_ = *selected;
    if (type_.kind == ExportKind::kInfo) return;
    // Traces show payloads with their events; tables leave payloads out, as in nsys.
    const bool is_trace = type_.kind == ExportKind::kPerfetto || type_.kind == ExportKind::kChrome;
    selection_.json = options_.json || is_trace;
    selection_.blobs = options_.blobs || is_trace;
    selection_.clock = options_.clock;
    for (const std::string& text : options_.times) {
      events::TimeRange range = take(events::parse_time_range(text));
      range.start = options_.clock.own(range.start);
      range.end = options_.clock.own(range.end);
      selection_.times.push_back(range);
    }
    selection_.clock.offset += options_.shift;
    if (options_.normalize) selection_.clock.offset += start_of_session();
    utc_start_ = utc_start() - options_.shift - (options_.normalize ? start_of_session() : 0);
    if (!options_.tables.empty()) selection_.without = formats::other_events(reader_, tables_);
    settings_.prepare(reader_, processes(), selection_, options_.clock);
  }

  // Returns the filter of --process.
  events::EventFilter processes() const {
    if (options_.processes.empty()) return {};
    return take(events::find_process_filter(reader_, options_.processes, tables::matches_pattern));
  }

  // Returns the wall clock at time 0 of the report, or of the common clock. 0: unknown.
  std::int64_t utc_start() const {
    return options_.utc_start ? *options_.utc_start : events::session_start(reader_);
  }

  std::int64_t start_of_session() const {
    const std::int64_t start = utc_start();
    if (start == 0)
      throw Failure(report_ +
                    " does not say when its session began, so --ts-normalize is "
                    "impossible; use --ts-shift");
    return start;
  }

  void write_document() {
    ProgressLine progress("writing " + path_);
    const bool packs_itself = type_.kind == ExportKind::kSamples && type_.is_binary;
    write_export(
        {path_, options_.overwrite, path_.ends_with(".gz") && !packs_itself, options_.append},
        [&](const formats::Output& output) {
          std::uint64_t bytes = 0;
          return write([&](std::string_view text) {
            if (!options_.quiet) progress.update_bytes(bytes += text.size());
            return output(text);
          });
        });
  }

  base::Status write(const formats::Output& output) const {
    switch (type_.kind) {
      case ExportKind::kJson:
        return formats::export_json(reader_, json_tables(), output,
                                    options_.separate_strings ? formats::JsonTexts::kInStringIds
                                                              : formats::JsonTexts::kBesideIds);
      case ExportKind::kPerfetto:
        return formats::export_perfetto(
            reader_, {options_.gpu_tracks, utc_start_, options_.range_of}, output);
      case ExportKind::kChrome:
        return formats::export_chrome(
            reader_,
            {options_.rank, options_.world_size, utc_start_, options_.step, options_.range_of},
            output);
      case ExportKind::kJsonLines:
        return formats::export_json_lines(reader_, tables_, output);
      case ExportKind::kText:
        return formats::export_text(reader_, tables_, output);
      case ExportKind::kInfo:
        return write_info(output);
      default:
        return formats::export_samples(
            reader_, sample_format(type_.name),
            *formats::sample_kind(options_.samples.empty() ? "cpu" : options_.samples),
            {lines_.get(), options_.lines}, output);
    }
  }

  // Returns the tables to export. Without --tables, export_json() selects them.
  std::vector<std::string> json_tables() const {
    return options_.tables.empty() ? std::vector<std::string>{} : tables_;
  }

  base::Status write_info(const formats::Output& output) const {
    const auto info = info::read_info(reader_);
    if (!info) return tl::make_unexpected(info.error());
    return output(info::info_text(*info));
  }

  // The package reads the report itself. If rows are selected or changed, it reads a copy of the
  // report.
  void write_with_package() {
    PackageExport what{type_.name, report_, path_, {}, {}, options_.lazy};
    what.overwrite = options_.overwrite;
    what.append = options_.append;
    what.quiet = options_.quiet;
    if (!options_.tables.empty()) what.tables = tables_;
    if (!options_.json) what.empty_columns = {"jsonTextId", "jsonText"};
    if (!options_.blobs) what.empty_columns.emplace_back("binaryData");
    if (!selects_rows(options_)) return export_with_package(what);
    what.report = base::temporary_name(path_ + ".sqlite");
    const base::UniqueFd held = base::create_held_file(what.report);
    if (!held) throw Failure("cannot write " + what.report + ": " + std::strerror(errno));
    try {
      if (std::find(tables_.begin(), tables_.end(), "StringIds") == tables_.end())
        tables_.emplace_back("StringIds");  // a file without it is not a report
      check(write_sqlite(what.report));
      if (!what.tables.empty()) leave_out_missing(what);
      export_with_package(what);
    } catch (const Failure&) {
      std::remove(what.report.c_str());
      throw;
    }
    std::remove(what.report.c_str());
  }

  // A copy lacks the tables of which no row is selected.
  static void leave_out_missing(PackageExport& what) {
    const auto copy = take(report::ReportReader::open(what.report));
    std::erase_if(what.tables, [&](const std::string& table) { return !copy.has_table(table); });
    if (what.tables.empty()) throw Failure("no row of these tables is selected");
  }

  base::Status write_sqlite(const std::string& path) const {
    const auto word = [](bool value) { return value ? "true" : "false"; };
    formats::SqliteExport what{tables_, options_.lazy, path_, {}};
    what.parameters = {{"EXPORT_PARAM_LAZY", word(options_.lazy)},
                       {"EXPORT_PARAM_TIME_NORMALIZE", word(options_.normalize)},
                       {"EXPORT_PARAM_TIME_SHIFT", std::to_string(options_.shift)},
                       {"EXPORT_PARAM_OUTPUT_FILE", fs::path(path_).filename().string()},
                       {"EXPORT_PARAM_OUTPUT_PATH", path_},
                       {"EXPORT_PARAM_OUTPUT_PATH_ABS", fs::absolute(path_).string()}};
    return formats::export_sqlite(reader_, what, path);
  }

  const ExportOptions& options_;
  const ExportType& type_;
  std::string report_;
  std::string path_;
  TableSettings settings_;
  report::ReportReader reader_;
  events::ExportSelection selection_;
  std::int64_t utc_start_ = 0;  // wall clock at time 0 of what is exported
  std::vector<std::string> tables_;
  std::shared_ptr<const events::CodeLines> lines_;  // null: without source lines
};

void check_samples(const ExportOptions& options) {
  if (!options.samples.empty() && !formats::sample_kind(options.samples))
    throw Failure(
        "unknown kind of samples " + options.samples + " (known: cpu, python, osrt, cuda)",
        kBadUsage);
}

// Throws Failure for options that the type does not have.
void check_type(const ExportOptions& options, const ExportType& type) {
  const auto refuse = [](bool is_given, const char* option, const char* types) {
    if (is_given) throw Failure(fmt::format("{} needs {}", option, types), kBadUsage);
  };
  const bool is_lines = type.kind == ExportKind::kJsonLines || type.kind == ExportKind::kText;
  refuse(!options.samples.empty() && type.kind != ExportKind::kSamples, "--samples",
         "a format of samples");
  refuse(options.lines && type.kind != ExportKind::kSamples, "--lines", "a format of samples");
  refuse(!options.tables.empty() && !has_tables(type.kind), "--tables",
         "a type with tables or a trace");
  refuse((options.rank != 0 || options.world_size != 1) && type.kind != ExportKind::kChrome,
         "--rank", "--type=chrome");
  refuse(!options.step.empty() && type.kind != ExportKind::kChrome, "--step", "--type=chrome");
  refuse(options.range_of != events::RangeOf::kBoth && type.kind != ExportKind::kChrome &&
             type.kind != ExportKind::kPerfetto,
         "--range-of", "--type=chrome or perfetto");
  refuse(options.append && !is_lines && !is_folder(type), "--append",
         "--type=jsonlines, text, arrowdir or parquetdir");
  refuse(options.separate_strings && !is_lines && type.kind != ExportKind::kJson,
         "--separate-strings", "--type=json, jsonlines or text");
  refuse(options.gpu_tracks != formats::GpuTracks::kPlain && type.kind != ExportKind::kPerfetto,
         "--gpu-tracks", "--type=perfetto");
  refuse(selects_rows(options) && type.kind == ExportKind::kInfo, "a selection",
         "another type than info");
}

void check_destination(const ExportOptions& options, const ExportType& type) {
  const bool is_stdout =
      options.output == kStdout || (options.output.empty() && *type.ending == '\0');
  if (!is_stdout) return;
  if (type.kind == ExportKind::kSqlite || type.kind == ExportKind::kPackage)
    throw Failure(type.name + " cannot be written to stdout: give a file with -o", kBadUsage);
  if (type.is_binary && is_terminal(STDOUT_FILENO))
    throw Failure(type.name + " is a binary format: give a file with -o", kBadUsage);
}

}  // namespace

std::vector<std::string> export_type_names() {
  std::vector<std::string> names;
  for (const ExportType& type : export_types()) names.push_back(type.name);
  return names;
}

void check_export_type(const std::string& type) { export_type(type); }

void check_export_options(const ExportOptions& options) {
  constexpr std::int64_t kMaxShift = std::int64_t{1} << 58;
  const ExportType& type = export_type(options.type);
  check_samples(options);
  check_type(options, type);
  check_destination(options, type);
  if (options.shift > kMaxShift || options.shift < -kMaxShift)
    throw Failure("--ts-shift: at most nine years, in ns", kBadUsage);
  for (const std::string& text : options.times)
    if (const auto range = events::parse_time_range(text); !range)
      throw Failure(range.error().message, kBadUsage);
}

void export_all(const std::string& report, const std::vector<std::string>& types, bool overwrite) {
  for (const std::string& type : types) {
    ExportOptions options;
    options.type = type;
    options.overwrite = overwrite;
    const std::string name = default_export_name(report, type);
    options.output = name == kStdout ? fs::path(report).replace_extension(type).string() : name;
    export_report(report, options);
    print_message("prof: wrote {}\n", options.output);
  }
}

std::string default_export_name(const std::string& report, const std::string& type) {
  const char* ending = export_type(type).ending;
  if (*ending == '\0') return kStdout;
  return named_after(report, ending);
}

void export_report(const std::string& report, const ExportOptions& options) {
  Exporting(report, options).run();
}

}  // namespace prof::cli
