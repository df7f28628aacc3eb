#include "exporters/analysis/claims/rule_topics.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/analyze/report_diagnosis.hpp"

namespace prof::claims {

TEST(RuleTopics, EveryFindingHasThem) {
  for (const char* name : analyze::finding_names())
    EXPECT_NE(find_rule_topics(name), nullptr) << name;
  EXPECT_EQ(find_rule_topics("nothing"), nullptr);
  EXPECT_EQ(rule_topics().size(), analyze::finding_names().size());
}

}  // namespace prof::claims
