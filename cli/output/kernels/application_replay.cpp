#include "cli/output/kernels/application_replay.hpp"

#include <fmt/format.h>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/report_steps.hpp"
#include "collector/session/recording.hpp"
#include "common/base/held/temporary_places.hpp"
#include "common/report/appended_warning.hpp"
#include "common/report/joined_runs.hpp"
#include "common/report/report_reader.hpp"

namespace prof::cli {

namespace {

constexpr const char* kFolderPrefix = "/prof-runs-";

// Returns how many runs the profiles of the first one need.
std::int64_t runs_of(const std::string& report) {
  const auto reader = take(report::ReportReader::open(report));
  if (!reader.has_table("PROF_KERNEL_PASSES")) return 1;
  auto passes =
      take(reader.prepare("SELECT MAX(passes) FROM PROF_KERNEL_PROFILES WHERE status = 'ok'"));
  return take(passes.step()) ? passes.integer(0) : 1;
}

void warn(const std::string& report, const std::string& text) {
  print_message("prof: {}\n", text);
  report::append_warning(report, text);
}

}  // namespace

ApplicationReplay::ApplicationReplay()
    : folder_(take(base::PrivateFolder::create(base::place_for_large_files() + kFolderPrefix))) {}

std::string ApplicationReplay::plan_of_run(const std::string& plan, std::int64_t run) const {
  return fmt::format("{}images {}\nrun {}\n", plan, folder_.path(), run);
}

// Returns false if no further run makes sense.
bool ApplicationReplay::make_pass(session::SessionOptions& options, const std::string& report,
                                  std::int64_t run, std::int64_t runs) const {
  print_message("prof: run {} of {}\n", run + 1, runs);
  options.output = folder_.path() + "/run.db";
  options.overwrite = true;
  auto recording = take(session::record(
      options, [](auto&) { return 0; }, [] {}));
  ReportInputs inputs;
  inputs.session = std::move(recording.session);
  inputs.is_announced = false;
  write_reports(recording.file, recording.spool, recording.output, true,
                std::move(recording.signals), std::move(inputs));
  if (recording.exit_status != 0) {
    warn(report, fmt::format("Run {} of the program ended with status {}, the first one with 0. "
                             "Its pass and those after it are missing.",
                             run + 1, recording.exit_status));
    return false;
  }
  const std::int64_t differ = take(report::join_run(report, recording.output, run));
  if (differ != 0)
    warn(report, fmt::format("Run {} of the program differs from the first one: {} of its launches "
                             "were not counted. What needs their passes has no values.",
                             run + 1, differ));
  return true;
}

void ApplicationReplay::make_further_passes(session::SessionOptions options,
                                            const std::string& plan, const std::string& report,
                                            int status) const {
  const std::int64_t runs = runs_of(report);
  if (runs == 1) return;
  if (status != 0)
    warn(report, fmt::format("The program ended with status {}, so it is not run again for {} more "
                             "passes.",
                             status, runs - 1));
  for (std::int64_t run = 1; status == 0 && run < runs; ++run) {
    options.kernel_plan = plan_of_run(plan, run);
    if (!make_pass(options, report, run, runs)) break;
  }
  take(report::note_missing_runs(report));
}

}  // namespace prof::cli
