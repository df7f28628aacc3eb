// The names and priorities of threads, for statistics that list calls.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

class CallingThreads {
 public:
  struct Thread {
    tables::Cell priority = {};
    tables::Cell name = {};
  };

  static base::Result<CallingThreads> read(const report::ReportReader& reader,
                                           events::Strings& strings);

  // Returns empty cells if the thread is not known.
  const Thread& of(std::int64_t global_tid) const;

 private:
  std::unordered_map<std::int64_t, Thread> threads_;
};

}  // namespace prof::stats
