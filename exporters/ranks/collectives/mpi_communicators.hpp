// Names of MPI's communicators that are equal on all ranks. Their handles differ between processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::ranks {

class MpiCommunicators {
 public:
  struct Name {
    std::string text;
    std::int64_t ranks = 0;           // 0: unknown
    std::optional<std::int64_t> own;  // the process's rank in it
    // All ranks of MPI_COMM_WORLD are in it. They make these in one order, so their names cannot be
    // mistaken. The others are counted by the process, which may be in some that others are not in.
    bool has_all_ranks = false;
  };

  static base::Result<MpiCommunicators> read(const report::ReportReader& reader);

  // Returns the name of the communicator that had the handle at this time. If the report does not
  // describe it, its handle is in the name.
  Name of(std::int64_t global_pid, std::int64_t handle, std::int64_t time) const;

 private:
  // A communicator of a process, from the time on when the process got it.
  struct Entry {
    std::int64_t time;
    Name name;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Entry>>
      names_;  // by process and handle; in the order of time
};

}  // namespace prof::ranks
