// prof mcp: reports for agents, through the Model Context Protocol on stdin and
// stdout.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "cli/mcp/tools.hpp"
#include "cli/messages/failure.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "exporters/analysis/query/sandbox.hpp"

namespace prof::cli {

namespace {

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
    app.footer(
        "Examples:\n"
        "  prof mcp reports/\n"
        "  claude mcp add prof -- prof mcp /home/me/reports\n"
        "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | "
        "prof mcp .");
  }

  int run(const std::vector<std::string>&) override {
    constexpr std::int64_t kMaxMemory = 256 << 20;  // of SQLite
    query::limit_memory(kMaxMemory);
    if (roots_.empty()) roots_.emplace_back(".");
    const mcp::Roots roots = take(mcp::Roots::open(roots_));
    const mcp::Server server(kVersion, mcp_instructions(), mcp_tools(roots));
    std::string line;
    while (std::getline(std::cin, line)) {
      if (line.empty()) continue;
      const auto answer = server.answer(line);
      if (!answer) continue;
      fmt::print("{}\n", *answer);
      if (std::fflush(stdout) != 0) return kFailed;
    }
    return 0;
  }

 private:
  std::vector<std::string> roots_;
};

}  // namespace

std::unique_ptr<Verb> make_mcp() { return std::make_unique<Mcp>(); }

}  // namespace prof::cli
