// What `prof --version --verbose` prints.
#pragma once

#include <string>

namespace prof::cli {

// How this prof was built: a line for each fact.
std::string build_info();

}  // namespace prof::cli
