// prof status: shows what can be collected on this machine, which OS-runtime functions are traced,
// and the GPUs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/messages/failure.hpp"
#include "cli/output/gpu_table.hpp"
#include "cli/output/osrt_functions.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/session/launch/capabilities.hpp"

namespace prof::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 100;

void print_capabilities() {
  fmt::print("prof {}\n", kVersion);
  for (const auto& capability : session::capabilities())
    fmt::print("  {:<8} {:<4} {}\n", capability.name, capability.available ? "yes" : "no",
               capability.detail);
}

Json capabilities_as_json() {
  Json document{{"version", kVersion}};
  for (const auto& capability : session::capabilities())
    document[capability.name] = {{"available", capability.available},
                                 {"detail", capability.detail}};
  return document;
}

void print_group(const FunctionGroup& group) {
  fmt::print("{} ({})\n", group.title, group.functions.size());
  std::string line = " ";
  for (const auto& function : group.functions) {
    if (line.size() + 1 + function.size() > kLineWidth) {
      fmt::print("{}\n", line);
      line = " ";
    }
    line += " " + function;
  }
  fmt::print("{}\n", line);
}

Json functions_as_json() {
  Json document{{"version", kVersion}, {"osrt", Json::array()}};
  for (const auto& group : osrt_functions())
    document["osrt"].push_back(
        {{"group", group.name}, {"title", group.title}, {"functions", group.functions}});
  return document;
}

void print_gpus(bool json) {
  const metrics::GpuTopology topology = take(metrics::find_gpus());
  fmt::print("{}", json ? metrics::describe_json(topology, {}, 2) + "\n" : gpu_table(topology));
}

class Status final : public Verb {
 public:
  const char* name() const override { return "status"; }
  const char* summary() const override { return "Show what can be collected on this machine"; }

  void define(CLI::App& app) override {
    app.add_flag("-e,--environment", environment_,
                 "Accepted for compatibility with nsys; no effect");
    app.add_option("--session", session_, "Print the state of this session instead")
        ->type_name("NAME");
    app.add_flag("--osrt", osrt_, "List the functions that -t osrt traces, by group");
    app.add_flag("--gpus", gpus_,
                 "Show the GPUs, how they are connected, and what prof can measure on each");
    app.add_flag("--json", json_, "Print JSON, for scripts");
    app.footer(
        "Examples:\n  prof status\n  prof status --json | jq '.cuda.available'\n"
        "  prof status --osrt\n  prof status --gpus");
  }

  int run(const std::vector<std::string>&) override {
    if (gpus_ + osrt_ + !session_.empty() > 1)
      throw Failure("choose one of --gpus, --osrt and --session", kBadUsage);
    if (gpus_)
      print_gpus(json_);
    else if (!session_.empty())
      print_session();
    else if (json_)
      fmt::print("{}\n", (osrt_ ? functions_as_json() : capabilities_as_json()).dump(2));
    else if (osrt_)
      for (const auto& group : osrt_functions()) print_group(group);
    else
      print_capabilities();
    return 0;
  }

 private:
  void print_session() const {
    const session::Message description =
        SessionClient::find({session_, {}}).ask({{"verb", "describe"}});
    if (json_)
      fmt::print("{}\n", description.dump(2));
    else
      fmt::print("{}\n", description.at("state").get<std::string>());
  }

  std::string session_;
  bool environment_ = false;
  bool osrt_ = false;
  bool gpus_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_status() { return std::make_unique<Status>(); }

}  // namespace prof::cli
