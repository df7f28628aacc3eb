// Finds what killed profs left.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// Searches the folders of these files and the working directory, each once in the life of this
// prof. Names the recordings there whose prof was killed, and the command that makes their reports.
// Removes what is useless: recordings without events, recordings whose report was written, and
// half-written files. `except` is a recording that the caller reports itself.
void report_recordings(const std::vector<std::string>& files, const std::string& except = {});

// Removes the folders of sessions, live reports and flight recorders whose prof was killed. These
// folders lie in places with many other files, which takes longer to search.
void remove_left_folders();

// Calls report_recordings() and remove_left_folders().
void report_left_overs(const std::vector<std::string>& files, const std::string& except = {});

}  // namespace prof::cli
