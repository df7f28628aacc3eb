// The processes that write the reports of a session's collections, and the commands that wait for
// them.
#pragma once

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/interactive/client.hpp"
#include "collector/session/interactive/report_process.hpp"

namespace prof::session {

class ReportWriters {
 public:
  // The processes block `signals`, which outlives the object.
  ReportWriters(const sigset_t& signals, WriteReports write_reports)
      : signals_(signals), write_reports_(std::move(write_reports)) {}

  // Starts a process that writes reports. The clients in `waiting` wait for them. Messages go to
  // the descriptor `error`; -1: nowhere.
  void start(FinishedCollection finished, std::vector<Client> waiting, int error);
  // Answers the clients of processes that have ended.
  void reap();
  bool empty() const { return writers_.empty(); }

 private:
  struct Writer {
    pid_t pid = 0;
    std::string spool;
    std::vector<Client> clients;
  };

  const sigset_t& signals_;
  const WriteReports write_reports_;
  std::list<Writer> writers_;
};

}  // namespace prof::session
