#include "exporters/ranks/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace prof::ranks {
namespace {

TEST(Parallel, EachNumberComesOnce) {
  for (const unsigned threads : {0U, 1U, 5U})
    for (const std::size_t count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      for_each_number(count, threads, [&](std::size_t i) { ++calls[i]; });
      for (const auto& each : calls) EXPECT_EQ(each, 1);
    }
}

}  // namespace
}  // namespace prof::ranks
