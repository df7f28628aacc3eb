#include "cli/sessions/launched_program.hpp"

#include <stdlib.h>

#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/output_name.hpp"
#include "cli/output/left_over.hpp"
#include "cli/sessions/foreground_program.hpp"
#include "cli/sessions/session_client.hpp"
#include "collector/session/launch/outer_session.hpp"
#include "collector/session/preparation.hpp"

namespace prof::cli {

namespace {

// Returns the report's name of a flight recorder, or nothing.
std::optional<OutputName> flight_output(const LaunchRequest& request) {
  if (!request.options.flight.is_on()) return {};
  const std::string& given = request.launch.output;
  OutputName output = expand_output_name(given.empty() ? "report%n" : given);
  report_left_overs({output.absolute()});
  return output;
}

}  // namespace

void refuse_outer_prof() {
  if (session::is_inside_session())
    throw Failure(
        "this process is already being profiled by another prof. Use prof for the outer program "
        "or for the inner one, not for both.");
}

int run_in_session(const LaunchRequest& request, const std::vector<std::string>& command) {
  session::SessionOptions& options = request.options;
  options.command = command;
  const char* search_path = getenv("PATH");
  const auto program = take(
      session::inspect_program(command[0], search_path != nullptr ? search_path : "/bin:/usr/bin"));
  const session::Preload preload = take(session::find_preload(options, program));
  std::vector<std::string> warnings = request.notes;
  warnings.insert(warnings.end(), program.warnings.begin(), program.warnings.end());
  const std::optional<OutputName> output = flight_output(request);
  auto [client, answer] =
      SessionClient::open(request.launch.session, {{"verb", "launch"},
                                                   {"words", request.words},
                                                   {"defaults", request.defaults},
                                                   {"command", command},
                                                   {"features", options.features},
                                                   {"folder", current_folder()},
                                                   {"output", output ? output->absolute() : ""},
                                                   {"warnings", warnings}});
  for (const std::vector<std::string>& each : {options.warnings, warnings})
    for (const std::string& warning : each) print_message("prof: {}\n", warning);
  return run_in_foreground(options, preload, answer.at("directory").get<std::string>(), client);
}

}  // namespace prof::cli
