// Makes reports from a recording.
#pragma once

#include <string>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::cli {

// Makes `output` from the recording, or a report from each of its capture ranges, and deletes the
// recording. `file`: the recording. `spool_path`: its name, unless somebody has deleted it. Returns
// the paths of the reports. If a report cannot be written, the recording stays, or gets a new name,
// and the Failure says how to make the report later.
std::vector<std::string> write_reports(const base::UniqueFd& file, const std::string& spool_path,
                                       const std::string& output, bool overwrite);

}  // namespace prof::cli
