// prof stop: ends a collection and waits for its report.
#include "cli/options/recording/order_options.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Stop final : public Verb {
 public:
  const char* name() const override { return "stop"; }
  const char* summary() const override { return "End a collection and write its report"; }

  void define(CLI::App& app) override {
    add_session(app, session_);
    app.add_option("--keep", keep_, "Keep only the last SECONDS of what was collected. 0: all")
        ->type_name("SECONDS")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    add_job_order(app, order_);
    app.footer(
        "The programs go on.\nExamples:\n  prof stop\n  prof stop --session=server --keep 2.5");
  }

  int run(const std::vector<std::string>&) override {
    if (!order_.job.empty()) return order_job(order_, session::OrderKind::kStop);
    SessionClient::find(session_).ask({{"verb", "stop"}, {"keep", keep_}});
    return 0;
  }

 private:
  SessionChoice session_;
  double keep_ = 0;
  OrderOptions order_;
};

}  // namespace

std::unique_ptr<Verb> make_stop() { return std::make_unique<Stop>(); }

}  // namespace prof::cli
