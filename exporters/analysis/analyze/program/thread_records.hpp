// Reads all records of a report about the threads of a program, once, and numbers the threads.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/calls.hpp"
#include "exporters/analysis/analyze/program/code_profile.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/thread_states.hpp"

namespace prof::analyze {

struct ThreadRecords {
  // The scheduler's periods of a thread: `count` elements of `states` from `first` on.
  struct States {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  std::vector<std::int64_t> tids;            // globalTid of each thread, ascending
  std::vector<OsCall> calls;                 // sorted by thread and start
  std::vector<LockRange> lock_ranges;        // sorted by thread and start
  std::vector<insight::StatePeriod> states;  // sorted by thread and start
  std::vector<States> states_of;             // by thread
  RecordedSamples native;
  RecordedSamples python;
  RecordedSamples python_waits;
};

base::Result<ThreadRecords> read_thread_records(const report::ReportReader& reader);

// Returns what the threads do from moment to moment, sorted by thread and start.
std::vector<Period> periods_of(const ThreadRecords& records, events::Strings& strings);

}  // namespace prof::analyze
