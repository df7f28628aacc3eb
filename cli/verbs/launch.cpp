// prof launch: runs a program in a session, so that prof start and prof stop can record it.
#include "cli/messages/failure.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/sessions/launched_program.hpp"
#include "cli/verbs/verbs.hpp"

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

  // The notes go to the reports, too.
  void take_notes(const std::vector<std::string>& notes) override { notes_ = notes; }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "--trace" ? trace_words() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) throw Failure("no program to launch (see prof launch --help)", kBadUsage);
    refuse_outer_prof();
    launch_.resolve();
    return run_in_session({options_, launch_, words_, words_for_start(words_), notes_}, command);
  }

 private:
  session::SessionOptions options_;
  LaunchOptions launch_{options_};
  std::vector<std::string> words_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Verb> make_launch() { return std::make_unique<Launch>(); }

}  // namespace prof::cli
