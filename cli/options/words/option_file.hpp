// Options from files: --command-file, and the user's defaults.
#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.hpp"

namespace prof::cli {

// Splits a text into words, which are separated by blanks and line ends and quoted as in a shell. #
// begins a comment. Throws Failure for a quote without its end. `source` is for messages.
std::vector<std::string> words_of_text(const std::string& text, const std::string& source);

// Adds --command-file.
void add_command_file(CLI::App& app, std::string& path);

// Adds the options of --command-file and of the user's defaults ($XDG_CONFIG_HOME/prof/defaults or
// ~/.config/prof/defaults) that the command line does not have. Each line of the defaults begins
// with a verb. A command file overrides the defaults.
void add_files(OptionSet& known, const std::string& verb, SplitArguments& split);

}  // namespace prof::cli
