#include "cli/options/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

// The parts of an option word: "--name[=value]" or "-n[value]".
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

const CLI::Option& find_option(OptionSet& options, const std::string& name) {
  if (const CLI::Option* known = options.find(name)) return *known;
  throw Failure("unknown option " + name + suggestion(name, options.names()) + " (see --help)",
                kBadUsage, "unknown_option");
}

// True if the type has a part for a number, as PERIOD in "none|PERIOD".
bool has_number(const std::string& type) {
  return std::ranges::any_of(type, [](unsigned char c) { return std::isupper(c) != 0; });
}
bool is_number(const std::string& word) {
  return std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// True if the word may be the value of an option that can be without one.
bool may_be_value(const CLI::Option& option, const std::string& word) {
  if (is_bool_type(option.get_type_name()) && is_bool_word(in_lower_case(word))) return true;
  const std::vector<std::string> known = words_of_type(option.get_type_name());
  if (known.empty()) return !is_option_word(word);
  if (is_number(word) && has_number(option.get_type_name())) return true;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, ',');)
    if (std::find(known.begin(), known.end(), part) == known.end()) return false;
  return true;
}

// Returns the value of an option whose word, arguments[at], has none. Moves `at` to the next word
// if that word is the value.
std::string take_value(const CLI::Option& option, const std::string& name,
                       const std::vector<std::string>& arguments, std::size_t& at) {
  const std::string* next = at + 1 < arguments.size() ? &arguments[at + 1] : nullptr;
  const bool is_bool = is_bool_type(option.get_type_name());
  const bool needs_value = !is_bool && option.get_items_expected_min() > 0;
  if (next != nullptr && (needs_value || may_be_value(option, *next))) {
    ++at;
    return *next;
  }
  if (needs_value)
    throw Failure("option " + name + " needs a value (see --help)", kBadUsage, "missing_value");
  return is_bool ? "true" : "";
}

// Python writes the words True and False.
std::string normal_value(const CLI::Option& option, const std::string& value) {
  const std::string type = option.get_type_name();
  const std::string lower = in_lower_case(value);
  return is_bool_word(lower) && type.find('|') != std::string::npos ? lower : value;
}

class Splitter {
 public:
  Splitter(OptionSet& options, const std::string& verb, const std::vector<std::string>& arguments,
           bool takes_command)
      : options_(options), verb_(verb), arguments_(arguments), takes_command_(takes_command) {}

  SplitArguments split() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string& word = arguments_[at_];
      if (word == "--" || (takes_command_ && !is_option_word(word))) {
        take_rest(word == "--" ? at_ + 1 : at_);
        break;
      }
      if (is_option_word(word))
        take_option(word);
      else
        split_.options.push_back(word);
    }
    return std::move(split_);
  }

 private:
  void take_rest(std::size_t from) {
    auto& rest = takes_command_ ? split_.command : split_.options;
    if (!takes_command_ && from < arguments_.size()) rest.emplace_back("--");
    rest.insert(rest.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(from),
                arguments_.end());
  }

  void take_option(const std::string& word) {
    OptionWord option = take_apart(word);
    const NsysOption* of_nsys = find_nsys_option(verb_, option.name);
    if (of_nsys == nullptr || translate(*of_nsys, option)) take_known(std::move(option));
  }

  // Returns whether an option of prof replaces this one of nsys. If so, `option` becomes the option
  // of prof.
  bool translate(const NsysOption& of_nsys, OptionWord& option) {
    take_value_of_nsys(of_nsys, option);
    const NsysOption answer = answer_to(of_nsys, option.value);
    const std::string name = of_nsys.long_name();
    const std::string text = answer.text;
    switch (answer.answer) {
      case NsysAnswer::kNothing:
        return false;
      case NsysAnswer::kNote:
        add_note(name + ": " + text);
        return false;
      case NsysAnswer::kRefusal:
        throw Failure(name + ": " + text, kBadUsage);
      case NsysAnswer::kAlias:
        break;
    }
    const std::size_t star = text.find('*');
    if (star != std::string::npos)
      option = take_apart(text.substr(0, star) + option.value);
    else if (*answer.values != '\0')  // for certain values, whose meaning the text has
      option = take_apart(text);
    else
      option.name = text;
    return true;
  }

  void take_value_of_nsys(const NsysOption& of_nsys, OptionWord& option) {
    if (option.has_value || of_nsys.takes == NsysValue::kNone) return;
    const std::string* next = at_ + 1 < arguments_.size() ? &arguments_[at_ + 1] : nullptr;
    const bool is_switch = of_nsys.takes == NsysValue::kSwitch;
    const bool is_value = next != nullptr && !is_option_word(*next) &&
                          (!is_switch || is_bool_word(in_lower_case(*next)));
    if (is_value) ++at_;
    option.value = is_value ? *next : is_switch ? "true" : "";
    option.has_value = is_value || is_switch;
  }

  void add_note(const std::string& note) {
    if (std::ranges::find(split_.notes, note) == split_.notes.end()) split_.notes.push_back(note);
  }

  void take_known(OptionWord option) {
    const CLI::Option& known = find_option(options_, option.name);
    const std::string name = "--" + known.get_lnames().at(0);
    if (known.get_items_expected_max() == 0) {  // a flag; =value if it takes no or an optional one
      const bool is_long = option.name.starts_with("--");
      split_.options.push_back(is_long && option.has_value ? name + "=" + option.value : name);
      return;
    }
    if (!option.has_value) option.value = take_value(known, option.name, arguments_, at_);
    if (option.value.empty() && known.get_items_expected_min() > 0)
      // Two words, because CLI11 takes the next word as the value of "--name=".
      split_.options.insert(split_.options.end(), {name, ""});
    else
      split_.options.push_back(name + "=" + normal_value(known, option.value));
  }

  OptionSet& options_;
  const std::string& verb_;
  const std::vector<std::string>& arguments_;
  const bool takes_command_;
  std::size_t at_ = 0;
  SplitArguments split_;
};

}  // namespace

SplitArguments split_arguments(OptionSet& options, const std::string& verb,
                               const std::vector<std::string>& arguments, bool takes_command) {
  return Splitter(options, verb, arguments, takes_command).split();
}

void let_last_value_count(CLI::App& app) {
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void parse_options(CLI::App& app, const SplitArguments& split, const std::string& verb) {
  try {
    // The words are reversed, because CLI11 takes them from the back.
    app.parse(std::vector<std::string>(split.options.rbegin(), split.options.rend()));
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw Failure(std::string(error.what()) + " (see prof " + verb + " --help)", kBadUsage);
  }
}

}  // namespace prof::cli
