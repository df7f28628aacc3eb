#include "collector/ingest/nvtx/time_domains.hpp"

#include <algorithm>
#include <cmath>

namespace prof::ingest {

namespace {

// NVTX's other predefined timestamp types.
constexpr std::uint64_t kTsc = 10;
constexpr std::uint64_t kMonotonicRaw = 15;

constexpr int kMaxSteps = 4;  // number of conversions from clock to clock

// True if the type counts nanoseconds at the pace of all other clocks.
bool counts_ns(std::uint64_t type) {
  return (type >= 12 && type <= 17) || type == 42 || (type >= 50 && type <= 54);
}

}  // namespace

void TimeDomains::define(std::uint32_t serial, const wire::NvtxTimeDomainRecord& record) {
  domains_.try_emplace({serial, record.header.aux, record.id}, record);
}

void TimeDomains::define(std::uint32_t serial, const wire::NvtxTimeSyncRecord& record) {
  const bool has_slope = (record.header.flags & wire::kNvtxHasSlope) != 0 &&
                         std::isfinite(record.slope) && record.slope > 0;
  const double slope = has_slope ? record.slope : 0;
  syncs_[{serial, record.header.aux, record.source}].push_back(
      {record.target, record.source_time, record.target_time, slope});
  syncs_[{serial, record.header.aux, record.target}].push_back(
      {record.source, record.target_time, record.source_time, has_slope ? 1 / slope : 0});
}

std::optional<std::int64_t> TimeDomains::to_ns(std::uint32_t serial, std::uint32_t domain,
                                               std::uint64_t id, std::int64_t time) const {
  return convert({serial, domain, id}, time, 0);
}

std::optional<std::int64_t> TimeDomains::convert(const Key& key, std::int64_t time,
                                                 int depth) const {
  const std::uint64_t id = std::get<2>(key);
  if (id == kToolProvided || (id == kTsc && uses_tsc_))
    return clock_.to_ns(static_cast<std::uint64_t>(time));
  if (id == kMonotonicRaw) return clock_.from_monotonic(static_cast<std::uint64_t>(time));
  if (depth >= kMaxSteps) return std::nullopt;
  if (const auto ns = by_syncs(key, time, depth)) return ns;
  const auto registered = domains_.find(key);
  if (registered == domains_.end() || registered->second.timestamp_type == id) return std::nullopt;
  return convert({std::get<0>(key), std::get<1>(key), registered->second.timestamp_type}, time,
                 depth + 1);
}

std::optional<std::int64_t> TimeDomains::by_syncs(const Key& key, std::int64_t time,
                                                  int depth) const {
  const auto found = syncs_.find(key);
  if (found == syncs_.end()) return std::nullopt;
  struct Point {
    std::int64_t time, ns;
  };
  std::vector<Point> points;
  for (const Sync& sync : found->second) {
    const Key other{std::get<0>(key), std::get<1>(key), sync.other};
    if (sync.slope != 0) {
      const double distance = static_cast<double>(time - sync.time) * sync.slope;
      if (!(std::fabs(distance) < 1e18)) continue;
      const auto ns = convert(other, sync.other_time + std::llround(distance), depth + 1);
      if (ns) return ns;
    }
    if (const auto ns = convert(other, sync.other_time, depth + 1))
      points.push_back({sync.time, *ns});
  }
  if (points.empty()) return std::nullopt;
  std::ranges::sort(points, {}, &Point::time);
  const auto registered = domains_.find(key);
  const std::int64_t resolution = registered == domains_.end() ? 0 : registered->second.resolution;
  // Interpolates between the points around the time, or extrapolates from the outermost two.
  auto after = std::ranges::upper_bound(points, time, {}, &Point::time);
  if (after == points.begin() && points.size() > 1) ++after;
  if (after == points.end() && points.size() > 1) --after;
  const Point from = after == points.begin() ? points.front() : *(after - 1);
  double ns_per_unit = resolution > 0 ? 1e9 / static_cast<double>(resolution) : 1;
  const bool is_known = resolution > 0 || counts_ns(std::get<2>(key));
  if (!is_known && after != points.end() && after->time > from.time)
    ns_per_unit =
        static_cast<double>(after->ns - from.ns) / static_cast<double>(after->time - from.time);
  const double distance = static_cast<double>(time - from.time) * ns_per_unit;
  if (!(std::fabs(distance) < 1e18)) return std::nullopt;
  return from.ns + std::llround(distance);
}

}  // namespace prof::ingest
