#include "cli/report_steps.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/failure.hpp"
#include "cli/message.hpp"
#include "cli/progress.hpp"
#include "collector/ingest/report_builder.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

base::Result<ingest::BuildSummary> build(const ingest::Spool& spool, const std::string& output,
                                         bool overwrite,
                                         const std::optional<ingest::Window>& window) {
  auto writer = report::ReportWriter::create(output, overwrite);
  if (!writer) return tl::make_unexpected(writer.error());
  ProgressLine line("writing " + output);
  auto summary = ingest::build_report(
      spool, **writer, output, [&line](double fraction) { line.update(fraction); }, window);
  if (!summary) return summary;
  if (base::Status finished = (*writer)->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return summary;
}

constexpr std::size_t kMaxUntracedLines = 5;

void tell(const ingest::BuildSummary& summary, const std::string& output) {
  for (std::size_t i = 0; i < std::min(summary.untraced.size(), kMaxUntracedLines); ++i)
    spdlog::warn("{}", summary.untraced[i]);
  if (summary.untraced.size() > kMaxUntracedLines)
    spdlog::warn("{} more programs were not traced; DIAGNOSTIC_EVENT names them",
                 summary.untraced.size() - kMaxUntracedLines);
  if (summary.dropped > 0)
    spdlog::warn("{} events were lost; the report's DIAGNOSTIC_EVENT table says which and why",
                 summary.dropped);
  if (summary.corrupt_bytes > 0)
    spdlog::warn("{} bytes of damaged event data were skipped", summary.corrupt_bytes);
  print_message("Generated:\n\t{}\n", fs::absolute(output).string());
}

// report.db, 2: report.2.db
std::string numbered(const std::string& output, std::size_t number) {
  fs::path path(output);
  return path.replace_extension(fmt::format(".{}{}", number, fs::path(output).extension().string()))
      .string();
}

}  // namespace

std::vector<std::string> write_reports(const std::string& spool_path, const std::string& output,
                                       bool overwrite) {
  const auto keep = [&](const base::Error& error) {
    return Failure(fmt::format("{}; the recording is kept, save it with: prof recover {} -o OUTPUT",
                               error.message, spool_path));
  };
  const auto spool = ingest::Spool::open(spool_path);
  if (!spool) throw keep(spool.error());
  const auto parts = ingest::report_windows(*spool);
  if (!parts) throw keep(parts.error());
  std::vector<std::string> outputs;
  for (const auto& window : parts->windows) {
    outputs.push_back(parts->numbered ? numbered(output, outputs.size() + 1) : output);
    const auto summary = build(*spool, outputs.back(), overwrite, window);
    if (!summary) throw keep(summary.error());
    tell(*summary, outputs.back());
  }
  unlink(spool_path.c_str());
  if (outputs.empty())
    spdlog::warn("the program never entered the capture range; no report was written");
  return outputs;
}

}  // namespace prof::cli
