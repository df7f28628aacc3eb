// What the kernel and the interpreter do in a thread's time: other threads have the CPUs, pages of
// memory are new, garbage is collected.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/ranks/delays/causes.hpp"

namespace prof::ranks {

class ThreadDetails {
 public:
  // Reads the context switches, the CPU samples and the ranges of these threads, as far as the
  // report has them.
  static base::Result<ThreadDetails> read(const report::ReportReader& reader,
                                          const events::RangeTree& ranges,
                                          const std::set<std::int64_t>& threads);

  // Divides a piece of a thread's time: visits the parts with another cause, and the rest.
  void divide(const HostPiece& piece, const std::function<void(const HostPiece&)>& visit) const;

 private:
  struct Sample {
    std::int64_t time;
    bool is_page_fault;
  };
  struct Thread {
    insight::Intervals without_cpu;  // it could run
    insight::Intervals collections;  // of garbage
    std::vector<Sample> samples;     // sorted; empty if none of them is in a page fault
  };

  base::Status read_states(const report::ReportReader& reader);
  base::Status read_samples(const report::ReportReader& reader);
  void read_ranges(const events::RangeTree& ranges);

  std::map<std::int64_t, Thread> threads_;  // by globalTid
};

}  // namespace prof::ranks
