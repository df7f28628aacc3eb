#include "common/code/unwind/process_maps.hpp"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

namespace prof::unwind {
namespace {

TEST(ProcessMaps, AreParsed) {
  const auto events = parse_process_maps(
      "55d0c000-55d0d000 r-xp 00002000 fe:01 1234       /a path/with\\012newline\n"
      "7ffc0000-7ffc2000 r-xp 00000000 00:00 0          [vdso]\n"
      "7f000000-7f001000 rw-p 00000000 00:00 0 \n"
      "nonsense\n7f-\n\n7f002000-7f001000 r-xp 0 00:00 0\n"
      "ffff0000-ffff1000 --xp 00000000 00:00 0 [vsyscall]",
      7);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].start, 0x55d0c000U);
  EXPECT_EQ(events[0].length, 0x1000U);
  EXPECT_EQ(events[0].offset, 0x2000U);
  EXPECT_EQ(events[0].device, makedev(0xfe, 1));
  EXPECT_EQ(events[0].inode, 1234U);
  EXPECT_EQ(events[0].path, "/a path/with\nnewline");
  EXPECT_EQ(events[0].time, 7U);
  EXPECT_TRUE(events[0].executable);
  EXPECT_EQ(events[1].path, "[vdso]");
  EXPECT_FALSE(events[2].executable);
  EXPECT_EQ(events[2].path, "");
  EXPECT_EQ(events[3].path, "[vsyscall]");
}

TEST(ProcessMaps, OfThisProcessHoldThisFunction) {
  const auto events = read_process_maps("self");
  ASSERT_TRUE(events);
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  bool is_found = false;
  for (const MapEvent& each : *events)
    is_found |= each.executable && here >= each.start && here - each.start < each.length;
  EXPECT_TRUE(is_found);
}

TEST(ProcessMaps, OfNobodyAreAnError) {
  const auto events = read_process_maps("0");
  ASSERT_FALSE(events);
  EXPECT_NE(events.error().message.find("/proc/0/maps"), std::string::npos);
}

}  // namespace
}  // namespace prof::unwind
