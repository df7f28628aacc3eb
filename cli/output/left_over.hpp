// What a killed prof left.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// Looks into the folders of these files and the working directory, into each once in the life of
// this prof. Names recordings there whose prof was killed, and the command that makes their
// reports. Removes what is worth nothing: recordings without events, recordings whose report was
// written, and half-written files. `except`: a recording that the caller speaks about.
void report_recordings(const std::vector<std::string>& files, const std::string& except = {});

// Removes the folders of sessions, live reports and flight recorders whose prof was killed. They
// lie in folders with many other files.
void remove_left_folders();

// Both.
void report_left_overs(const std::vector<std::string>& files, const std::string& except = {});

}  // namespace prof::cli
