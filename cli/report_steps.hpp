// The step that several verbs share: from a recording to a report.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// Makes `output` out of the recording, or a report of each of its capture ranges, and deletes the
// recording. Returns what was written. If a report cannot be written the recording stays and the
// Failure says how to go on.
std::vector<std::string> write_reports(const std::string& spool_path, const std::string& output,
                                       bool overwrite);

}  // namespace prof::cli
