// prof start: begins a collection in a session.
#include "cli/export/export_report.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/recording/order_options.hpp"
#include "cli/output/left_over.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Start final : public Verb {
 public:
  const char* name() const override { return "start"; }
  const char* summary() const override { return "Begin to record the programs of a session"; }

  void define(CLI::App& app) override {
    start_.define(app);
    add_job_order(app, order_);
    add_at(app, order_);
    app.footer(
        "Without a program in the session yet, the collection begins with the next prof launch.\n"
        "Examples:\n"
        "  prof start -o peak\n"
        "  prof start --job run/ --at +15s\n"
        "  prof start --at-step next:1000:5\n"
        "  prof start --session=server --sample=none -c cudaProfilerApi");
  }

  void take_words(const std::vector<std::string>& words) override {
    words_ = words;
    std::erase_if(words_, [](const std::string& word) { return word.starts_with("--at="); });
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "--export" ? export_type_names() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>&) override {
    if (start_.print_help()) return 0;
    start_.resolve();
    order_.steps = options_.ranges.at_step;
    if (order_.steps && !order_.at.empty())
      throw Failure("--at and --at-step contradict each other", kBadUsage);
    if (!order_.job.empty()) return order_job(order_, session::OrderKind::kStart);
    wait_until(order_);
    const OutputName name = expand_output_name(start_.output);
    const std::string output = name.absolute();
    report_left_overs({output});
    const auto opened =
        SessionClient::open(start_.session, {{"verb", "start"},
                                             {"words", words_},
                                             {"output", output},
                                             {"chooses_output", start_.output != kDefaultOutput},
                                             {"folder", current_folder()}});
    if (order_.steps) fmt::print("begins at {}\n", opened.answer.value("awaited", std::string()));
    return 0;
  }

 private:
  session::SessionOptions options_;
  StartOptions start_{options_};
  std::vector<std::string> words_;
  OrderOptions order_;
};

}  // namespace

std::unique_ptr<Verb> make_start() { return std::make_unique<Start>(); }

}  // namespace prof::cli
