#include "exporters/analysis/insight/profiles/source_hints.hpp"

#include <cstdint>
#include <vector>

#include "exporters/analysis/stalls/sass_counts.hpp"

namespace prof::insight {

base::Result<HintsByConfiguration> read_source_hints(const report::ReportReader& reader,
                                                     const KernelProfiles& profiles) {
  const auto counted = stalls::CountedLines::read(reader);
  if (!counted) return tl::make_unexpected(counted.error());
  HintsByConfiguration hints;
  if (counted->is_empty()) return hints;
  std::unordered_map<LaunchConfiguration, std::vector<std::int64_t>, LaunchConfiguration::Hash> ids;
  for (const ProfiledLaunch& each : profiles.launches) ids[each.configuration].push_back(each.id);
  for (const auto& [launch, profile_ids] : ids) {
    const std::vector<stalls::CountedLine> lines = counted->of(profile_ids);
    hints.emplace(launch,
                  SourceHints{stalls::worst_line_text(lines, stalls::LineFault::kUncoalesced),
                              stalls::worst_line_text(lines, stalls::LineFault::kBankConflicts),
                              stalls::worst_line_text(lines, stalls::LineFault::kIdleThreads)});
  }
  return hints;
}

}  // namespace prof::insight
