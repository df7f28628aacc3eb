// prof status: what can be collected here, and why not.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/verbs.hpp"
#include "cli/version.hpp"
#include "collector/session/capabilities.hpp"

namespace prof::cli {

namespace {

class Status final : public Verb {
 public:
  const char* name() const override { return "status"; }
  const char* summary() const override { return "Show what can be collected on this machine"; }

  void define(CLI::App& app) override {
    app.add_flag("-e,--environment", environment_,
                 "Accepted for nsys's sake: what it asks for is always shown");
    app.add_flag("--json", json_, "As JSON, for scripts");
    app.footer("Examples:\n  prof status\n  prof status --json | jq '.cuda.available'");
  }

  int run(const std::vector<std::string>&) override {
    const auto capabilities = session::capabilities();
    if (json_) {
      nlohmann::ordered_json document{{"version", kVersion}};
      for (const auto& capability : capabilities)
        document[capability.name] = {{"available", capability.available},
                                     {"detail", capability.detail}};
      fmt::print("{}\n", document.dump(2));
      return 0;
    }
    fmt::print("prof {}\n", kVersion);
    for (const auto& capability : capabilities)
      fmt::print("  {:<8} {:<4} {}\n", capability.name, capability.available ? "yes" : "no",
                 capability.detail);
    return 0;
  }

 private:
  bool environment_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_status() { return std::make_unique<Status>(); }

}  // namespace prof::cli
