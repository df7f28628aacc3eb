#include "exporters/analysis/info/contents.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "exporters/analysis/stats/catalog.hpp"

namespace prof::info {
namespace {

TEST(Contents, NameStatisticsThatExist) {
  for (const Kind& kind : kinds()) {
    std::istringstream names(kind.statistics);
    for (std::string name; std::getline(names >> std::ws, name, ',');)
      EXPECT_NE(stats::find_statistic(name), nullptr) << name;
  }
}

TEST(Diagnostics, Losses) {
  EXPECT_TRUE(is_loss({0, kWarning, "5 events were dropped"}));
  EXPECT_FALSE(is_loss({0, kInformation, "0 dropped"}));
  EXPECT_FALSE(is_loss({0, kWarning, "CUDA is not traced"}));
}

}  // namespace
}  // namespace prof::info
