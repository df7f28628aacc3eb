// When threads are in NVTX ranges of a name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::replay {

class RangeTimes;
using RangesByName = std::map<std::string, RangeTimes>;

class RangeTimes {
 public:
  // Reads the ranges with these names: "load", or "domain:load". A name may be that of no range.
  static base::Result<RangesByName> read(const report::ReportReader& reader,
                                         const std::vector<std::string>& names);

  RangeTimes() = default;
  // Takes times of threads, by globalTid.
  explicit RangeTimes(std::map<std::int64_t, insight::Intervals> times);

  bool empty() const { return times_.empty(); }
  // Returns the share of a thread's time that is in the ranges, 0 to 1. An instant is in them or
  // not.
  double share(std::int64_t global_tid, std::int64_t start, std::int64_t end) const;

 private:
  std::map<std::int64_t, insight::Intervals> times_;  // by globalTid
};

}  // namespace prof::replay
