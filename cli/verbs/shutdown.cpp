// prof shutdown: ends a session.
#include "cli/options/capture_range_options.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Shutdown final : public Verb {
 public:
  const char* name() const override { return "shutdown"; }
  const char* summary() const override { return "End a session and its programs"; }

  void define(CLI::App& app) override {
    add_session(app, session_);
    kill_option_ = add_kill(app, kill_,
                            "The signal that ends the programs. none: they go on, and so do those "
                            "of prof attach by default");
    app.footer(
        "A collection ends too, and its report is written.\n"
        "Example:\n  prof shutdown --session=server --kill=none");
  }

  int run(const std::vector<std::string>&) override {
    const int signal = signal_number(kill_);
    SessionClient::find(session_).ask(
        {{"verb", "shutdown"}, {"signal", signal}, {"is_chosen", kill_option_->count() > 0}});
    return 0;
  }

 private:
  SessionChoice session_;
  std::string kill_ = "sigterm";
  CLI::Option* kill_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_shutdown() { return std::make_unique<Shutdown>(); }

}  // namespace prof::cli
