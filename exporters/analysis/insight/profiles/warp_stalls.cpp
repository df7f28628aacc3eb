#include "exporters/analysis/insight/profiles/warp_stalls.hpp"

#include <algorithm>

namespace prof::insight {

std::vector<WarpStall> warp_stalls(const MetricValues& metrics) {
  constexpr std::string_view kBegin = "smsp__average_warps_issue_stalled_";
  constexpr std::string_view kEnd = "_per_issue_active.ratio";
  std::vector<WarpStall> stalls;
  const double latency = metrics.or_zero("smsp__average_warp_latency_per_inst_issued.ratio");
  if (latency <= 0) return stalls;
  const auto& all = metrics.by_name();
  for (auto each = all.lower_bound(kBegin); each != all.end() && each->first.starts_with(kBegin);
       ++each) {
    std::string_view name = each->first;
    if (!name.ends_with(kEnd)) continue;
    name = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    stalls.push_back({name, each->second.median, each->second.median / latency});
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const WarpStall& a, const WarpStall& b) { return a.cycles > b.cycles; });
  return stalls;
}

}  // namespace prof::insight
