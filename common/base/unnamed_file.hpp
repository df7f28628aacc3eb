// Files without a name, which disappear, however prof ends.
#pragma once

#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

// Creates a file in the folder, for reading and writing. If the result is invalid, errno has the
// reason.
UniqueFd create_unnamed_file(const std::string& folder);

}  // namespace prof::base
