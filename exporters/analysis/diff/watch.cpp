#include "exporters/analysis/diff/watch.hpp"

#include <algorithm>

namespace prof::diff {

namespace {

constexpr std::string_view kDuration = "duration";
constexpr std::string_view kGpuBusy = "gpu-busy";

// Returns the CATEGORY of CATEGORY or CATEGORY:NAME.
std::string_view category_part(std::string_view request) {
  return request.substr(0, request.find(':'));
}

base::Result<Watched> watch_duration(const Comparison& comparison) {
  const auto [of_session, before, after] = durations(comparison.before, comparison.after);
  if (!before || !after)
    return base::fail(
        "cannot watch the duration: a report has no session duration and no GPU operations");
  return Watched{std::string(kDuration), *before, *after};
}

// Returns the time of a whole category or of one name in it.
base::Result<Watched> watch_names(const Comparison& comparison, const std::string& request) {
  const std::string_view category = category_part(request);
  const bool one = category.size() < request.size();
  const std::string name = one ? request.substr(category.size() + 1) : "";
  Watched watched{request, 0, 0};
  bool found = false;
  for (const Change& change : comparison.changes) {
    if (change.category->name != category || (one && change.name != name)) continue;
    found = true;
    watched.before += change.before.time;
    watched.after += change.after.time;
  }
  if (!found) return base::fail("cannot watch " + request + ": it is in neither report");
  return watched;
}

}  // namespace

base::Status check_watch(std::string_view request, const std::vector<const Category*>& categories) {
  const bool known =
      request == kDuration || request == kGpuBusy ||
      std::any_of(categories.begin(), categories.end(), [&](const Category* category) {
        return category_part(request) == category->name;
      });
  if (known) return {};
  return base::fail("cannot watch " + std::string(request) +
                    ": expected duration, gpu-busy, CATEGORY or CATEGORY:NAME, where CATEGORY is "
                    "compared");
}

base::Result<Watched> watch(const Comparison& comparison, const std::string& request) {
  if (request == kDuration) return watch_duration(comparison);
  if (request == kGpuBusy)
    return Watched{request, comparison.before.gpu_busy, comparison.after.gpu_busy};
  return watch_names(comparison, request);
}

bool is_slower(const Watched& watched, double percent) {
  return static_cast<double>(watched.after) >
         static_cast<double>(watched.before) * (1 + percent / 100);
}

}  // namespace prof::diff
