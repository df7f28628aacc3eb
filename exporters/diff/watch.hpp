// Figures that must not get worse: for continuous integration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "exporters/diff/comparison.hpp"

namespace prof::diff {

// A time before and after, ns.
struct Watched {
  std::string name;
  std::int64_t before;
  std::int64_t after;
};

// What may be watched: duration, gpu-busy, CATEGORY or CATEGORY:NAME, of the categories compared.
base::Status check_watch(std::string_view request, const std::vector<const Category*>& categories);

// Fails if the reports do not tell it. `request` is one that check_watch() accepts.
base::Result<Watched> watch(const Comparison& comparison, const std::string& request);

bool is_slower(const Watched& watched, double percent);

}  // namespace prof::diff
