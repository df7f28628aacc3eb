#include "cli/options/arguments.hpp"

#include <algorithm>
#include <sstream>

#include "cli/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

// One option word taken apart: "--name[=value]" or "-n[value]".
struct OptionWord {
  std::string name;  // with its dashes
  std::string value;
  bool has_value;
};

OptionWord take_apart(const std::string& word) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return {word, "", false};
    return {word.substr(0, equals), word.substr(equals + 1), true};
  }
  std::string value = word.substr(2);
  const bool has_value = !value.empty();
  if (value.starts_with('=')) value.erase(0, 1);
  return {word.substr(0, 2), value, has_value};
}

bool is_option_word(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// An option of nsys that prof does not have. A similar name of prof's would be another thing. Only
// the value that asks for what prof does anyway is accepted.
void check_nsys_option(const NsysOption& known, const OptionWord& option,
                       const std::vector<std::string>& arguments, std::size_t& at) {
  std::string value = option.value;
  if (!option.has_value && at + 1 < arguments.size() && !is_option_word(arguments[at + 1]))
    value = arguments[++at];
  if (known.accepted != nullptr && value == known.accepted) return;
  throw Failure(std::string(known.name) + ": " + known.why, kBadUsage);
}

const CLI::Option& find_option(OptionSet& options, const std::string& name) {
  if (const CLI::Option* known = options.find(name)) return *known;
  throw Failure("unknown option " + name + suggestion(name, options.names()) + " (see --help)",
                kBadUsage);
}

// May the word be the value of an option that can be without one?
bool may_be_value(const CLI::Option& option, const std::string& word) {
  const std::vector<std::string> known = words_of_type(option.get_type_name());
  if (known.empty()) return !is_option_word(word);
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, ',');)
    if (std::find(known.begin(), known.end(), part) == known.end()) return false;
  return true;
}

// The value of an option that has none in its own word, which is arguments[at]. Moves `at` to the
// next word if that is the value.
std::string take_value(const CLI::Option& option, const std::string& name,
                       const std::vector<std::string>& arguments, std::size_t& at) {
  const std::string* next = at + 1 < arguments.size() ? &arguments[at + 1] : nullptr;
  const bool is_bool = is_bool_type(option.get_type_name());
  const bool needs_value = !is_bool && option.get_items_expected_min() > 0;
  if (next != nullptr && (needs_value || may_be_value(option, *next))) {
    ++at;
    return *next;
  }
  if (needs_value) throw Failure("option " + name + " needs a value (see --help)", kBadUsage);
  return is_bool ? "true" : "";
}

}  // namespace

SplitArguments split_arguments(OptionSet& options, const std::vector<std::string>& arguments,
                               bool takes_command) {
  SplitArguments split;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--" || (takes_command && !is_option_word(word))) {
      const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(word == "--" ? i + 1 : i);
      auto& rest = takes_command ? split.command : split.options;
      if (!takes_command && first != arguments.end()) rest.emplace_back("--");
      rest.insert(rest.end(), first, arguments.end());
      break;
    }
    if (!is_option_word(word)) {
      split.options.push_back(word);
      continue;
    }
    OptionWord option = take_apart(word);
    const NsysOption* of_nsys = find_nsys_option(option.name);
    if (of_nsys != nullptr && options.find(option.name) == nullptr) {
      check_nsys_option(*of_nsys, option, arguments, i);
      continue;
    }
    const CLI::Option& known = find_option(options, option.name);
    const std::string name = "--" + known.get_lnames().at(0);
    if (known.get_items_expected_max() == 0) {  // a flag; --name=value if it takes one or none
      const bool is_long = option.name.starts_with("--");
      split.options.push_back(is_long && option.has_value ? name + "=" + option.value : name);
      continue;
    }
    if (!option.has_value) option.value = take_value(known, option.name, arguments, i);
    if (option.value.empty() && known.get_items_expected_min() > 0) {
      // CLI11 takes the next word as the value of "--name=".
      split.options.insert(split.options.end(), {name, ""});
      continue;
    }
    split.options.push_back(name + "=" + option.value);
  }
  return split;
}

void parse_options(CLI::App& app, const SplitArguments& split, const std::string& verb) {
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(split.options.rbegin(), split.options.rend()));
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw Failure(std::string(error.what()) + " (see prof " + verb + " --help)", kBadUsage);
  }
}

}  // namespace prof::cli
