// Kinds of options that CLI11 does not have.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace prof::cli {

// The type name of boolean options, by which split_arguments() recognises them.
inline constexpr char kBoolType[] = "true|false";
inline constexpr char kAutoBoolType[] = "auto|true|false";

bool is_bool_word(const std::string& word);
bool is_bool_type(const std::string& type);

// Returns the words in a type name: auto and fp in "auto|fp", none in "none|SIGNAL", no word in
// "FILE".
std::vector<std::string> words_of_type(const std::string& type);

// Adds a boolean option as in nsys: `--name=true`, `--name true`, `-n true`, or just `--name`.
CLI::Option* add_bool(CLI::App& app, const std::string& names, bool& target,
                      const std::string& help);
// Adds a boolean option with a third value, "auto", which is the default. `take` gets the word.
CLI::Option* add_auto_bool(CLI::App& app, const std::string& names,
                           const std::function<void(const std::string&)>& take,
                           const std::string& help);
// Adds a boolean option that sets a bit of `bits`.
CLI::Option* add_bool(CLI::App& app, const std::string& names, std::uint32_t& bits,
                      std::uint32_t bit, const std::string& help);

// Adds an option for a number of nanoseconds.
CLI::Option* add_nanoseconds(CLI::App& app, const std::string& names, std::uint64_t& target,
                             const std::string& help);

// Adds an option whose value `take` parses; `take` throws Failure if the value is wrong.
CLI::Option* add_parsed(CLI::App& app, const std::string& names,
                        const std::function<void(const std::string&)>& take,
                        const std::string& help);

// Adds an option for a text that must not be empty, as that of an unset variable of a script.
CLI::Option* add_filled(CLI::App& app, const std::string& name, std::string& target,
                        const std::string& help);

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// Adds an option that takes one of several words. Each word stands for a value of `target`.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& target,
                        const std::type_identity_t<Choices<Value>>& choices,
                        const std::string& help) {
  std::vector<std::string> words;
  std::string initial;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    if (initial.empty() && value == target) initial = word;
  }
  const auto take = [&target, choices](const std::string& word) {
    for (const auto& [each, value] : choices)
      if (each == word) target = value;
  };
  return add_parsed(app, names, take, help)->check(CLI::IsMember(words))->default_str(initial);
}

// Adds an option that takes one of several words. Each word stands for a value of the bits of
// `bits` that are in `mask`.
CLI::Option* add_choice(CLI::App& app, const std::string& names, std::uint32_t& bits,
                        std::uint32_t mask, const Choices<std::uint32_t>& choices,
                        const std::string& help);

}  // namespace prof::cli
