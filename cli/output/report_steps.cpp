#include "cli/output/report_steps.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/report_writing.hpp"
#include "cli/output/terminal.hpp"
#include "collector/ingest/report_builder.hpp"
#include "collector/spool/flight/flight_folder.hpp"
#include "collector/spool/flight/living_recorder.hpp"
#include "collector/spool/flight/snapshot_file.hpp"
#include "collector/spool/spool_path.hpp"
#include "common/base/log.hpp"
#include "common/base/scratch_memory.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text/shell_word.hpp"
#include "common/report/report_reader.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

using Writer = std::unique_ptr<report::ReportWriter>;

// True if a report in memory takes only a few MB.
bool is_small(int file) {
  constexpr off_t kSmall = 1 << 20;
  struct stat info {};
  return fstat(file, &info) == 0 && info.st_size <= kSmall;
}

base::Result<Writer> create_writer(const std::string& output, bool overwrite,
                                   std::pmr::memory_resource& memory, Writer prepared) {
  if (prepared == nullptr) return report::ReportWriter::create(output, overwrite, &memory);
  prepared->set_output(output, overwrite);
  return prepared;
}

base::Result<ingest::BuildSummary> build(const spool::Spool& spool, const std::string& output,
                                         bool overwrite,
                                         const std::optional<ingest::Window>& window,
                                         std::pmr::memory_resource& memory, Writer prepared) {
  auto writer = create_writer(output, overwrite, memory, std::move(prepared));
  if (!writer) return tl::make_unexpected(writer.error());
  ProgressLine line("writing " + output);
  (*writer)->on_batch([&line](std::uint64_t rows) { line.update_rows(rows); });
  auto summary = ingest::build_report(
      spool, **writer, output, [&line](double fraction) { line.update(fraction); }, window);
  if (!summary) return summary;
  if (base::Status finished = (*writer)->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return summary;
}

constexpr std::size_t kMaxUntracedLines = 5;

void print_summary(const ingest::BuildSummary& summary, const std::string& output) {
  for (std::size_t i = 0; i < std::min(summary.untraced.size(), kMaxUntracedLines); ++i)
    base::log_warning("{}", summary.untraced[i]);
  if (summary.untraced.size() > kMaxUntracedLines)
    base::log_warning("{} more programs were not traced. Table DIAGNOSTIC_EVENT names them.",
                      summary.untraced.size() - kMaxUntracedLines);
  if (summary.dropped > 0)
    base::log_warning(
        "{} events were dropped. The report's table DIAGNOSTIC_EVENT says which and why.",
        summary.dropped);
  if (summary.corrupt_bytes > 0)
    base::log_warning("{} bytes of damaged event data were skipped", summary.corrupt_bytes);
  print_message("Generated:\n\t{}\n", fs::absolute(output).string());
}

bool copy_file(int from, int to) {
  off_t at = 0;
  ssize_t bytes;
  while ((bytes = sendfile(to, from, &at, std::size_t{1} << 24)) > 0) {
  }
  return bytes == 0;
}

// Returns the name of the recording. If somebody has deleted it, copies the recording, which exists
// as long as `file` is open, to the folder of temporary files. Returns an empty name if that fails.
std::string kept_name(int file, const std::string& name) {
  struct stat here {};
  struct stat there {};
  if (fstat(file, &here) == 0 && stat(name.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
      here.st_dev == there.st_dev)
    return name;
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / fs::path(name).filename()).string();
  if (error) return "";
  constexpr std::size_t suffix = sizeof spool::kSpoolSuffix - 1;
  path.insert(path.size() - suffix, "-XXXXXX");
  const base::UniqueFd copy(mkstemps(path.data(), static_cast<int>(suffix)));
  if (!copy) return "";
  if (copy_file(file, copy.get())) return path;
  unlink(path.c_str());
  return "";
}

// Returns report.2.db for report.db and 2.
std::string numbered(const std::string& output, std::size_t number) {
  fs::path path(output);
  return path.replace_extension(fmt::format(".{}{}", number, fs::path(output).extension().string()))
      .string();
}

// The recording stays. The message says how to make the report later, unless that is what has just
// failed.
Failure kept(const base::Error& error, int file, const std::string& spool_path, bool is_recovery) {
  const std::string name = kept_name(file, spool_path);
  if (name.empty())
    return Failure(error.message + ". The recording was deleted and cannot be recovered.");
  if (is_recovery)
    return Failure(fmt::format("{}. The recording is kept: {}", error.message, name));
  return Failure(
      fmt::format("{}. The recording is kept. To make the report: prof recover {} -o OUTPUT",
                  error.message, name));
}

using Names = std::vector<std::string>;

base::Result<Names> build_all(int file, const std::string& spool_path, const std::string& output,
                              bool overwrite, ReportWriting& writing, ReportInputs inputs) try {
  if (!is_small(file)) inputs.writer.reset();
  base::ScratchMemory memory(fs::absolute(output).parent_path().string());
  auto spool = spool::Spool::open(file, spool_path, &memory);
  if (!spool) return tl::make_unexpected(spool.error());
  if (inputs.session) spool->notes.set_session(std::move(*inputs.session));
  const auto parts = ingest::report_windows(*spool);
  if (!parts) return tl::make_unexpected(parts.error());
  if (parts->is_empty) print_message("prof: {}\n", inputs.why_empty);
  Names outputs = report_names(*parts, output);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!overwrite && is_report_of(*spool, parts->windows[i], outputs[i])) {
      print_message("prof: {} is a report of this recording already\n", outputs[i]);
      continue;
    }
    writing.begin(base::temporary_name(outputs[i]));
    const auto summary =
        build(*spool, outputs[i], overwrite, parts->windows[i], memory, std::move(inputs.writer));
    if (!summary) return tl::make_unexpected(summary.error());
    if (inputs.is_announced) print_summary(*summary, outputs[i]);
  }
  if (const std::uint64_t bytes = spool->ignored_bytes + spool->notes.damaged_bytes(); bytes > 0)
    base::log_warning("{} bytes of {} were damaged and skipped", bytes, spool_path);
  return outputs;
} catch (const std::exception& error) {
  return base::fail(std::string("internal error: ") + error.what());
}

