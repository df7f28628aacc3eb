// When the threads that give the GPU its work wait for input: the OS-runtime calls that mean it.
#pragma once

#include <map>
#include <set>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/insight/intervals.hpp"

namespace prof::insight {

class HostWaits {
 public:
  // Of these threads: calls that read files, pipes and sockets, or wait for another thread or
  // process. Sleeping is none.
  static base::Result<HostWaits> read(const report::ReportReader& reader,
                                      const std::set<std::int64_t>& global_tids);

  // How much of [start, end) the thread waited.
  std::int64_t waited(std::int64_t global_tid, std::int64_t start, std::int64_t end) const;

 private:
  std::map<std::int64_t, Intervals> by_thread_;
};

}  // namespace prof::insight
