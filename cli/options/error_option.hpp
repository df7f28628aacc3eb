// --errors, which every verb has: how the failure that ends prof is printed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace prof::cli {

// Declares the option for help and completion. take_error_option() reads it.
void add_error_option(CLI::App& app);

// Removes the option from the words before "--" and applies it. The last one counts. Throws Failure
// for an unknown value.
void take_error_option(std::vector<std::string>& words);

}  // namespace prof::cli
