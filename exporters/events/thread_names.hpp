// What threads and processes are called.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::events {

class ThreadNames {
 public:
  static base::Result<ThreadNames> read(const report::ReportReader& reader);

  // Empty if the report has none.
  const std::string& thread(std::int64_t global_tid) const;
  // The path of the program, or what else the report has.
  const std::string& process(std::int64_t global_id) const;

 private:
  std::unordered_map<std::int64_t, std::string> threads_;    // by globalTid
  std::unordered_map<std::int64_t, std::string> processes_;  // by process_of() it
};

}  // namespace prof::events
