// prof cancel: ends a collection without a report.
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Cancel final : public Verb {
 public:
  const char* name() const override { return "cancel"; }
  const char* summary() const override { return "End a collection and drop what it recorded"; }

  void define(CLI::App& app) override {
    add_session(app, session_);
    app.footer("The programs go on.\nExample:\n  prof cancel --session=server");
  }

  int run(const std::vector<std::string>&) override {
    SessionClient::find(session_).ask({{"verb", "cancel"}});
    return 0;
  }

 private:
  SessionChoice session_;
};

}  // namespace

std::unique_ptr<Verb> make_cancel() { return std::make_unique<Cancel>(); }

}  // namespace prof::cli
