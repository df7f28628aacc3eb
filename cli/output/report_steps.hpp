// The step that several verbs share: from a recording to a report.
#pragma once

#include <string>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::cli {

// Makes `output` out of the recording, or a report of each of its capture ranges, and deletes the
// recording: `file`, known by the name `spool_path` unless somebody took that away. Returns what
// was written. If a report cannot be written the recording stays, or is given a new name, and the
// Failure says how to go on.
std::vector<std::string> write_reports(const base::UniqueFd& file, const std::string& spool_path,
                                       const std::string& output, bool overwrite);

}  // namespace prof::cli