Names write_all(const base::UniqueFd& file, const std::string& spool_path,
                const std::string& output, bool overwrite,
                std::unique_ptr<session::Signals> signals, ReportInputs inputs, bool is_recovery) {
  ReportWriting writing(spool_path, std::move(signals));
  const auto outputs =
      build_all(file.get(), spool_path, output, overwrite, writing, std::move(inputs));
  if (!outputs) throw kept(outputs.error(), file.get(), spool_path, is_recovery);
  writing.finish();
  unlink(spool_path.c_str());
  return *outputs;
}

std::optional<spool::FlightNote> unfinished_flight(int file, const std::string& path) {
  const auto spool = spool::Spool::open(file, path);
  return spool ? spool::unfinished_flight(*spool) : std::nullopt;
}

}  // namespace

bool is_report_of(const spool::Spool& spool, const std::optional<ingest::Window>& window,
                  const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  auto reader = report::ReportReader::open(path);
  if (!reader) return false;
  auto query = reader->prepare("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
  if (!query) return false;
  const auto row = query->step();
  const std::int64_t start = ingest::start_realtime(spool, window);
  return row && *row && start != 0 && query->integer(0) == start;
}

std::vector<std::string> report_names(const ingest::ReportWindows& parts,
                                      const std::string& output) {
  Names names;
  for (std::size_t i = 0; i < parts.windows.size(); ++i)
    names.push_back(parts.numbered ? numbered(output, i + 1) : output);
  return names;
}

std::vector<std::string> write_reports(const base::UniqueFd& file, const std::string& spool_path,
                                       const std::string& output, bool overwrite,
                                       std::unique_ptr<session::Signals> signals,
                                       ReportInputs inputs) {
  return write_all(file, spool_path, output, overwrite, std::move(signals), std::move(inputs),
                   false);
}

std::vector<std::string> write_recovered(const base::UniqueFd& file, const std::string& spool_path,
                                         const std::string& output, bool overwrite) {
  const auto flight = unfinished_flight(file.get(), spool_path);
  if (!flight) return write_all(file, spool_path, output, overwrite, nullptr, {}, true);
  const auto files = spool::FlightFolder::open_of_others(flight->folder);
  if (!files)
    throw Failure(
        fmt::format("{}: the flight recorder kept its events in {}, which is gone: the "
                    "machine was restarted, or that was in another container ({})",
                    spool_path, flight->folder, files.error().message));
  const std::string whole = spool::spool_path(output + ".recovered");
  base::UniqueFd recording;
  {
    auto to = spool::SpoolWriter::create(whole);
    if (!to) throw Failure(to.error().message);
    recording = to->duplicate();
    const std::vector<spool::SnapshotCause> causes{
        {.text = "The flight recorder's prof was killed.", .trigger = "killed"}};
    if (const auto written = spool::write_kept(*to, *files, flight->window, causes); !written) {
      unlink(whole.c_str());
      throw Failure(written.error().message);
    }
  }
  Names reports = write_all(recording, whole, output, overwrite, nullptr, {}, true);
  spool::FlightFolder::remove(flight->folder);
  unlink(spool_path.c_str());
  return reports;
}

void print_next_command(const std::vector<std::string>& reports) {
  if (reports.empty() || !is_terminal(STDERR_FILENO)) return;
  print_message("Next: prof analyze {}\n", base::shell_word(reports.front()));
}

}  // namespace prof::cli
