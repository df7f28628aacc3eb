#include "cli/export/export_options.hpp"

#include <charconv>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/source_lines.hpp"

namespace prof::cli {

namespace {

void add_destination(CLI::App& app, ExportOptions& options) {
  app.add_option("-o,--output", options.output,
                 "File to write, or folder if there are several reports; - is stdout. A name that "
                 "ends with .gz: compressed with gzip. Default: the report's name with the ending "
                 "of the type; stdout for json and samples")
      ->type_name("FILE");
  add_bool(app, "-f,--force-overwrite", options.overwrite, "Replace an existing file");
  add_bool(app, "--append", options.append,
           "Append to an existing file (--type=jsonlines, text) or folder (arrowdir, parquetdir)");
  add_bool(app, "-q,--quiet", options.quiet, "Print only errors");
}

void add_rows(CLI::App& app, ExportOptions& options) {
  app.add_option("--tables", options.tables,
                 "Export only tables whose whole name matches one of these basic regular "
                 "expressions; upper and lower case are the same")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN,…");
  app.add_option("--times", options.times,
                 "Export only events inside of these times (in ns, or with units, as 1s2ms). A "
                 "colon at an end lets events cross it")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("[:]START/END[:],…");
  add_bool(app, "--ts-normalize", options.normalize,
           "Count times from 1970 in UTC, not from the session's start");
  app.add_option("--ts-shift", options.shift, "Add this to all times, in ns; may be negative")
      ->type_name("NS")
      ->capture_default_str();
  add_align_option(app, options.align,
                   "Put the times of several reports on one clock, which begins with the first of "
                   "them: clock (that of their machine; of several machines the wall clock), "
                   "collectives (the ends of collective operations), range:NAME (the first "
                   "NVTX range of this name starts at the same time in all). --times and "
                   "--filter-time count on it. Default: none, times of each report")
      ->type_name("clock|collectives|range:NAME|none");
  add_bool(app, "-l,--lazy", options.lazy,
           "Leave out tables without rows; with false, --type=sqlite has all tables of the schema");
  add_bool(app, "--include-json", options.json, "Export payloads of NVTX events in JSON");
  add_bool(app, "--include-blobs", options.blobs, "Export binary payloads of NVTX events");
  add_bool(
      app, "--separate-strings", options.separate_strings,
      "Leave out the texts beside ids in --type=json: each text is once in StringIds, in a line. "
      "jsonlines and text are always like that");
  add_filter_options(app, options.filters);
  app.add_option("--process", options.processes,
                 "Export only events of these processes, by number or program")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PID|PATTERN,…");
}

// Parses "1/8": rank 1 of 8.
void take_rank(const std::string& text, ExportOptions& options) {
  const char* end = text.data() + text.size();
  const auto [rank_end, error] = std::from_chars(text.data(), end, options.rank);
  bool is_valid = error == std::errc() && options.rank >= 0;
  options.world_size = options.rank + 1;
  if (is_valid && rank_end != end) {
    const auto [size_end, bad_size] = std::from_chars(rank_end + 1, end, options.world_size);
    is_valid = *rank_end == '/' && bad_size == std::errc() && size_end == end &&
               options.world_size > options.rank;
  }
  if (!is_valid) throw Failure("--rank: write RANK or RANK/SIZE, such as 1/8", kBadUsage);
}

}  // namespace

void add_export_options(CLI::App& app, ExportOptions& options) {
  add_destination(app, options);
  add_rows(app, options);
  app.add_option(
         "--samples", options.samples,
         "What to export: samples (cpu, python), or calls with their call chains, weighted by "
         "their time (osrt, cuda)")
      ->type_name("KIND");
  add_lines_option(app, options.lines);
  add_parsed(
      app, "--rank", [&options](const std::string& text) { take_rank(text, options); },
      "The rank of the report in a distributed program, for --type=chrome. Default: its position "
      "among the reports, from 0")
      ->type_name("RANK[/SIZE]");
  add_bool(app, "--ranks", options.ranks,
           "Write a file for each process with GPU work, as a rank of its own (--type=chrome)");
  app.add_option("--step", options.step,
                 "The NVTX range of a training step, in any domain and with any numbers: "
                 "--type=chrome calls it ProfilerStep#N, as PyTorch's profiler does")
      ->type_name("RANGE");
  add_range_of_option(app, options.range_of);
  add_choice(app, "--gpu-tracks", options.gpu_tracks,
             {{"plain", formats::GpuTracks::kPlain}, {"native", formats::GpuTracks::kNative}},
             "How --type=perfetto shows GPU work: plain, as rows with links from its calls; "
             "native, as Perfetto's GPU tracks")
      ->type_name("plain|native");
}

std::vector<ExportOptions> options_of(const std::vector<std::string>& reports,
                                      const ExportOptions& options) {
  std::vector<ExportOptions> result(reports.size(), options);
  if (options.align.empty()) return result;
  const ranks::ClockChoice choice = clock_choice(options.align);
  if (reports.size() < 2) throw Failure("--align needs several reports", kBadUsage);
  if (choice.by == ranks::AlignBy::kNone) return result;
  std::vector<std::string> paths;
  for (const std::string& name : reports) paths.push_back(find_report_file(name));
  const auto aligned = align_reports(paths, options.align);
  if (!options.quiet) print_alignment(aligned);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].clock = aligned.clocks[i];
    result[i].utc_start = aligned.utc_start.value_or(0);
  }
  return result;
}

}  // namespace prof::cli
