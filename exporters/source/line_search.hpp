// Source lines and inlined functions of the native code in a report, from the debug information of
// the files on this machine: the one part of the exporters that reads more than the report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/code_lines.hpp"

namespace prof::source {

// A file of which no source line is known.
struct UnknownFile {
  std::string path;
  std::string reason;      // "no debug information"
  std::size_t places = 0;  // of its code in the report
};

struct FoundLines {
  events::CodeLines lines;
  std::size_t files = 0;             // of which the report has places
  std::vector<UnknownFile> unknown;  // the one with the most places first
};

// Looks up each place of PROF_CODE_PLACES once, several files at a time. A file is read if its
// build-id is the recorded one; one without a build-id if it was not changed since the recording
// began. `progress` gets the fraction done, on the calling thread.
base::Result<FoundLines> find_lines(const report::ReportReader& reader,
                                    const std::function<void(double)>& progress,
                                    const std::vector<std::string>& debug_folders = {
                                        "/usr/lib/debug"});

}  // namespace prof::source
