// Watches times that must not increase, for continuous integration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/diff/comparison.hpp"

namespace prof::diff {

// A watched time in both reports, in ns.
struct Watched {
  std::string name;
  std::int64_t before;
  std::int64_t after;
};

// Checks that the request is duration, gpu-busy, CATEGORY or CATEGORY:NAME, and that the category
// is compared.
base::Status check_watch(std::string_view request, const std::vector<const Category*>& categories);

// Returns the watched time. Fails if the reports do not have it. check_watch() must have accepted
// the request.
base::Result<Watched> watch(const Comparison& comparison, const std::string& request);

bool is_slower(const Watched& watched, double percent);

}  // namespace prof::diff
