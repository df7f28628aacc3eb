// Finds source lines and inlined functions of the native code in a report. They come from the debug
// information of the files on this machine. All other exporters read only the report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"

namespace prof::source {

// A file without known source lines.
struct UnknownFile {
  std::string path;
  std::string reason;      // "no debug information"
  std::size_t places = 0;  // places of this file in the report
};

struct FoundLines {
  events::CodeLines lines;
  std::size_t files = 0;             // number of files with places in the report
  std::vector<UnknownFile> unknown;  // most places first
};

// Looks up each place of PROF_CODE_PLACES once, several files in parallel. A file is read only if
// its build-id is the recorded one. A file without a build-id is read if it was not changed since
// the recording began. `progress` receives the fraction done, on the calling thread.
base::Result<FoundLines> find_lines(const report::ReportReader& reader,
                                    const std::function<void(double)>& progress,
                                    const std::vector<std::string>& debug_folders = {
                                        "/usr/lib/debug"});

}  // namespace prof::source
