// Processes that the collector forks to write reports while the session goes on: so the collector's
// memory does not grow, and records are drained meanwhile.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

using Words = std::vector<std::string>;

// The result of a collection: a recording from which reports are made.
struct FinishedCollection {
  base::UniqueFd file;
  std::string spool;
  std::string output;
  bool overwrite = false;
  Words words;  // words of prof start
  HookOptions hooks = {};
};

// Writes the reports in the forked process. Returns the exit status of the command that waits for
// them.
using WriteReports = std::function<int(FinishedCollection&)>;

struct ReportProcess {
  int out = -1;  // descriptor for its output; -1: the collector's
  int error = -1;
  bool is_polite = false;  // low priority, in favor of the program
  // Returns the recording, in the forked process.
  std::function<base::Result<FinishedCollection>()> prepare;
};

// Returns the pid, or a negative number on failure.
pid_t start_report_process(const ReportProcess& process, const sigset_t& signals,
                           const WriteReports& write_reports);

}  // namespace prof::session
