// prof view: shows the timeline of reports in a browser.
#include <fmt/format.h>

#include <cstdio>

#include "cli/failure.hpp"
#include "cli/output/report_access.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/view/http/server.hpp"
#include "exporters/view/http/token.hpp"

namespace prof::cli {

namespace {

class View final : public Verb {
 public:
  const char* name() const override { return "view"; }
  const char* summary() const override { return "Show the timeline of a report in a browser"; }

  void define(CLI::App& app) override {
    app.add_option("reports", reports_, "Reports of prof, or SQLite files that nsys exported")
        ->type_name("FILE…");
    app.add_option("--port", port_, "Port to listen on. Default: one that is free")
        ->type_name("PORT");
    app.add_option("--allow-host", allowed_hosts_,
                   "Answer under this host name, too: the HOST:PORT that the browser shows, for "
                   "example if ssh -L has another port here than there. Can be repeated")
        ->allow_extra_args(false)
        ->type_name("HOST[:PORT]");
    app.footer(
        "Examples:\n"
        "  prof view report1.db");
  }

  int run(const std::vector<std::string>&) override {
    if (reports_.empty()) throw Failure("no report given (see prof view --help)", kBadUsage);
    view::Sources sources;
    for (const std::string& name : reports_) {
      const std::string path = find_report_file(name);
      open_report(path, false);
      sources.reports.push_back(take(view::ServedReport::open(path)));
    }
    const view::Answers answers(std::move(sources));
    const std::string token = take(view::make_token());
    const auto server = take(view::Server::listen({port_, token, allowed_hosts_}, answers));
    fmt::print("http://127.0.0.1:{}/{}/\n", server->port(), token);
    std::fflush(stdout);
    server->run();
    return 0;
  }

 private:
  std::vector<std::string> reports_;
  std::uint16_t port_ = 0;
  std::vector<std::string> allowed_hosts_;
};

}  // namespace

std::unique_ptr<Verb> make_view() { return std::make_unique<View>(); }

}  // namespace prof::cli
