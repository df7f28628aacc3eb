// prof skill: prints the skill file, which tells agents how to use prof.
#include <fmt/format.h>

#include "cli/documents/documents.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Skill final : public Verb {
 public:
  const char* name() const override { return "skill"; }
  const char* summary() const override { return "Print how coding agents use prof (SKILL.md)"; }

  void define(CLI::App& app) override {
    app.footer(
        "Examples:\n"
        "  prof skill\n"
        "  mkdir -p .claude/skills/prof && prof skill > .claude/skills/prof/SKILL.md");
  }

  int run(const std::vector<std::string>&) override {
    fmt::print("{}", find_document("SKILL.md"));
    return 0;
  }
};

}  // namespace

std::unique_ptr<Verb> make_skill() { return std::make_unique<Skill>(); }

}  // namespace prof::cli
