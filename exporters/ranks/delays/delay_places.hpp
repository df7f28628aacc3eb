// Where in the program a rank's delay is: its report is read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/ranks/delays/code_places.hpp"
#include "exporters/ranks/delays/late_ranks.hpp"

namespace prof::ranks {

struct DelayPlace {
  std::int64_t global_tid = 0;  // 0: the work is on the GPU
  std::string thread;           // "thread 1001 (python3)"
  std::string range;            // innermost NVTX range; may be empty
  std::string function;         // a call, or code with its line; may be empty
  std::string caller;           // of the call; may be empty
  insight::Interval longest;    // ns, of the report
  double time = 0;              // ns in this place
};

// Finds where most of the delay is. `delays` is of `job`.
base::Result<DelayPlace> place_of(const JobCollectives& job, const JobDelays& delays,
                                  const LateRank& late, const FindLines& find_lines);

}  // namespace prof::ranks
