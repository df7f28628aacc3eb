#include "exporters/analysis/facts/topics.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/analyze/report_diagnosis.hpp"

namespace prof::facts {

TEST(Topics, EachFindingHasOne) {
  for (const char* name : analyze::finding_names())
    EXPECT_NE(topic_of(name), Topic::kVerdict) << name;
  EXPECT_EQ(topic_of("nothing"), Topic::kVerdict);
}

TEST(Topics, NamesAreFound) {
  for (const std::string_view name : topic_names()) {
    const auto topic = find_topic(name);
    ASSERT_TRUE(topic) << name;
    EXPECT_EQ(name_of(*topic), name);
  }
  EXPECT_FALSE(find_topic("weather"));
}

}  // namespace prof::facts
