// What a report must have so that the absence of a finding says something.
#pragma once

#include <span>
#include <string_view>

namespace prof::claims {

struct RuleTopics {
  std::string_view rule;
  const char* topics[3];  // unused elements are null
};
// Returns the topics (exporters/analysis/facts/missing.hpp) that the finding needs. Null if the
// name is unknown.
const RuleTopics* find_rule_topics(std::string_view rule);

std::span<const RuleTopics> rule_topics();

}  // namespace prof::claims
