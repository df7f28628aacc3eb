// The rows of META_DATA_CAPTURE: the options of a session under nsys's names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::session {

using MetadataRows = std::vector<std::pair<std::string, std::string>>;

// The program's environment is not among the rows, because it can contain secrets.
MetadataRows capture_metadata(const SessionOptions& options);

}  // namespace prof::session
