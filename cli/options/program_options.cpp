#include "cli/options/program_options.hpp"

#include <pwd.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/options/name_list.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

// Parses "A=B,C=D".
void parse_environment(const std::vector<std::string>& lists, session::SessionOptions& options) {
  for (const std::string& list : lists) {
    for (const std::string& item : split_names(list)) {
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Failure("--env-var " + item + ": write NAME=value", kBadUsage);
      options.environment.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    }
  }
}

void add_environment(CLI::App& app, session::SessionOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "-e,--env-var",
         [&options](const std::vector<std::string>& lists) { parse_environment(lists, options); },
         "Environment variables for the program")
      ->allow_extra_args(false)
      ->type_name("A=B,C=D");
  add_bool(app, "-n,--inherit-environment", options.inherit_environment,
           "Pass prof's environment to the program. false: pass only the variables of --env-var");
  add_choice(app, "--env-policy", options.features, wire::kFeatureRepairEnvironment,
             {{"repair", wire::kFeatureRepairEnvironment}, {"respect", 0}},
             "repair: if a child is started without prof's environment variables, add them, so "
             "that it is traced. respect: do not change the environment of children")
      ->type_name("repair|respect");
}

// nsys can run the program as another user. prof can do so only if it has all rights.
void check_user(const std::string& name) {
  const passwd* user = getpwnam(name.c_str());
  if (user == nullptr || user->pw_uid != geteuid())
    throw Failure("--run-as " + name +
                      ": run prof itself as that user (sudo -u USER prof ...): it needs no "
                      "administrator rights",
                  kBadUsage);
}

}  // namespace

void add_program_options(CLI::App& app, session::SessionOptions& options) {
  add_bool(app, "-w,--show-output", options.show_output,
           "Show stdout and stderr of the program. false: write them to the report only");
  add_environment(app, options);
  add_choice(app, "--wait", options.wait,
             {{"primary", session::Wait::kPrimary}, {"all", session::Wait::kAll}},
             "When to stop recording. primary: when the program exits. all: when the program and "
             "all its children have exited")
      ->type_name("primary|all");
  add_bool(app, "--trace-fork-before-exec", options.features, wire::kFeatureForks,
           "Trace children of fork from the start. false: trace them only after they exec");
  add_bool(app, "--rank-environment", options.sends_ranks,
           "Record which rank of a job each process is, from the variables that launchers set "
           "(torchrun, mpirun, srun, ...), and no others. false: read no variable");
  add_parsed(app, "--run-as", check_user,
             "The user who runs the program: only the one who runs prof")
      ->type_name("USER");
}

}  // namespace prof::cli
