#include "cli/options/option_kinds.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

void set_bits(std::uint32_t& bits, std::uint32_t mask, std::uint32_t value) {
  bits = (bits & ~mask) | value;
}

// The validator has no description, because CLI11 would append it to the type name.
CLI::Validator is_true_or_false(bool or_auto) {
  return CLI::Validator(
      [or_auto](const std::string& value) {
        if (is_bool_word(value) || (or_auto && value == "auto")) return std::string();
        return value + (or_auto ? " is not auto, true or false" : " is neither true nor false");
      },
      std::string());
}

CLI::Option* add_switch(CLI::App& app, const std::string& names, bool initial,
                        const std::function<void(bool)>& set, const std::string& help) {
  return add_parsed(
             app, names, [set](const std::string& value) { set(value == "true"); }, help)
      ->check(is_true_or_false(false))
      ->type_name(kBoolType)
      ->default_str(initial ? "true" : "false");
}

}  // namespace

bool is_bool_word(const std::string& word) { return word == "true" || word == "false"; }

bool is_bool_type(const std::string& type) { return type == kBoolType || type == kAutoBoolType; }

std::vector<std::string> words_of_type(const std::string& type) {
  std::vector<std::string> words;
  if (type.find('|') == std::string::npos) return words;
  // CLI11 appends the words that a check takes: "auto|fp:{auto,fp}".
  std::istringstream parts(type.substr(0, std::min(type.find('['), type.find(":{"))));
  for (std::string part; std::getline(parts, part, '|');)
    if (!part.empty() && std::isupper(static_cast<unsigned char>(part[0])) == 0)
      words.push_back(part);
  return words;
}

CLI::Option* add_parsed(CLI::App& app, const std::string& names,
                        const std::function<void(const std::string&)>& take,
                        const std::string& help) {
  return app.add_option_function<std::string>(names, take, help);
}

CLI::Option* add_filled(CLI::App& app, const std::string& name, std::string& target,
                        const std::string& help) {
  const auto take = [&target, name](const std::string& text) {
    if (text.empty()) throw Failure(name + ": the value is empty", kBadUsage);
    target = text;
  };
  return add_parsed(app, name, take, help);
}

CLI::Option* add_nanoseconds(CLI::App& app, const std::string& names, std::uint64_t& target,
                             const std::string& help) {
  const std::string initial = std::to_string(target);
  const auto take = [&target, names](const std::string& text) {
    const char* end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, target);
        error != std::errc() || stop != end)
      throw Failure(names + ": " + text + " is not a number of nanoseconds (0 or more)", kBadUsage);
  };
  return add_parsed(app, names, take, help)->type_name("NS")->default_str(initial);
}

CLI::Option* add_bool(CLI::App& app, const std::string& names, bool& target,
                      const std::string& help) {
  return add_switch(
      app, names, target, [&target](bool value) { target = value; }, help);
}

CLI::Option* add_auto_bool(CLI::App& app, const std::string& names,
                           const std::function<void(const std::string&)>& take,
                           const std::string& help) {
  return add_parsed(app, names, take, help)
      ->check(is_true_or_false(true))
      ->type_name(kAutoBoolType)
      ->default_str("auto");
}

CLI::Option* add_bool(CLI::App& app, const std::string& names, std::uint32_t& bits,
                      std::uint32_t bit, const std::string& help) {
  return add_switch(
      app, names, (bits & bit) != 0,
      [&bits, bit](bool value) { set_bits(bits, bit, value ? bit : 0); }, help);
}

CLI::Option* add_choice(CLI::App& app, const std::string& names, std::uint32_t& bits,
                        std::uint32_t mask, const Choices<std::uint32_t>& choices,
                        const std::string& help) {
  std::vector<std::string> words;
  std::string initial;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    if (initial.empty() && value == (bits & mask)) initial = word;
  }
  const auto take = [&bits, mask, choices](const std::string& word) {
    for (const auto& [each, value] : choices)
      if (each == word) set_bits(bits, mask, value);
  };
  return add_parsed(app, names, take, help)->check(CLI::IsMember(words))->default_str(initial);
}

}  // namespace prof::cli
