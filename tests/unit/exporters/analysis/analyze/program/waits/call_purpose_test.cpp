#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"

#include <gtest/gtest.h>

namespace prof::test {

using analyze::CallPurpose;

TEST(CallPurposes, OfNamesWithAdditions) {
  EXPECT_EQ(analyze::purpose_of("__read_chk"), CallPurpose::kTransfer);
  EXPECT_EQ(analyze::purpose_of("pread64"), CallPurpose::kTransfer);
  EXPECT_EQ(analyze::purpose_of("fgets_unlocked"), CallPurpose::kBuffered);
  EXPECT_EQ(analyze::purpose_of("fsync"), CallPurpose::kFlush);
  EXPECT_EQ(analyze::purpose_of("rea"), CallPurpose::kOther);
  EXPECT_EQ(analyze::purpose_of(""), CallPurpose::kOther);
  EXPECT_EQ(analyze::purpose_of("read write"), CallPurpose::kOther);
}

}  // namespace prof::test
