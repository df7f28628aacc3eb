// Names of threads and processes.
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

  // Empty if the report does not have the name.
  const std::string& thread(std::int64_t global_tid) const;
  // Usually the path of the program. Empty if the report does not have the name.
  const std::string& process(std::int64_t global_id) const;

 private:
  std::unordered_map<std::int64_t, std::string> threads_;    // by globalTid
  std::unordered_map<std::int64_t, std::string> processes_;  // by process_of() of the globalPid
};

}  // namespace prof::events
