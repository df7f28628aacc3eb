// prof sessions list: shows the sessions of this user.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/options/option_kinds.hpp"
#include "cli/sessions/session_client.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

using session::Message;

class Sessions final : public Verb {
 public:
  const char* name() const override { return "sessions"; }
  const char* summary() const override { return "List the sessions of this user"; }

  void define(CLI::App& app) override {
    app.add_option("command", command_, "list")->check(CLI::IsMember({"list"}))->type_name("list");
    add_bool(app, "-p,--show-header", show_header_, "Print the line of column names");
    app.add_flag("--json", json_, "Print JSON, for scripts");
    app.footer("Examples:\n  prof sessions list\n  prof sessions list --json | jq '.[].name'");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "command" ? std::vector<std::string>{"list"} : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>&) override {
    const std::vector<Message> sessions = describe_sessions();
    if (json_)
      print_json(sessions);
    else
      print_table(sessions);
    return 0;
  }

 private:
  static void print_json(const std::vector<Message>& sessions) {
    Message list = Message::array();
    for (Message each : sessions) {
      each.erase("status");
      list.push_back(std::move(each));
    }
    fmt::print("{}\n", list.dump(2));
  }

  void print_table(const std::vector<Message>& sessions) const {
    constexpr const char* kLine = "{:>9} {:>9} {:>11} {:>7}  {}\n";
    if (show_header_) fmt::print(kLine, "ID", "TIME", "STATE", "LAUNCH", "NAME");
    for (const Message& each : sessions) {
      const auto seconds = each.value("seconds", std::int64_t{0});
      fmt::print(kLine, each.value("id", 0), fmt::format("{:02}:{:02}", seconds / 60, seconds % 60),
                 each.value("state", std::string()), each.value("launches", 0),
                 each.value("name", std::string()));
    }
  }

  std::string command_ = "list";
  bool show_header_ = true;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_sessions() { return std::make_unique<Sessions>(); }

}  // namespace prof::cli
