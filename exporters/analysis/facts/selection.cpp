#include "exporters/analysis/facts/selection.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace prof::facts {

namespace {

// Returns what the topics need and the report lacks, after what it has lost.
std::vector<Missing> missing_for(const report::ReportReader& reader, const std::set<Topic>& topics,
                                 std::vector<Missing> missing) {
  std::erase_if(missing,
                [](const Missing& each) { return std::string_view(each.topic) != "lost_events"; });
  std::set<std::string_view> asked;
  for (const Topic topic : topics)
    for (const std::string_view need : needs_of(topic))
      if (asked.insert(need).second)
        if (const auto found = missing_topic(reader, need)) missing.push_back(*found);
  return missing;
}

}  // namespace

base::Status select_topics(const report::ReportReader& reader, std::span<const Topic> topics,
                           FactSheet& sheet) {
  const std::set<Topic> sorted(topics.begin(), topics.end());
  sheet.has_verdict = sorted.contains(Topic::kVerdict);
  if (!sheet.has_verdict) {
    std::erase_if(sheet.diagnosis.findings, [&](const analyze::Finding& each) {
      return !sorted.contains(topic_of(each.rule));
    });
    sheet.cannot = missing_for(reader, sorted, std::move(sheet.cannot));
  }
  for (const Topic topic : sorted) {
    auto found = statistics_of(reader, topic);
    if (!found) return tl::make_unexpected(found.error());
    std::ranges::move(*found, std::back_inserter(sheet.statistics));
  }
  return {};
}

}  // namespace prof::facts
