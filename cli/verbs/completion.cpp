// prof completion: prints completion scripts, generated from the verbs and their options.
#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

struct VerbWords {
  std::string name;
  std::string summary;
  std::string options;  // separated by blanks
};

std::vector<VerbWords> verb_words() {
  std::vector<VerbWords> result;
  for (const auto& verb : make_verbs()) {
    CLI::App app;
    verb->define(app);
    std::string options;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_snames()) options += " -" + name;
      for (const std::string& name : option->get_lnames()) options += " --" + name;
    }
    result.push_back({verb->name(), verb->summary(), options.empty() ? "" : options.substr(1)});
  }
  return result;
}

// zsh runs this script through bashcompinit.
std::string bash_script() {
  std::string verbs;
  std::string cases;
  for (const VerbWords& verb : verb_words()) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb.name, verb.options);
  }
  return fmt::format(R"(# Completion of prof; install it, or: source <(prof completion bash)
_prof() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -A command -A file -- "$current")) ;;
  esac
}}
complete -o default -F _prof prof
)",
                     verbs, cases);
}

std::string zsh_script() {
  return "#compdef prof\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script();
}

std::string fish_script() {
  std::string script = "# Completion of prof\n";
  for (const VerbWords& verb : verb_words()) {
    script += fmt::format("complete -c prof -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                          verb.summary);
    std::istringstream options(verb.options);
    for (std::string option; options >> option;) {
      const bool is_long = option.starts_with("--");
      script += fmt::format("complete -c prof -n '__fish_seen_subcommand_from {}' {} {}\n",
                            verb.name, is_long ? "-l" : "-s", option.substr(is_long ? 2 : 1));
    }
  }
  return script;
}

class Completion final : public Verb {
 public:
  const char* name() const override { return "completion"; }
  const char* summary() const override { return "Print the completion script of a shell"; }

  void define(CLI::App& app) override {
    app.add_option("shell", shell_, "bash, zsh or fish")->type_name("SHELL");
    app.footer("Example:\n  source <(prof completion bash)");
  }

  int run(const std::vector<std::string>&) override {
    if (shell_ == "bash")
      fmt::print("{}", bash_script());
    else if (shell_ == "zsh")
      fmt::print("{}", zsh_script());
    else if (shell_ == "fish")
      fmt::print("{}", fish_script());
    else
      throw Failure("name a shell: bash, zsh or fish", kBadUsage);
    return 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> make_completion() { return std::make_unique<Completion>(); }

}  // namespace prof::cli
