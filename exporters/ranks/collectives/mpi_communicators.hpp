// Names of MPI's communicators that are equal on all ranks. Their handles differ between processes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::ranks {

class MpiCommunicators {
 public:
  struct Name {
    std::string text;
    std::int64_t ranks = 0;  // 0: unknown
  };

  static base::Result<MpiCommunicators> read(const report::ReportReader& reader);

  // The name of a communicator that the report does not describe has its handle in it.
  Name of(std::int64_t global_pid, std::int64_t handle) const;

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, Name> names_;  // by process and handle
};

}  // namespace prof::ranks
