#include "collector/sampler/perf_event.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace prof::sampler {
namespace {

TEST(PerfEvent, ErrorsAreExplained) {
  EXPECT_NE(explain_open_error(EACCES).find("kernel.perf_event_paranoid is"), std::string::npos);
  EXPECT_NE(explain_open_error(EPERM).find("seccomp"), std::string::npos);
  EXPECT_NE(explain_open_error(ENOSYS).find("CONFIG_PERF_EVENTS"), std::string::npos);
  EXPECT_NE(explain_open_error(EMFILE).find("ulimit -n"), std::string::npos);
  EXPECT_NE(explain_open_error(ENOMEM).find("Cannot allocate memory"), std::string::npos);
}

TEST(PerfEvent, OnlineCpusAscend) {
  const auto cpus = online_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  EXPECT_EQ(std::adjacent_find(cpus.begin(), cpus.end()), cpus.end());
}

TEST(PerfEvent, AnInvalidEventHasNoLostRecords) { EXPECT_EQ(lost_records(base::UniqueFd()), 0U); }

}  // namespace
}  // namespace prof::sampler
