#include "cli/output/options/job_window.hpp"

#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/output/options/align_option.hpp"

namespace prof::cli {

namespace {

std::vector<std::string> paths_of(const std::vector<ranks::PlannedReport>& reports) {
  std::vector<std::string> paths;
  for (const ranks::PlannedReport& each : reports) paths.push_back(each.path);
  return paths;
}

}  // namespace

JobWindow::JobWindow(const std::vector<std::string>& paths, const TableSettings& settings,
                     const std::string& align)
    : settings_(settings) {
  if (paths.size() == 1 && !align.empty())
    throw Failure("--align needs several reports", kBadUsage);
  if (paths.size() < 2 || (align.empty() && !settings.has_time_window())) return;
  ranks::AlignedReports aligned = align_reports(paths, align);
  if (!settings.quiet()) print_alignment(aligned);
  clock_ = {paths, clock_choice(align), std::move(aligned)};
}

JobWindow::JobWindow(const std::vector<ranks::PlannedReport>& reports,
                     const TableSettings& settings, const std::string& align)
    : JobWindow(paths_of(reports), settings, align) {}

events::EventFilter JobWindow::prepare(const report::ReportReader& reader,
                                       const events::EventFilter& more) const {
  return settings_.prepare(reader, more, {}, clock_.of(reader.path()));
}

}  // namespace prof::cli
