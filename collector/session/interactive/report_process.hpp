// Reports that are written while the session goes on, each by a process that the collector forks:
// so the collector's memory does not grow, and records are drained meanwhile.
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

// What a collection leaves: a recording of which reports are made.
struct FinishedCollection {
  base::UniqueFd file;
  std::string spool;
  std::string output;
  bool overwrite = false;
  Words words;  // of prof start
  HookOptions hooks = {};
};

// Returns the exit status of the command that waits for the reports. Runs in the forked process.
using WriteReports = std::function<int(FinishedCollection&)>;

struct ReportProcess {
  int out = -1;  // where it writes to; -1: as the collector
  int error = -1;
  bool is_polite = false;  // gives way to the program
  // Provides the recording, in the forked process.
  std::function<base::Result<FinishedCollection>()> prepare;
};

// Returns the pid, or a negative number.
pid_t start_report_process(const ReportProcess& process, const sigset_t& signals,
                           const WriteReports& write_reports);

}  // namespace prof::session
