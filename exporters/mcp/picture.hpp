// A picture of lanes of events, as PNG. It has no text but numbers of lanes, so
// a name of a report cannot speak from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::mcp {

struct Lane {
  std::string kind;              // "kernels", "copies", "calls", "ranges"
  std::string place;             // "GPU 0 stream 7", "thread 4711"
  std::vector<double> use = {};  // part of each bin that has events, 0 to 1
  std::int64_t events = 0;
};

// Each bin is a column. All lanes have the same number of bins.
base::Result<std::string> png_of(const std::vector<Lane>& lanes);

}  // namespace prof::mcp
