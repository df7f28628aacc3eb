// prof mcp: reports for agents, through the Model Context Protocol on stdin and
// stdout.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/client_reports.hpp"
#include "cli/mcp/prompts.hpp"
#include "cli/mcp/resources.hpp"
#include "cli/mcp/tools.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/name_list.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "exporters/analysis/query/sandbox.hpp"
#include "exporters/mcp/line_reader.hpp"
#include "exporters/mcp/protocol.hpp"

namespace prof::cli {

namespace {

constexpr const char* kWhat[] = {"home", "paths", "hosts", "args", "none"};

class Mcp final : public Verb {
 public:
  const char* name() const override { return "mcp"; }
  const char* summary() const override {
    return "Serve reports to agents (Model Context Protocol, stdin and stdout)";
  }

  void define(CLI::App& app) override {
    app.add_option("report", roots_,
                   "Reports and folders that clients may read. Default: the "
                   "working directory")
        ->type_name("FILE…");
    app.add_option("--redact", redact_,
                   "What to hide in answers: home (home directories), paths (folders of paths), "
                   "hosts (names of machines), args (arguments of the program), none; separated by "
                   "commas")
        ->type_name("LIST")
        ->capture_default_str();
    app.footer(
        "Examples:\n"
        "  prof mcp reports/\n"
        "  prof mcp --redact=paths,hosts,args reports/\n"
        "  claude mcp add prof -- prof mcp /home/me/reports\n"
        "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | "
        "prof mcp .");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name != "--redact") return {};
    return {kWhat, kWhat + std::size(kWhat)};
  }

  int run(const std::vector<std::string>&) override {
    constexpr std::int64_t kMaxMemory = 256 << 20;  // of SQLite
    query::limit_memory(kMaxMemory);
    if (roots_.empty()) roots_.emplace_back(".");
    const ClientReports reports(take(mcp::Roots::open(roots_)), hidden());
    const mcp::Server server(
        kVersion, {mcp_instructions(), mcp_tools(reports), mcp_resources(reports), mcp_prompts()});
    mcp::LineReader lines(std::cin);
    while (const auto line = lines.next()) {
      const auto answer = server.answer(line->text, line->stop);
      if (!answer) continue;
      fmt::print("{}\n", *answer);
      if (std::fflush(stdout) != 0) return kFailed;
    }
    return 0;
  }

 private:
  Hidden hidden() const {
    Hidden hidden{.homes = false};
    const std::vector<std::string> names = split_names(redact_);
    for (const std::string& each : names) {
      if (std::ranges::find(kWhat, std::string_view(each)) == std::end(kWhat))
        throw Failure("--redact: unknown word " + each +
                          suggestion(each, {std::begin(kWhat), std::end(kWhat)}),
                      kBadUsage);
      if (each == "none" && names.size() > 1)
        throw Failure("--redact: none and other words exclude each other", kBadUsage);
      hidden.homes |= each == "home";
      hidden.paths |= each == "paths";
      hidden.hosts |= each == "hosts";
      hidden.arguments |= each == "args";
    }
    return hidden;
  }

  std::vector<std::string> roots_;
  std::string redact_ = "home";
};

}  // namespace

std::unique_ptr<Verb> make_mcp() { return std::make_unique<Mcp>(); }

}  // namespace prof::cli
