// Splits a command line into a verb's own options and the command after them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/option_set.hpp"
#include "common/base/text/suggestion.hpp"

namespace prof::cli {

struct SplitArguments {
  std::vector<std::string> options;  // each as one word, "--name=value", plus positionals
  std::vector<std::string> command;
  std::vector<std::string> notes;  // about options of nsys that prof ignores, a line for each
};

// Takes both `--name=value` and `--name value`, and boolean options with or without their value.
// With `takes_command`, the first word that is not an option starts the command. Options of nsys
// that the verb lacks become those of prof, or notes. Throws Failure for an unknown option, with a
// suggestion, and for an option without its value.
SplitArguments split_arguments(OptionSet& options, const std::string& verb,
                               const std::vector<std::string>& arguments, bool takes_command);

// Makes the last value count of an option that is given several times, as in nsys. Options that are
// defined afterwards follow it.
void let_last_value_count(CLI::App& app);

// Parses the options. Throws Failure.
void parse_options(CLI::App& app, const SplitArguments& split, const std::string& verb);

using base::nearest;
using base::suggestion;

}  // namespace prof::cli
