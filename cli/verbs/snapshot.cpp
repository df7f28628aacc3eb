// prof snapshot: writes the last seconds of a flight recorder as a report.
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/output_name.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/session/preparation.hpp"

namespace prof::cli {

namespace {

class SnapshotVerb final : public Verb {
 public:
  const char* name() const override { return "snapshot"; }
  const char* summary() const override { return "Write the last seconds of a flight recorder"; }

  void define(CLI::App& app) override {
    app.add_option("--session", session_.existing,
                   "The session, by its name. Default: the only one with a flight recorder")
        ->type_name("NAME");
    app.add_option("-o,--output", output_,
                   "Report to write, with %h, %q{VAR} and %n as in prof profile. Default: that of "
                   "the session, with a number")
        ->type_name("FILE");
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing report");
    app.footer(
        "The programs go on, and so does the recorder.\n"
        "Examples:\n"
        "  prof profile --flight-recorder=30s ./server &\n"
        "  prof snapshot -o slow");
  }

  int run(const std::vector<std::string>&) override {
    session::Message request{{"verb", "snapshot"}, {"overwrite", overwrite_}};
    std::optional<OutputName> output;
    if (!output_.empty()) {
      output.emplace(expand_output_name(output_));
      check(session::check_new_output(output->absolute(), overwrite_));
      request["output"] = output->absolute();
    }
    if (session_.existing.empty()) session_.existing = only_recorder();
    SessionClient::find(session_).ask(request);
    return 0;
  }

 private:
  static std::string only_recorder() {
    std::vector<std::string> names;
    for (const session::Message& each : describe_sessions())
      if (each.value("flight", false)) names.push_back(each.value("name", std::string()));
    if (names.empty())
      throw Failure("there is no flight recorder (prof profile --flight-recorder=30s starts one)");
    if (names.size() == 1) return names.front();
    std::string list;
    for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
    throw Failure("there are several flight recorders; choose one with --session: " + list);
  }

  SessionChoice session_;
  std::string output_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_snapshot() { return std::make_unique<SnapshotVerb>(); }

}  // namespace prof::cli
