// Files without a name, so that nothing of them remains, however prof ends.
#pragma once

#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::base {

// A new file in the folder, for reading and writing. Without a descriptor: errno says why.
UniqueFd create_unnamed_file(const std::string& folder);

}  // namespace prof::base
