#include "cli/options/recording/hook_options.hpp"

#include <cstdio>
#include <filesystem>

#include "cli/messages/message.hpp"
#include "collector/session/control/user_command.hpp"

namespace prof::cli {

namespace {

constexpr const char* kHookGroup = "Hooks";

}  // namespace

void add_hook_options(CLI::App& app, session::HookOptions& options) {
  app.add_option("--after-collection-start", options.after_collection_start,
                 "Run this command of the shell when a collection has begun. Empty: none")
      ->type_name("COMMAND")
      ->group(kHookGroup);
  app.add_option(
         "--after-report-ready", options.after_report_ready,
         "Run this command of the shell for each report that has been written; its path is "
         "in NSYS_REPORT_PATH and PROF_REPORT_PATH, the program's status in PROF_EXIT_STATUS. "
         "Empty: none")
      ->type_name("COMMAND")
      ->group(kHookGroup);
}

void run_after_reports(const session::HookOptions& options, const std::string& session,
                       const std::vector<std::string>& reports, const std::string& exit_status) {
  if (options.after_report_ready.empty()) return;
  std::fflush(nullptr);
  for (const std::string& report : reports) {
    std::error_code ignored;
    const int status = session::run_user_command(
        {options.after_report_ready, session::kReportReady, session,
         std::filesystem::absolute(report, ignored).string(), exit_status});
    if (status != 0) print_message("prof: --after-report-ready ended with status {}\n", status);
  }
}

}  // namespace prof::cli
