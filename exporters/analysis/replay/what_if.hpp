// What a user wants to know: how long the execution would take if something took another time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/insight/idle_times.hpp"

namespace prof::replay {

struct WhatIf {
  enum class Subject : std::uint8_t {
    kRange,       // NVTX ranges with this name: their calls, code, and the work that they launch
    kKernel,      // GPU operations whose names match a regular expression
    kCall,        // calls whose names match
    kFunction,    // code of a function, and of what it calls, by samples
    kRank,        // all work of a rank
    kCompute,     // kernels that compute, and graphs
    kCopies,      // copies and fills
    kIdle,        // what the host does in idle times of GPUs
    kNetwork,     // transfers of collective operations
    kStragglers,  // the differences between ranks
  };
  enum class Like : std::uint8_t { kFactor, kMedian, kMean };  // as the median rank, the mean rank

  Subject subject = Subject::kRange;
  std::string name;  // of a range or a function; the expression
  insight::IdleKind idle = insight::IdleKind::kUnknown;
  std::int64_t rank = 0;
  Like like = Like::kFactor;
  double factor = 0;
  std::string text;  // as the user wrote it

  // True if it compares ranks, so that a single report cannot answer it.
  bool needs_ranks() const { return subject == Subject::kRank || subject == Subject::kStragglers; }
};

// Parses "range:NAME=0", "function:NAME=0", "kernel:REGEX*0.5", "rank:17=median", "network=0" and
// the like.
base::Result<WhatIf> parse_what_if(std::string_view text);

// Returns an expression that matches these names only.
std::string expression_of(const std::vector<std::string>& names);

// Parses several of them, with " + " in between.
base::Result<std::vector<WhatIf>> parse_what_ifs(std::string_view text);

}  // namespace prof::replay
