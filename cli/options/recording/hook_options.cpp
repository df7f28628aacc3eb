#include "cli/options/recording/hook_options.hpp"

#include <chrono>

#include "cli/options/option_kinds.hpp"
#include "cli/options/recording/time_options.hpp"

namespace prof::cli {

namespace {

constexpr const char* kHookGroup = "Hooks";

}  // namespace

void add_report_hook(CLI::App& app, session::HookOptions& options) {
  app.add_option(
         "--after-report-ready", options.after_report_ready,
         "Run this command of the shell for each report that has been written; its path is "
         "in NSYS_REPORT_PATH and PROF_REPORT_PATH, the program's status in PROF_EXIT_STATUS. "
         "Empty: none")
      ->type_name("COMMAND")
      ->group(kHookGroup);
  add_parsed(
      app, "--hook-timeout",
      [&options](const std::string& text) {
        options.timeout =
            std::chrono::ceil<std::chrono::milliseconds>(seconds_of(text, "--hook-timeout"));
      },
      "End such a command, and the processes that it has started, after SECONDS. 0: no limit")
      ->type_name("SECONDS")
      ->default_str("600")
      ->group(kHookGroup);
}

void add_hook_options(CLI::App& app, session::HookOptions& options) {
  app.add_option("--after-collection-start", options.after_collection_start,
                 "Run this command of the shell when a collection has begun. Empty: none")
      ->type_name("COMMAND")
      ->group(kHookGroup);
  add_report_hook(app, options);
}

}  // namespace prof::cli
