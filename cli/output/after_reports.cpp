#include "cli/output/after_reports.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cli/messages/message.hpp"
#include "collector/session/control/user_command.hpp"
#include "common/report/appended_warning.hpp"

namespace prof::cli {

void run_after_reports(const session::HookOptions& options, const std::string& session,
                       const std::vector<std::string>& reports, const std::string& exit_status) {
  if (options.after_report_ready.empty()) return;
  std::fflush(nullptr);
  for (const std::string& report : reports) {
    std::error_code ignored;
    const std::string failure = session::run_user_command(
        {options.after_report_ready, session::kReportReady, session, options.timeout,
         std::filesystem::absolute(report, ignored).string(), exit_status});
    if (failure.empty()) continue;
    print_message("prof: {}\n", failure);
    report::append_warning(report, failure);
  }
}

}  // namespace prof::cli
