// prof completion: prints completion scripts, generated from the verbs and their options.
#include <fmt/format.h>

#include "cli/messages/failure.hpp"
#include "cli/options/error_option.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

struct OptionWords {
  std::vector<std::string> names;   // "-t", "--trace"
  bool takes_value = false;         // false if the value is optional
  std::vector<std::string> values;  // empty: a file, or anything
};

struct VerbWords {
  std::string name;
  std::string summary;
  bool takes_command = false;
  std::vector<OptionWords> options;
  std::vector<std::string> positionals;  // empty: files
};

OptionWords words_of(const Verb& verb, const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  const std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  words.takes_value = option.get_items_expected_min() > 0 && !is_bool_type(type);
  words.values = words_of_type(type);
  if (words.values.empty() && !words.names.empty())
    words.values = verb.words_of(words.names.back());
  return words;
}

std::vector<VerbWords> verb_words() {
  std::vector<VerbWords> result;
  for (const auto& verb : make_verbs()) {
    CLI::App app;
    verb->define(app);
    add_error_option(app);
    VerbWords words{verb->name(), verb->summary(), verb->takes_command(), {}, verb->words_of("")};
    for (const CLI::Option* option : app.get_options())
      if (!option->get_positional()) words.options.push_back(words_of(*verb, *option));
    result.push_back(std::move(words));
  }
  return result;
}

std::string all_names(const VerbWords& verb) {
  std::vector<std::string> names;
  for (const OptionWords& option : verb.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// Returns the part of the bash script for one verb.
std::string bash_case(const VerbWords& verb) {
  std::vector<std::string> with_value;
  std::string values;
  for (const OptionWords& option : verb.options) {
    if (option.takes_value)
      with_value.insert(with_value.end(), option.names.begin(), option.names.end());
    if (!option.values.empty())
      values += fmt::format("        {}) values=\"{}\" ;;\n", fmt::join(option.names, "|"),
                            fmt::join(option.values, " "));
  }
  return fmt::format(
      "    {})\n      options=\"{}\" with_value=\" {} \" others=\"{}\"\n"
      "      case \"$option\" in\n{}      esac ;;\n",
      verb.name, all_names(verb), fmt::join(with_value, " "),
      verb.takes_command ? "command" : fmt::format("{}", fmt::join(verb.positionals, " ")), values);
}

// zsh runs this script through bashcompinit. bash splits --name=value at the equals sign.
std::string bash_script() {
  std::string verbs;
  std::string cases;
  for (const VerbWords& verb : verb_words()) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    cases += bash_case(verb);
  }
  return fmt::format(R"(# Completion of prof; install it, or: source <(prof completion bash)
_prof() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local option="" options="" with_value="" others="" values="" before="" i word
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0} help --help --version" -- "$current"))
    [ -n "${{COMPREPLY[*]}}" ] || COMPREPLY=($(compgen -A file -- "$current"))
    return
  fi
  if [ "$current" = = ]; then
    option=$previous current=""
  elif [ "$previous" = = ]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  else
    option=$previous
  fi
  case "${{COMP_WORDS[1]}}" in
    help) COMPREPLY=($(compgen -W "{0}" -- "$current")); return ;;
{1}  esac
  # An option whose value is optional has it after a sign only.
  if [ "$option" = "$previous" ] && [ "${{COMP_WORDS[COMP_CWORD]}}" != = ]; then
    case "$with_value" in *" $option "*) ;; *) option="" values="" ;; esac
  fi
  if [ -n "$values" ]; then
    case "$current" in *,*) before="${{current%,*}}," current="${{current##*,}}" ;; esac
    COMPREPLY=($(compgen -P "$before" -W "$values" -- "$current"))
    return
  fi
  if [ -n "$option" ]; then
    COMPREPLY=($(compgen -A file -- "$current"))
    return
  fi
  if [ "$others" = command ]; then
    # After the program come its own arguments.
    for ((i = 2; i < COMP_CWORD; i++)); do
      word=${{COMP_WORDS[i]}}
      case "$word" in
        =) i=$((i + 1)) ;;
        --) [ $((i + 1)) -eq "$COMP_CWORD" ] || others=""; break ;;
        -*) case "$with_value" in *" $word "*) [ "${{COMP_WORDS[i+1]}}" = = ] || i=$((i + 1)) ;; esac ;;
        *) others="" options=""; break ;;
      esac
    done
  fi
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      case "$others" in
        command) COMPREPLY=($(compgen -A command -A file -- "$current")) ;;
        "") COMPREPLY=($(compgen -A file -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$others" -- "$current")) ;;
      esac ;;
  esac
}}
complete -o filenames -F _prof prof
)",
                     verbs, cases);
}

std::string zsh_script() {
  return "#compdef prof\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script();
}

std::string fish_option(const VerbWords& verb, const OptionWords& option) {
  std::string line = fmt::format("complete -c prof -n '__fish_seen_subcommand_from {}'", verb.name);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.values.empty())
    line +=
        fmt::format(" {} -a '{}'", option.takes_value ? "-x" : "-f", fmt::join(option.values, " "));
  else if (option.takes_value)
    line += " -r";
  return line + '\n';
}

std::string fish_script() {
  std::string script = "# Completion of prof\n";
  for (const VerbWords& verb : verb_words()) {
    script += fmt::format("complete -c prof -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                          verb.summary);
    for (const OptionWords& option : verb.options) script += fish_option(verb, option);
    if (!verb.positionals.empty())
      script += fmt::format("complete -c prof -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                            verb.name, fmt::join(verb.positionals, " "));
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

  std::vector<std::string> words_of(const std::string& name) const override {
    return name.empty() ? std::vector<std::string>{"bash", "fish", "zsh"}
                        : std::vector<std::string>{};
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
