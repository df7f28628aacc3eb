// Reads the files of OSRT_FILE_ACCESS_EVENTS.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/report/report_reader.hpp"

namespace prof::timeline {

struct FileAccess {
  std::int64_t global_pid;
  bool is_socket;  // a socket or a pipe
};

// Returns the files by fileAccessId.
std::unordered_map<std::int64_t, FileAccess> file_accesses(const report::ReportReader& reader);

}  // namespace prof::timeline
