// Reads the names of threads and processes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

class ThreadNames {
 public:
  static base::Result<ThreadNames> read(const report::ReportReader& reader);

  // Returns the thread's name. Empty if the report does not have it.
  const std::string& thread(std::int64_t global_tid) const;
  // Returns the process's name, usually the path of the program. Empty if the report does not have
  // it.
  const std::string& process(std::int64_t global_id) const;

 private:
  std::unordered_map<std::int64_t, std::string> threads_;    // by globalTid
  std::unordered_map<std::int64_t, std::string> processes_;  // by process_of() of the globalPid
};

}  // namespace prof::events
