#include "collector/ingest/cpu/system_call_names.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace prof::ingest {
namespace {

TEST(SystemCallNames, AreTheKernels) {
  EXPECT_EQ(system_call_name(SYS_read, false), "read");
  EXPECT_EQ(system_call_name(SYS_clone3, false), "clone3");
  EXPECT_EQ(system_call_name(SYS_io_uring_enter, false), "io_uring_enter");
}

TEST(SystemCallNames, OthersAreNumbers) {
  EXPECT_EQ(system_call_name(400, false), "syscall_400");
  EXPECT_EQ(system_call_name(0xffffffff, false), "syscall_4294967295");
  EXPECT_EQ(system_call_name(1, true), "syscall_1 (32-bit)");
}

}  // namespace
}  // namespace prof::ingest
