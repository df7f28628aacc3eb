// prof launch: runs a program in a session, so that prof start and prof stop can record it.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cli/failure.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/message.hpp"
#include "cli/sessions/foreground_program.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/session/interactive/interactive_session.hpp"
#include "collector/session/launch/outer_session.hpp"
#include "collector/session/preparation.hpp"

namespace prof::cli {

namespace {

class Launch final : public Verb {
 public:
  const char* name() const override { return "launch"; }
  const char* summary() const override {
    return "Run a program that prof start and prof stop record";
  }
  bool takes_command() const override { return true; }

  void define(CLI::App& app) override {
    launch_.define(app);
    app.footer(
        "The program keeps this terminal. Nothing is recorded until prof start, from any terminal\n"
        "of the same user.\n"
        "Examples:\n"
        "  prof launch --session-new=server -t cuda,nvtx,osrt ./server --port 80\n"
        "  prof start --session=server -o peak && sleep 10 && prof stop --session=server\n"
        "The exit status is the program's, or 128 + the number of the signal that ended it.");
  }

  void take_words(const std::vector<std::string>& words) override { words_ = words; }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "--trace" ? trace_words() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) throw Failure("no program to launch (see prof launch --help)", kBadUsage);
    if (session::is_inside_session())
      throw Failure(
          "this process is already being profiled by another prof. Use prof for the outer program "
          "or for the inner one, not for both.");
    launch_.resolve();
    options_.command = command;
    const char* search_path = getenv("PATH");
    const auto program = take(session::inspect_program(
        command[0], search_path != nullptr ? search_path : "/bin:/usr/bin"));
    const session::Preload preload = take(session::find_preload(options_, program));
    auto [client, answer] = SessionClient::open(launch_.session, {{"verb", "launch"},
                                                                  {"words", words_},
                                                                  {"command", command},
                                                                  {"features", options_.features},
                                                                  {"folder", current_folder()},
                                                                  {"output", flight_output()},
                                                                  {"warnings", program.warnings}});
    for (const session::Words& warnings : {options_.warnings, program.warnings})
      for (const std::string& warning : warnings) print_message("prof: {}\n", warning);
    return run_in_foreground(options_, preload, answer.at("directory").get<std::string>(), client);
  }

 private:
  // The report of a flight recorder, or nothing.
  std::string flight_output() const {
    if (!options_.flight.is_on()) return "";
    const std::string name = launch_.output.empty() ? "report%n" : launch_.output;
    std::string output = std::filesystem::absolute(expand_output_name(name)).string();
    report_left_overs({output});
    return output;
  }

  session::SessionOptions options_;
  LaunchOptions launch_{options_};
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Verb> make_launch() { return std::make_unique<Launch>(); }

}  // namespace prof::cli
