// Lists of names on the command line.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// Splits a comma-separated list. "\," is a comma in a name. Empty names are dropped.
std::vector<std::string> split_names(const std::string& list);

}  // namespace prof::cli
